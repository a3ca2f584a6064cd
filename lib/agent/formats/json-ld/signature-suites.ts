/**
 * Credo's Ed25519 signature suites with stricter checks, and the suites of one verification: within a budget, recording
 * the quads that each signature covers.
 */
import { isDeepStrictEqual } from 'node:util'
import { CredoError, Ed25519Signature2018, Ed25519Signature2020, Kms, SignatureSuiteRegistry } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import * as v from 'valibot'
import { isObject, parseBase64 } from '../../../json.ts'
import { MAX_KEY } from '../../envelopes/index.ts'
import { type Budget, canonicalize, toQuads } from './rdf.ts'
import { readStatements, type Statements } from './signed-json.ts'

const TYPES = ['Ed25519VerificationKey2018', 'Ed25519VerificationKey2020'] as const

const Key = v.looseObject({ type: v.picklist(TYPES), revoked: v.optional(v.undefined_()) })

/**
 * Credo's suite requires the key type of 2020, which its did:key documents do not have, so that no did:key could sign
 * or verify. Signatures do not cover the type.
 * https://www.w3.org/community/reports/credentials/CG-FINAL-di-eddsa-2020-20220724/
 */
class AnyKeySignature2020 extends Ed25519Signature2020 {
  override async assertVerificationMethod(document: unknown): Promise<void> {
    if (!v.is(Key, document)) throw new TypeError('the verification method must be an Ed25519 key that is not revoked')
  }

  /** Checked here, because the holder may use an alias of `proofValue`; decoding base58 takes quadratic time. */
  override async verifySignature(options: Parameters<Ed25519Signature2020['verifySignature']>[0]) {
    if (String(options.proof.proofValue).length > MAX_KEY) throw new TypeError('the signature is too long')
    return super.verifySignature(options)
  }
}

/** JWS with an unencoded, detached payload: RFC 7797, section 6. */
const JWS_HEADER = { alg: 'EdDSA', b64: false, crit: ['b64'] }

/**
 * Credo's suite checks the header of a JWS only if it has exactly three members.
 * https://w3c-ccg.github.io/lds-ed25519-2018/
 */
class StrictHeaderSignature2018 extends Ed25519Signature2018 {
  override async verifySignature(options: Parameters<Ed25519Signature2018['verifySignature']>[0]) {
    const [header = '', ...others] = String(options.proof.jws).split('.')
    if (!isDeepStrictEqual(parseBase64(header), JWS_HEADER) || others.length !== 2 || others[0] !== '')
      throw new TypeError('the signature is not a JWS of its suite')
    return super.verifySignature(options)
  }
}

/** The context of documents that are signed with Ed25519Signature2020: it defines the proof's type. */
export const SUITE_CONTEXT_2020 = Ed25519Signature2020.CONTEXT_URL

/** Types of keys with which an issuer may sign, by type of proof. */
const SIGNING_KEYS: Record<string, readonly string[]> = {
  Ed25519Signature2018: ['Ed25519VerificationKey2018'],
  Ed25519Signature2020: TYPES,
}

export const keyTypesOf = (proofType: string): readonly string[] => SIGNING_KEYS[proofType] ?? []

type SuiteClass = typeof Ed25519Signature2018 | typeof Ed25519Signature2020

/** The agent's suites, each extended by `change`. */
export const signatureSuites = (change: (suite: SuiteClass) => SuiteClass = (suite) => suite): SignatureSuiteRegistry =>
  new SignatureSuiteRegistry(
    [StrictHeaderSignature2018, AnyKeySignature2020].map((suite) => {
      const proofType = suite === StrictHeaderSignature2018 ? 'Ed25519Signature2018' : 'Ed25519Signature2020'
      return {
        suiteClass: change(suite),
        proofType,
        verificationMethodTypes: [...TYPES],
        supportedPublicJwkTypes: [Kms.Ed25519PublicJwk],
      }
    }),
  )

/** The verified quads (N-Quads) by the proof object that the suite received. */
export type VerifiedQuads = WeakMap<object, string>

/** The library's result for a document with one valid proof. */
export const Verified = v.object({
  results: v.strictTuple([
    v.looseObject({
      proof: v.custom<Record<string, unknown>>(isObject),
      verified: v.literal(true),
      verificationMethod: v.looseObject({ controller: v.string() }),
    }),
  ]),
})
export type Verified = v.InferOutput<typeof Verified>

/** The statements that a document's verified signature covers. */
export const signedStatements = (
  verified: VerifiedQuads,
  { results: [{ proof }] }: Verified,
  type: string,
): Promise<Statements> => {
  const quads = verified.get(proof)
  if (quads === undefined) throw new CredoError('a proof was not verified')
  return readStatements(quads, type)
}

/** `expires` of a proof (Data Integrity 1.0, section 2.1) in its quads, because a holder may use an alias. */
const EXPIRATION = /<https:\/\/w3id\.org\/security#expiration> "([^"]*)"/g

const assertInTime = (quads: string): void => {
  for (const [, until = ''] of quads.matchAll(EXPIRATION))
    if (!(Date.parse(until) > Date.now())) throw new CredoError('a proof has expired')
}

interface ProofOptions {
  proof: object
  document: object
}

const recordingSuite = (suite: SuiteClass, verified: VerifiedQuads, budget: Budget): SuiteClass => {
  const quadsOf = new WeakMap<object, string>()
  // The suites extend a class of a JavaScript package, so inherited methods have no types.
  return class extends (suite as typeof Ed25519Signature2018) {
    async canonize(document: object, { documentLoader }: { documentLoader: DocumentLoader }): Promise<string> {
      const quads = await toQuads(document, documentLoader, budget)
      assertInTime(quads)
      quadsOf.set(document, quads)
      return canonicalize(quads, budget)
    }

    async verifyProof(options: ProofOptions): Promise<{ verified: boolean }> {
      const result = await super.verifyProof(options)
      const quads = quadsOf.get(options.document)
      if (result.verified && quads !== undefined) verified.set(options.proof, quads)
      return result
    }
  }
}

/** The suites of one verification. */
export const recordingSuites = (verified: VerifiedQuads, budget: Budget): SignatureSuiteRegistry =>
  signatureSuites((suite) => recordingSuite(suite, verified, budget))
