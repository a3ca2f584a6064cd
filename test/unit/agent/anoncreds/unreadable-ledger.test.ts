/** Objects that wait to be written to a ledger whose proxy sends invalid replies or none: they may exist. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { overdueReason, stateOnLedger } from '../../../../lib/agent/formats/anoncreds/ledger-polling.ts'
import { readSettings, settings } from '../../../../lib/settings.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { ISSUER, schemaRequest } from '../../../support/anoncreds/indy-objects.ts'
import { type IndyProxy, startIndyProxy } from '../../../support/anoncreds/indy-proxy.ts'

let proxy: IndyProxy
const waiting = { namespace: 'local', request: { ...schemaRequest(), identifier: ISSUER, protocolVersion: 2 } }
const state = () => transaction('@base', () => stateOnLedger(waiting))

const lines: { event: string; reason?: string }[] = []

beforeAll(async () => {
  proxy = await startIndyProxy()
})
afterAll(async () => {
  vi.restoreAllMocks()
  await proxy.stop()
})
beforeEach(() => {
  proxy.answerWith()
  Object.assign(settings(), readSettings({ ...process.env, INDY_PROXIES: JSON.stringify({ local: proxy.address }) }), {
    LOG_LEVEL: 'warn',
  })
  lines.length = 0
  vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line)))
})

test.each([
  ['no JSON', '<html></html>'],
  ['no reply', '{"result":7}'],
  ['a reply to another question', JSON.stringify({ result: { type: '108', seqNo: 3, data: {} } })],
])('%s is no answer, and leaves a line in the log', async (_, answer) => {
  proxy.answerWith(() => answer)
  expect(await state()).toBe('unknown')
  expect(lines).toMatchObject([{ event: 'ledger.unreadable', reason: expect.any(String) }])
})

test('a proxy that does not answer leaves a line as well', async () => {
  settings().INDY_PROXIES = { local: 'http://127.0.0.1:9' }
  expect(await state()).toBe('unknown')
  expect(lines).toMatchObject([{ event: 'ledger.unreadable' }])
})

test('what the ledger does not have, or has, is known', async () => {
  expect(await state()).toBe('absent')
  proxy.write(schemaRequest(), 1_700_000_000)
  expect(await state()).toBe('same')
  expect(lines).toEqual([])
})

test('the reason after the time limit shows which of both it was', () => {
  expect(overdueReason('unknown')).toContain('cannot be read')
  expect(overdueReason('absent')).toContain('was not written')
})
