/** Credentials that are not what was offered. */
import { CredoError } from '@credo-ts/core'
import {
  DidCommCredentialExchangeRecord,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { expect, test, vi } from 'vitest'
import {
  credentialChecks,
  mayAutoRespond,
  previewViolation,
} from '../../../../lib/agent/exchanges/credentials/checks.ts'
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
  const getByProperties = vi.fn(async () => exchange)
  const checks = credentialChecks(Object({ getByProperties }), [], problemReport, async () => [])
  const inbound = Object({ agentContext, connection, message: { threadId: 't' } })
  const processed = transaction('acme', () =>
    checks.processCredential(inbound, async () => {
      process()
      throw error
    }),
  )
  return { exchange, getByProperties, processed, stored }
}

test('on a connection the exchange is abandoned, and the issuer is told', async () => {
  const { getByProperties, processed, stored } = receive({ id: 'c' })
  await expect(processed).rejects.toThrow('not what was offered')
  expect(stored).toEqual(['abandoned'])
  const properties = { threadId: 't', role: 'holder', connectionId: 'c' }
  expect(getByProperties).toHaveBeenCalledWith(expect.anything(), properties)
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
    const message = { type: 'DidCommMessageRecord', id: 'message', version: 1 }
    vi.spyOn(unit, 'writtenRecords').mockReturnValue(Object([written('added', 1), written('changed', 2), message]))
    vi.spyOn(unit, 'remove').mockImplementation(async (_tenant, _type, id) => removed.push(id) > 0)
  })
  await expect(processed).rejects.toThrow('not what was offered')
  expect(removed).toEqual(['added'])
})

test('of what is wrong with a credential 1,000 characters are told', async () => {
  const { exchange, processed } = receive({ id: 'c' }, new NotAsOfferedError('x'.repeat(1_001)))
  await expect(processed).rejects.toThrow(/^x{1000}$/)
  expect(exchange.errorMessage).toHaveLength(1_000)
})

test('the reason is not cut within a character, which many could not read', async () => {
  const { exchange, processed } = receive({ id: 'c' }, new NotAsOfferedError(`${'x'.repeat(999)}😀`))
  await expect(processed).rejects.toThrow('x'.repeat(999))
  expect(exchange.errorMessage?.isWellFormed()).toBe(true)
})

const names = (length: number) => Array.from({ length }, (_, index) => ({ name: `${index}` }))

test.each<[string, unknown, string?]>([
  ['of 125 attributes', names(125)],
  ['of 126 attributes', names(126), 'there are more than 125 attributes'],
  ['with an attribute twice', [...names(2), ...names(1)], 'an attribute is named twice'],
  [
    'with the name of a prototype',
    [{ name: 'a' }, { name: '__proto__' }],
    'there is an attribute that no credential can have',
  ],
  ['that is not a list', { name: 'a' }, 'the attributes are not a list'],
])('a preview %s is judged: %#', (_, attributes, violation) => {
  expect(previewViolation(Object({ message: { credentialPreview: { attributes } } }))).toBe(violation)
})

/** Runs the checks of a request on a thread, in two formats. */
const request = (is: { jsonld: boolean; indy: boolean }, read: () => void = () => {}) => {
  const exchange = new DidCommCredentialExchangeRecord({
    ...{ threadId: 't', protocolVersion: 'v2' },
    ...{ role: DidCommCredentialRole.Issuer, state: DidCommCredentialState.RequestReceived },
  })
  const formats = Object.entries(is).map(([formatKey, is]) => ({ formatKey, isAsOffered: () => is }))
  const sent = { jsonld: {}, indy: {} }
  const findByProperties = vi.fn(async () => exchange)
  const getFormatData = async () => {
    read()
    return { offer: sent, request: sent }
  }
  const checks = credentialChecks(
    Object({ findByProperties, getFormatData }),
    Object(formats),
    (reason) => new DidCommProblemReportError(reason, { problemCode: '' }),
    async () => [],
  )
  const agentContext = { resolve: () => ({ update: async () => undefined }) }
  const inbound = Object({ agentContext, message: { threadId: 't' } })
  return { exchange, findByProperties, processed: checks.processRequest(inbound, async () => exchange) }
}

test.each([
  [true, true, 'accepted'],
  [true, false, 'rejected'],
  [false, true, 'rejected'],
])('a request in two formats that are as offered (%s, %s) is %s', async (jsonld, indy, outcome) => {
  const { exchange, findByProperties, processed } = request({ jsonld, indy })
  await (outcome === 'accepted'
    ? expect(processed).resolves.toBe(exchange)
    : expect(processed).rejects.toThrow(DidCommProblemReportError))
  expect(exchange.state).toBe(outcome === 'accepted' ? 'request-received' : 'abandoned')
  // An agent that offers to itself has both exchanges of the thread.
  expect(findByProperties).toHaveBeenCalledWith(expect.anything(), { threadId: 't', role: 'issuer' })
})

test.each([
  ['that is not JSON is not as offered', new SyntaxError('not JSON'), DidCommProblemReportError, 'abandoned'],
  ['without data is not as offered', new CredoError('no data'), DidCommProblemReportError, 'abandoned'],
  ['is not to blame for a fault of our own', new TypeError('not a function'), TypeError, 'request-received'],
])('a request %s', async (_, error, thrown, state) => {
  const { exchange, processed } = request({ jsonld: true, indy: true }, () => {
    throw error
  })
  await expect(processed).rejects.toThrow(thrown)
  expect(exchange.state).toBe(state)
})

test.each([
  [true, 'always', DidCommCredentialState.RequestReceived],
  [true, undefined, DidCommCredentialState.CredentialReceived],
  [false, 'never', DidCommCredentialState.RequestReceived],
  [false, 'always', DidCommCredentialState.Abandoned],
  [false, 'always', DidCommCredentialState.Declined],
])(
  '%s: by its setting %s an exchange in the state %s goes on without a call',
  (goesOn, autoAcceptCredential, state) => {
    expect(mayAutoRespond(Object({ autoAcceptCredential, state }))).toBe(goesOn)
  },
)
