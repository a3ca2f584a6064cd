/** Credo's signature suites within limits, which record the quads that each signature was verified over. */
import {
  CredoError,
  type Ed25519Signature2018,
  type Ed25519Signature2020,
  type SignatureSuiteRegistry,
} from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { signatureSuites } from './ed25519-signature-2020.ts'
import { type Budget, canonicalize, toQuads } from './rdf.ts'

/** The verified quads (N-Quads) by proof, which is the object that the suite got. */
export type VerifiedQuads = WeakMap<object, string>

/** Of a proof, `expires`: a holder may call it by any name that means this. Data Integrity 1.0, section 2.1. */
const EXPIRATION = /<https:\/\/w3id\.org\/security#expiration> "([^"]*)"/g

const assertInTime = (quads: string): void => {
  for (const [, until = ''] of quads.matchAll(EXPIRATION))
    if (!(Date.parse(until) > Date.now())) throw new CredoError('a proof has expired')
}

interface ProofOptions {
  proof: object
  document: object
}

const recording = <Suite extends typeof Ed25519Signature2018 | typeof Ed25519Signature2020>(
  suite: Suite,
  verified: VerifiedQuads,
  budget: Budget,
): Suite => {
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
  } as unknown as Suite
}

/** The suites of one verification. */
export const recordingSuites = (verified: VerifiedQuads, budget: Budget): SignatureSuiteRegistry =>
  signatureSuites((suite) => recording(suite, verified, budget))
