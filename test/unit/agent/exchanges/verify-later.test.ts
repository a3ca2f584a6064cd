/** Presentations that could not be verified when they came. */
import { DidCommProblemReportError, DidCommProofState } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { proofChecks } from '../../../../lib/agent/exchanges/proofs/checks.ts'
import { waitsForVerification } from '../../../../lib/agent/exchanges/proofs/verify-later.ts'
import { noteUnverified } from '../../../../lib/agent/formats/index.ts'
import { transaction } from '../../../../lib/store/transaction.ts'

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
