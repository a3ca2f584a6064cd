/** Ed25519Signature2020 with any type of Ed25519 key: a did:key has one key, and resolvers disagree on the name of its type. */
import { Ed25519Signature2018, Ed25519Signature2020, Kms, SignatureSuiteRegistry } from '@credo-ts/core'
import * as v from 'valibot'

const TYPES = ['Ed25519VerificationKey2018', 'Ed25519VerificationKey2020'] as const

const Key = v.looseObject({ type: v.picklist(TYPES), revoked: v.optional(v.undefined_()) })

/**
 * Credo's suite requires the key type of 2020, which its did:key documents do not have, so that no did:key could sign or verify. Signatures do not
 * cover the type. https://www.w3.org/community/reports/credentials/CG-FINAL-di-eddsa-2020-20220724/
 */
class AnyKeySignature2020 extends Ed25519Signature2020 {
  override async assertVerificationMethod(document: unknown): Promise<void> {
    if (!v.is(Key, document)) throw new TypeError('the verification method is no Ed25519 key that is in force')
  }
}

/** The context of documents that are signed with Ed25519Signature2020: it defines the proof's type. */
export const SUITE_CONTEXT_2020 = Ed25519Signature2020.CONTEXT_URL

/** Types of keys that an issuer may sign with, by type of proof. */
const SIGNING_KEYS: Record<string, readonly string[]> = {
  Ed25519Signature2018: ['Ed25519VerificationKey2018'],
  Ed25519Signature2020: TYPES,
}

export const keyTypesOf = (proofType: string): readonly string[] => SIGNING_KEYS[proofType] ?? []

type SuiteClass = typeof Ed25519Signature2018 | typeof Ed25519Signature2020

/** The agent's suites, each wrapped by `change`. */
export const signatureSuites = (
  change: <Suite extends SuiteClass>(suite: Suite) => Suite = (suite) => suite,
): SignatureSuiteRegistry =>
  new SignatureSuiteRegistry(
    [Ed25519Signature2018, AnyKeySignature2020].map((suite) => {
      const proofType = suite === Ed25519Signature2018 ? 'Ed25519Signature2018' : 'Ed25519Signature2020'
      return {
        suiteClass: change(suite),
        proofType,
        verificationMethodTypes: [...TYPES],
        supportedPublicJwkTypes: [Kms.Ed25519PublicJwk],
      }
    }),
  )
