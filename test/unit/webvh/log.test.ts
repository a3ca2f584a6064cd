/** Limits of what a host serves of a did:webvh. */
import { expect, test } from 'vitest'
import { parseLog, parseWitnessProofs } from '../../../lib/webvh/log.ts'

const PROOF = {
  type: 'DataIntegrityProof',
  cryptosuite: 'eddsa-jcs-2022',
  proofPurpose: 'assertionMethod',
  verificationMethod: 'did:key:z6Mk',
  proofValue: 'z1',
}

const sets = (count: number, proofs: number): string =>
  JSON.stringify(Array.from({ length: count }, () => ({ versionId: '1-Qm', proof: Array(proofs).fill(PROOF) })))

test('a file has 50 witness proofs at most, and fewer where each is verified for many entries', () => {
  expect(parseWitnessProofs(sets(2, 25), Array(20))).toHaveLength(2)
  expect(() => parseWitnessProofs(sets(3, 17), Array(1))).toThrow()
  expect(() => parseWitnessProofs(sets(2, 25), Array(21))).toThrow('too many witness proofs')
})

test('a log has 200 entries at most', () => {
  expect(() => parseLog('{}\n'.repeat(200))).toThrow(/^(?!.*too many entries)/)
  expect(() => parseLog('{}\n'.repeat(201))).toThrow('too many entries')
})
