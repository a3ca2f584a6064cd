/** Envelopes that are refused are counted, and nothing else that fails. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cannotHandle } from '../../../lib/agent/envelopes/envelope.ts'
import { logRejections } from '../../../lib/agent/inbound/receive.ts'
import { AgentError } from '../../../lib/errors.ts'
import { settings } from '../../../lib/settings.ts'

const lines: Record<string, unknown>[] = []

beforeEach(() => {
  Object.assign(process.env, { TABLE_NAME: 'agent', PUBLIC_URL: 'http://localhost:3000' })
  settings().LOG_LEVEL = 'info'
  lines.length = 0
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
})
afterEach(() => {
  settings().LOG_LEVEL = 'silent'
  vi.restoreAllMocks()
})

const refused = (error: Error) => logRejections('acme', () => Promise.reject(error))

test('a refusal is logged with what caused it', async () => {
  const cause = new RangeError('too deep')
  await expect(refused(cannotHandle(cause))).rejects.toMatchObject({ code: 'request.malformed' })
  await expect(refused(cannotHandle())).rejects.toMatchObject({ code: 'request.malformed' })
  expect(lines).toMatchObject([
    { event: 'inbound.refused', tenant: 'acme', error: 'RangeError' },
    { event: 'inbound.refused', tenant: 'acme', error: 'request.malformed' },
  ])
  expect(JSON.stringify(lines)).not.toContain('too deep')
})

test('an answer, an outage and a tenant that is not there are no refusals', async () => {
  expect(await logRejections('acme', async () => 'answer')).toBe('answer')
  await expect(refused(new AgentError('store.unavailable', 'down'))).rejects.toThrow('down')
  await expect(refused(new AgentError('resource.not_found', 'none'))).rejects.toThrow('none')
  expect(lines).toEqual([])
})
