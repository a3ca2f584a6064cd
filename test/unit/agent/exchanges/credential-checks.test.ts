/** Credentials that are not what was offered. */
import { CredoError } from '@credo-ts/core'
import {
  DidCommCredentialExchangeRecord,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { expect, test, vi } from 'vitest'
import { credentialChecks, mayAutoRespond } from '../../../../lib/agent/exchanges/credentials/checks.ts'
import { NotAsOfferedError } from '../../../../lib/agent/formats/index.ts'
import { currentUnit, transaction } from '../../../../lib/store/transaction.ts'

const receive = (
  connection?: object,
  error: Error = new NotAsOfferedError('the credential is not what was offered'),
  process: () => void = () => {},
) => {
  const exchange = new DidCommCredentialExchangeRecord({
    ...{ threadId: 't', protocolVersion: 'v2' },
    ...{ role: DidCommCredentialRole.Holder, state: DidCommCredentialState.RequestSent },
  })
  const stored: string[] = []
  const agentContext = { resolve: () => ({ update: async () => stored.push(exchange.state) }) }
  const problemReport = (reason: string) => new DidCommProblemReportError(reason, { problemCode: 'abandoned' })
  const checks = credentialChecks(Object({ getByProperties: async () => exchange }), [], problemReport)
  const inbound = Object({ agentContext, connection, message: { threadId: 't' } })
  const processed = transaction('acme', () =>
    checks.processCredential(inbound, async () => {
      process()
      throw error
    }),
  )
  return { exchange, processed, stored }
}

test('on a connection the exchange is abandoned, and the issuer is told', async () => {
  const { processed, stored } = receive({ id: 'c' })
  await expect(processed).rejects.toThrow('not what was offered')
  expect(stored).toEqual(['abandoned'])
})

test('without a connection the exchange is abandoned as well, and nothing is acknowledged', async () => {
  const { exchange, processed, stored } = receive()
  expect(await processed).toBe(exchange)
  expect([stored, mayAutoRespond(exchange)]).toEqual([['abandoned'], false])
})

test('a credential out of turn is rejected', async () => {
  const { processed, stored } = receive(undefined, new CredoError('the state is done'))
  await expect(processed).rejects.toThrow('the state is done')
  expect(stored).toEqual([])
})

test('the credentials that the message has added are removed, and no other', async () => {
  const removed: string[] = []
  const { processed } = receive({ id: 'c' }, undefined, () => {
    const unit = currentUnit()
    const written = (id: string, version: number) => ({ type: 'W3cCredentialRecord', id, version })
    vi.spyOn(unit, 'written').mockReturnValue(Object([written('added', 1), written('changed', 2)]))
    vi.spyOn(unit, 'remove').mockImplementation(async (_tenant, _type, id) => removed.push(id) > 0)
  })
  await expect(processed).rejects.toThrow('not what was offered')
  expect(removed).toEqual(['added'])
})
