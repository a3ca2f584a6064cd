/** What both versions of issue-credential reject, and what they do without an API call. */
import { expect, test, vi } from 'vitest'
import { credentialProtocols } from '../../../../lib/agent/exchanges/credentials/protocols.ts'
import { messageOptions } from '../../../../lib/agent/exchanges/credentials/steps.ts'
import { messageOptions as proofMessageOptions } from '../../../../lib/agent/exchanges/proofs/steps.ts'
import { AgentError } from '../../../../lib/errors.ts'

const library = vi.hoisted(() => ({ isThere: true }))
vi.mock('../../../../lib/agent/formats/anoncreds/library.ts', async (original) => ({
  ...(await original<object>()),
  isAnonCredsAvailable: () => library.isThere,
}))

const [v1, v2] = credentialProtocols()
const CREDO = {
  v1: Object.getPrototypeOf(Object.getPrototypeOf(v1)),
  v2: Object.getPrototypeOf(Object.getPrototypeOf(v2)),
}
const JSON_LD = 'aries/ld-proof-vc-detail@v1.0'
const INDY = 'hlindy/cred-abstract@v2.0'
const ANONCREDS = 'anoncreds/credential-offer@v1.0'

test.each([
  ['processProposal', JSON_LD, 0],
  ['processProposal', INDY, 1],
  ['processProposal', ANONCREDS, 1],
  ['processOffer', JSON_LD, 0],
  ['processOffer', INDY, 1],
  ['processOffer', ANONCREDS, 1],
] as const)(
  'in %s the preview of %s has %i attributes left: others are compared with nothing',
  async (step, format, left) => {
    const process = vi.spyOn(CREDO.v2, step).mockResolvedValue(Object({}))
    const message = { credentialPreview: { attributes: [{ name: 'degree' }] }, formats: [{ format }] }
    await v2[step](Object({ message }))
    expect(process).toHaveBeenCalledOnce()
    expect(message.credentialPreview.attributes).toHaveLength(left)
    process.mockRestore()
  },
)

test.each([v1, v2])('a proposal is never answered by itself: %#', async (protocol) => {
  expect(await protocol.shouldAutoRespondToProposal()).toBe(false)
})

const request = (autoAcceptCredential: string, ...formats: string[]) =>
  Object({
    credentialExchangeRecord: { autoAcceptCredential, state: 'request-received' },
    requestMessage: { formats: formats.map((format) => ({ format })) },
  })

test.each([
  ['v1', v1, INDY, false],
  ['v2', v2, INDY, false],
  ['v2', v2, ANONCREDS, false],
  ['v2', v2, JSON_LD, true],
] as const)(
  'without the library %s issues by itself what does not need it: %#',
  async (_, protocol, format, isIssued) => {
    const issues = (mode: string, ...more: string[]) =>
      protocol.shouldAutoRespondToRequest(Object({}), request(mode, format, ...more))
    expect([await issues('always'), await issues('never')]).toEqual([true, false])
    library.isThere = false
    expect([await issues('always'), await issues('always', INDY)]).toEqual([isIssued, false])
    library.isThere = true
  },
)

test.each([v1, v2])('a credential is acknowledged by itself, unless that is to take a call: %#', async (protocol) => {
  const acknowledges = (mode: string) => protocol.shouldAutoRespondToCredential(Object({}), request(mode))
  expect([await acknowledges('contentApproved'), await acknowledges('never')]).toEqual([true, false])
})

test('an internal error of issuing abandons nothing', async () => {
  for (const [protocol, credo] of [
    [v1, CREDO.v1],
    [v2, CREDO.v2],
  ] as const) {
    const accept = vi.spyOn(credo, 'acceptRequest').mockRejectedValue(new AgentError('registry.unavailable', 'down'))
    const exchange = Object({ credentialExchangeRecord: { state: 'request-received' } })
    await expect(protocol.acceptRequest(Object({}), exchange)).rejects.toMatchObject({ code: 'registry.unavailable' })
    expect(exchange.credentialExchangeRecord.state).toBe('request-received')
    accept.mockRestore()
  }
})

test('a report of version 1 has its thread, and the parent of that', async () => {
  const setThread = vi.fn()
  vi.spyOn(CREDO.v1, 'createProblemReport').mockResolvedValue(Object({ message: { setThread } }))
  const exchange = { threadId: 'thread', parentThreadId: 'invitation' }
  await v1.createProblemReport(Object({}), Object({ credentialExchangeRecord: exchange }))
  await v1.createProblemReport(Object({}), Object({ credentialExchangeRecord: { threadId: 'thread' } }))
  expect(setThread.mock.calls).toEqual([[exchange], [{ threadId: 'thread' }]])
})

test('a message has the fields of the call, and no others', () => {
  const said = { comment: 'Your degree', goalCode: 'issue' }
  const ofCredential = { ...said, goal: 'A degree', autoAcceptCredential: 'never' as const }
  expect(messageOptions(ofCredential)).toEqual(ofCredential)
  expect(messageOptions({})).toEqual({})
  const ofProof = { ...said, willConfirm: true, autoAcceptProof: 'never' as const }
  expect(proofMessageOptions(ofProof)).toEqual(ofProof)
})
