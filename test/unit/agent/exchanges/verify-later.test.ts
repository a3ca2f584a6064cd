/** Presentations that could not be verified when they came. */
import { CredoError } from '@credo-ts/core'
import { DidCommProblemReportError, DidCommProofState, DidCommProofV2Protocol } from '@credo-ts/didcomm'
import { expect, test, vi } from 'vitest'
import { proofChecks } from '../../../../lib/agent/exchanges/proofs/checks.ts'
import { proofProtocols } from '../../../../lib/agent/exchanges/proofs/protocols.ts'
import { waitsForVerification } from '../../../../lib/agent/exchanges/proofs/verify-later.ts'
import { noteUnverified, unverifiedBecause } from '../../../../lib/agent/formats/index.ts'
import { AgentError } from '../../../../lib/errors.ts'
import { currentUnit, transaction } from '../../../../lib/store/transaction.ts'

test('one waits until it is verified, or the exchange has ended', () => {
  const { PresentationReceived, Abandoned } = DidCommProofState
  expect(waitsForVerification({ state: PresentationReceived })).toBe(true)
  for (const isVerified of [true, false])
    expect(waitsForVerification({ state: PresentationReceived, isVerified })).toBe(false)
  expect(waitsForVerification({ state: Abandoned })).toBe(false)
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
      await noteUnverified('p', new Error('no registry'))
      throw new DidCommProblemReportError('not valid', { problemCode: 'abandoned' })
    }),
  )
  expect([processed, updated]).toEqual([{ ...record, isVerified: false }, []])
})

test('one that answers some of the formats waits for a call, and a fault of our own is none of it', async () => {
  const [, protocol] = proofProtocols()
  const judge = vi.spyOn(DidCommProofV2Protocol.prototype, 'shouldAutoRespondToPresentation')
  const presented = Object({ proofRecord: { isVerified: true, connectionId: 'c' }, presentationMessage: {} })
  const acknowledges = () => protocol.shouldAutoRespondToPresentation(Object({}), presented)
  judge.mockRejectedValueOnce(new CredoError('a format is not answered'))
  expect(await acknowledges()).toBe(false)
  judge.mockRejectedValueOnce(new TypeError('not a function'))
  await expect(acknowledges()).rejects.toThrow(TypeError)
})

test('one that has no readable attachment is not verified when it is looked at again', async () => {
  const message = async () => ({})
  const protocol = Object({ findRequestMessage: message, findPresentationMessage: message })
  const { verifyAgain } = proofChecks(protocol, { request: () => [], presentation: () => [] })
  await expect(verifyAgain(Object({}), Object({ id: 'p' }))).rejects.toThrow('no readable attachment')
})

test('an error of the table ends the unit of work, at once and whatever fails after it', async () => {
  const error = new AgentError('store.unavailable', 'the table does not answer')
  const noted = transaction('acme', async () => {
    await noteUnverified('p', error).catch(() => undefined)
    await expect(noteUnverified('p', new Error('a consequence'))).rejects.toBe(error)
    expect([currentUnit().failure, unverifiedBecause('p')]).toEqual([error, undefined])
  })
  await expect(noted).rejects.toBe(error)
})
