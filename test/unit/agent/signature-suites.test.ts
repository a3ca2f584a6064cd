/** Keys by which the proofs of JSON-LD documents are verified. */
import { expect, test } from 'vitest'
import { signatureSuites } from '../../../lib/agent/formats/json-ld/signature-suites.ts'

test.each(['Ed25519VerificationKey2018', 'Ed25519VerificationKey2020'])(
  'a proof of Ed25519Signature2020 is verified by a key of type %s, unless it was revoked',
  async (type) => {
    const { suiteClass } = signatureSuites().getByProofType('Ed25519Signature2020')
    const accept = (key: object): Promise<void> => suiteClass.prototype.assertVerificationMethod(key)
    const key = { type, id: 'did:example:issuer#key', controller: 'did:example:issuer' }
    await expect(accept(key)).resolves.toBeUndefined()
    await expect(accept({ ...key, revoked: '2026-01-01T00:00:00Z' })).rejects.toThrow(/not revoked/)
    await expect(accept({ ...key, type: 'X25519KeyAgreementKey2019' })).rejects.toThrow(/Ed25519/)
  },
)
