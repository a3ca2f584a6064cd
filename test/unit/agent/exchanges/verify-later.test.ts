/** Presentations that could not be verified when they came. */
import { DidCommProofState } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { waitsForVerification } from '../../../../lib/agent/exchanges/proofs/verify-later.ts'

test('one waits until it is verified, or the exchange has ended', () => {
  const { PresentationReceived, Abandoned } = DidCommProofState
  expect(waitsForVerification({ state: PresentationReceived })).toBe(true)
  for (const isVerified of [true, false])
    expect(waitsForVerification({ state: PresentationReceived, isVerified })).toBe(false)
  expect(waitsForVerification({ state: Abandoned })).toBe(false)
})
