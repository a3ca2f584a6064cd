/** Attested resources of a did:webvh: content, links and a proof, under an id with the content's hash. */
import { hash } from 'node:crypto'
import { MultibaseEncoding, multibaseDecode, multibaseEncode } from 'didwebvh-ts'
import * as v from 'valibot'
import { canonicalJson, findViolation, parseDocument } from '../json.ts'
import { MAX_ID, SIGNED_JSON_RULES } from './did.ts'

export const sha256 = (text: string): Buffer => hash('sha256', text, 'buffer')

const Id = v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_ID))

/** A later resource that belongs to this one: a status list, with the time from which it is valid (epoch seconds). */
const Link = v.looseObject({
  id: Id,
  type: v.string(),
  timestamp: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
  digestMultibase: v.optional(Id),
})

/** https://www.w3.org/TR/vc-di-eddsa/#eddsa-jcs-2022 */
const Proof = v.looseObject({
  type: v.literal('DataIntegrityProof'),
  cryptosuite: v.literal('eddsa-jcs-2022'),
  proofPurpose: v.literal('assertionMethod'),
  verificationMethod: Id,
  proofValue: v.pipe(v.string(), v.maxLength(200), v.startsWith('z')),
})

/** Unknown members are kept, because the proof covers them. */
const Unsigned = v.looseObject({
  type: v.pipe(
    v.union([v.string(), v.array(v.string())]),
    v.check((type) => [type].flat().includes('AttestedResource'), 'must be an attested resource'),
  ),
  id: Id,
  content: v.record(v.string(), v.unknown()),
  links: v.nullish(v.pipe(v.array(Link), v.maxLength(10_000))),
})

const AttestedResource = v.looseObject({ ...Unsigned.entries, proof: Proof })

export type ResourceLink = v.InferOutput<typeof Link>
export type UnsignedResource = v.InferOutput<typeof Unsigned>
export type AttestedResource = v.InferOutput<typeof AttestedResource>

/**
 * Parses a served resource; undefined if it is malformed. Its proof is not verified here. Throws a `SyntaxError` for
 * what is not JSON.
 */
export const readResource = (text: string): AttestedResource | undefined => {
  const value: unknown = parseDocument(text)
  if (findViolation(value, SIGNED_JSON_RULES) !== undefined) return undefined
  const result = v.safeParse(AttestedResource, value, { abortEarly: true })
  return result.success ? result.output : undefined
}

/** A multihash of SHA-256: its code and its length. */
const SHA_256 = [0x12, 0x20]

/** The name of a resource: the hash of its content as multihash and multibase. */
export const contentHash = (content: unknown): string =>
  multibaseEncode(Uint8Array.from([...SHA_256, ...sha256(canonicalJson(content))]), MultibaseEncoding.BASE58_BTC)

/**
 * The signed bytes: the hash of the proof's options and that of the document.
 * https://www.w3.org/TR/vc-di-eddsa/#hashing-eddsa-jcs-2022
 */
const signedBytes = (document: UnsignedResource, options: object): Uint8Array =>
  Buffer.concat([sha256(canonicalJson(options)), sha256(canonicalJson(document))])

/** Adds a proof with the key of a verification method. `sign` is Ed25519. */
export const attest = async (
  document: UnsignedResource,
  verificationMethod: string,
  sign: (data: Uint8Array) => Promise<Uint8Array>,
): Promise<AttestedResource> => {
  const options = {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-jcs-2022',
    proofPurpose: 'assertionMethod',
    verificationMethod,
  } as const
  const signature = await sign(signedBytes(document, options))
  return { ...document, proof: { ...options, proofValue: multibaseEncode(signature, MultibaseEncoding.BASE58_BTC) } }
}

/** The signed bytes of a resource, and the signature. Throws for a signature that is not multibase. */
export const signatureOf = ({ proof, ...document }: AttestedResource): { data: Uint8Array; signature: Uint8Array } => {
  const { proofValue, ...options } = proof
  return { data: signedBytes(document as UnsignedResource, options), signature: multibaseDecode(proofValue).bytes }
}
