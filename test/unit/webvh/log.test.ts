/** What a host serves of a did:webvh: its limits, and what the DID's key has not signed. */
import { expect, test } from 'vitest'
import { parseWebvhDid } from '../../../lib/webvh/did.ts'
import { documentOf, parseLog, parseWitnessProofs } from '../../../lib/webvh/log.ts'
import { verifyOfHost, WebvhHost } from '../../support/anoncreds/webvh-host.ts'
import { stopAtEnd } from '../../support/stop-at-end.ts'

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

test('the first entry is what its versionId names: a host can change neither, though the proof is of both', async () => {
  const host = await stopAtEnd(WebvhHost.start())
  const { did, log } = await host.issuer('alice')
  const parsed = parseWebvhDid(did)
  if (parsed === undefined) throw new Error(did)
  const { scid } = parsed
  const [first] = log
  const read = (entry: object) =>
    documentOf(parsed, { log: parseLog(JSON.stringify(entry)), witnessProofs: [], verify: verifyOfHost })
  await expect(read(first)).resolves.toHaveProperty('id', did)
  const others = [
    { ...first, versionId: `1-${scid}` },
    { ...first, state: { ...first.state, controller: first.state.controller.replace(scid, '{SCID}') } },
  ]
  for (const other of others) await expect(read(other)).rejects.toThrow('that its versionId names')
})
