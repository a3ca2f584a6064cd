/** Credentials and presentations signed by hand: any key of any DID, and any proof that a library would refuse to make. */
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { Kms } from '@credo-ts/core'
import { documentLoader } from '../../../lib/agent/formats/json-ld/document-loader.ts'
import { canonicalize, newBudget, toQuads } from '../../../lib/agent/formats/json-ld/rdf.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import type { Json } from '../stage/in-process-stage.ts'
import { CREDENTIALS_V1, submissionOf } from './presentations.ts'

const DEGREES = 'https://contexts.example/degrees/v1'

/** Contexts that the verifier of these presentations trusts. */
export const DEGREE_CONTEXTS: Json = { [DEGREES]: { '@context': { degree: 'https://example.org/degree' } } }

/** It asks for a degree. */
export const degreeDefinition = {
  id: 'degree',
  input_descriptors: [
    {
      id: 'degree',
      schema: [{ uri: CREDENTIALS_V1 }],
      constraints: { fields: [{ path: ['$.credentialSubject.degree'] }] },
    },
  ],
}

export interface Signer {
  did: string
  /** DID URL of its key. */
  method: string
  fingerprint: string
  key: KeyObject
}

/** As the suite has it. */
export const JWS_HEADER: Json = { alg: 'EdDSA', b64: false, crit: ['b64'] }

const newSigner = (didOf: (fingerprint: string) => string, fragmentOf: (fingerprint: string) => string): Signer => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)
  const { fingerprint } = Kms.PublicJwk.fromPublicKey({ kty: 'OKP', crv: 'Ed25519', publicKey: bytes })
  const did = didOf(fingerprint)
  return { did, method: `${did}#${fragmentOf(fingerprint)}`, fingerprint, key: privateKey }
}

/** Its key is listed for everything. */
export const keySigner = (): Signer =>
  newSigner(
    (fingerprint) => `did:key:${fingerprint}`,
    (fingerprint) => fingerprint,
  )

/** A did:peer:2, whose key is listed for authentication only (`V`), or for assertions only (`A`). */
export const peerSigner = (purpose: 'A' | 'V'): Signer =>
  newSigner(
    (fingerprint) => `did:peer:2.${purpose}${fingerprint}`,
    () => 'key-1',
  )

export class HandSigning {
  readonly #load: ReturnType<typeof documentLoader>

  /** The wallet resolves DIDs. */
  constructor({ agent }: Wallet) {
    this.#load = documentLoader(agent.context, async (address) => DEGREE_CONTEXTS[address])
  }

  /** A bachelor's degree of a DID. */
  credential(issuer: Signer, subject: string, proofPurpose = 'assertionMethod', jwsHeader?: Json): Promise<Json> {
    const document = {
      '@context': [CREDENTIALS_V1, DEGREES],
      type: ['VerifiableCredential'],
      issuer: issuer.did,
      issuanceDate: '2026-01-01T00:00:00Z',
      credentialSubject: { id: subject, degree: 'Bachelor' },
    }
    return this.signed(document, issuer, { proofPurpose }, jwsHeader)
  }

  /** `proof` holds the challenge, and any other members. */
  presentation(holder: Signer, credential: Json, proof: Json): Promise<Json> {
    const document = {
      '@context': [CREDENTIALS_V1, 'https://identity.foundation/presentation-exchange/submission/v1'],
      type: ['VerifiablePresentation', 'PresentationSubmission'],
      verifiableCredential: [credential],
      presentation_submission: submissionOf(degreeDefinition),
    }
    return this.signed(document, holder, { proofPurpose: 'authentication', ...proof })
  }

  /** Any document. Ed25519Signature2018: the digests of the proof and of the document, as a detached JWS. */
  async signed(document: Json, { key, method }: Signer, more: Json, jwsHeader: Json = JWS_HEADER): Promise<Json> {
    const proof = {
      type: 'Ed25519Signature2018',
      verificationMethod: method,
      created: '2026-01-01T00:00:00Z',
      ...more,
    }
    const header = Buffer.from(JSON.stringify(jwsHeader)).toString('base64url')
    const digests = [await this.#digest({ '@context': document['@context'], ...proof }), await this.#digest(document)]
    const signature = sign(null, Buffer.concat([Buffer.from(`${header}.`), ...digests]), key)
    return { ...document, proof: { ...proof, jws: `${header}..${signature.toString('base64url')}` } }
  }

  async #digest(document: Json): Promise<Buffer> {
    const quads = await canonicalize(await toQuads(document, this.#load, newBudget()), newBudget())
    return createHash('sha256').update(quads).digest()
  }
}
