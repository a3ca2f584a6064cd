/** Presentations that could not be verified when they came. */
import { CredoError } from '@credo-ts/core'
import { DidCommProblemReportError, DidCommProofState, DidCommProofV2Protocol } from '@credo-ts/didcomm'
import { expect, test, vi } from 'vitest'
import { proofChecks } from '../../../../lib/agent/exchanges/proofs/checks.ts'
import { proofProtocols } from '../../../../lib/agent/exchanges/proofs/protocols.ts'
import { isVerificationPending } from '../../../../lib/agent/exchanges/proofs/verify-later.ts'
import { recordUnverified, verificationFailureOf } from '../../../../lib/agent/formats/index.ts'
import { AgentError } from '../../../../lib/errors.ts'
import { currentUnit, transaction } from '../../../../lib/store/transaction.ts'

test('one waits until it is verified, or the exchange has ended', () => {
  const { PresentationReceived, Abandoned } = DidCommProofState
  expect(isVerificationPending({ state: PresentationReceived })).toBe(true)
  for (const isVerified of [true, false])
    expect(isVerificationPending({ state: PresentationReceived, isVerified })).toBe(false)
  expect(isVerificationPending({ state: Abandoned })).toBe(false)
})

test('one that is rejected in one format stays rejected, where another could not be verified', async () => {
  const record = { id: 'p', state: DidCommProofState.Abandoned, isVerified: false }
  const updated: object[] = []
  const resolve = () => ({ update: async (_: unknown, one: object) => updated.push(one) })
  const inbound = Object({ agentContext: { resolve, dependencyManager: { resolve } }, message: { threadId: 't' } })
  const checks = proofChecks(Object({ getByProperties: async () => record }), {
    request: () => [],
    presentation: () => [],
  })
  const processed = await transaction('acme', () =>
    checks.processPresentation(inbound, async () => {
      await recordUnverified('p', new Error('no registry'))
      throw new DidCommProblemReportError('not valid', { problemCode: 'abandoned' })
    }),
  )
  expect([processed, updated]).toEqual([{ ...record, isVerified: false }, []])
})

test('one that answers some of the formats waits for a call, but an internal error is thrown', async () => {
  const [, protocol] = proofProtocols()
  const judge = vi.spyOn(DidCommProofV2Protocol.prototype, 'shouldAutoRespondToPresentation')
  const presented = Object({ proofRecord: { isVerified: true, connectionId: 'c' }, presentationMessage: {} })
  const acknowledges = () => protocol.shouldAutoRespondToPresentation(Object({}), presented)
  judge.mockRejectedValueOnce(new CredoError('a format is not answered'))
  expect(await acknowledges()).toBe(false)
  judge.mockRejectedValueOnce(new TypeError('not a function'))
  await expect(acknowledges()).rejects.toThrow(TypeError)
})

test('an error of the table ends the unit of work, at once and whatever fails after it', async () => {
  const error = new AgentError('store.unavailable', 'DynamoDB is unavailable')
  const noted = transaction('acme', async () => {
    await recordUnverified('p', error).catch(() => undefined)
    await expect(recordUnverified('p', new Error('a consequence'))).rejects.toBe(error)
    expect([currentUnit().failure, verificationFailureOf('p')]).toEqual([error, undefined])
  })
  await expect(noted).rejects.toBe(error)
})

/**
 * Verifies a presentation again. Returns the attachments that its formats were given, each with that of the request.
 */
const verifyAgain = async (requested: string[], presented: string[], presentation: object | null = {}) => {
  const verified: string[] = []
  const processPresentation = async (_: unknown, { attachment, requestAttachment }: Record<string, unknown>) =>
    verified.push(`${attachment} to ${requestAttachment}`) > 0
  const formats = new Map([...requested, ...presented].map((name) => [name, { processPresentation }]))
  const attached = (names: string[], of: string) => () =>
    names.map((name) => Object({ format: formats.get(name), attachment: `${of} ${name}` }))
  const messages = { findRequestMessage: async () => ({}), findPresentationMessage: async () => presentation }
  const checks = proofChecks(Object(messages), {
    request: attached(requested, 'request'),
    presentation: attached(presented, 'presentation'),
  })
  await checks.verifyAgain(Object({}), Object({ id: 'p' }))
  return verified
}

test('one is verified again in each of its formats', async () => {
  const verified = ['presentation indy to request indy', 'presentation pex to request pex']
  expect(await verifyAgain(['pex', 'anoncreds', 'indy'], ['indy', 'pex'])).toEqual(verified)
})

test.each<[string, string[], string[], object | null]>([
  ['without a readable attachment', ['indy'], [], {}],
  ['in a format that was not requested', ['indy'], ['indy', 'pex'], {}],
  ['that is not there any more', ['indy'], ['indy'], null],
])('one %s does not count as verified', async (_, requested, presented, presentation) => {
  await expect(verifyAgain(requested, presented, presentation)).rejects.toThrow(TypeError)
})
