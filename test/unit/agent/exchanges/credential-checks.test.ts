/** Credentials that are not what was offered. */
import { CredoError } from '@credo-ts/core'
import {
  DidCommCredentialExchangeRecord,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { credentialChecks, mayAutoRespond } from '../../../../lib/agent/exchanges/credentials/checks.ts'
import { NotAsOfferedError } from '../../../../lib/agent/formats/index.ts'
import { transaction } from '../../../../lib/store/transaction.ts'

const receive = (
  connection?: object,
  error: Error = new NotAsOfferedError('the credential is not what was offered'),
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
  const processed = transaction('acme', () => checks.processCredential(inbound, () => Promise.reject(error)))
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
