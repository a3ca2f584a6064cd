/** Ids of the keys that DIDs and their records name. */
import { isObject } from '../json.ts'
import { fromBase58, toBase58 } from '../store/packing/base58.ts'

/** Multibase and multicodec of an Ed25519 key: https://w3c-ccg.github.io/did-key-spec/#ed25519-x25519 */
const FINGERPRINT = /z(6Mk[1-9A-HJ-NP-Za-km-z]{44})/g
const CODEC_BYTES = 2

const BASE58_KEY = /"publicKeyBase58":"([1-9A-HJ-NP-Za-km-z]{43,44})"/g

/** The document in the long form of a did:peer:4: https://identity.foundation/peer-did-method-spec/#method-4-short-form-and-long-form */
const DOCUMENT = /^did:peer:4[^:]+:z([2-9A-HJ-NP-Za-km-z][1-9A-HJ-NP-Za-km-z]{0,5000})$/

/** Ids of the Ed25519 keys in did:keys and did:peers: their bytes in base58. */
export const keysIn = (dids: string[]): string[] => {
  const texts = dids.map((did) => {
    const [, document] = DOCUMENT.exec(did) ?? []
    return document === undefined ? did : fromBase58(document).toString('latin1')
  })
  return texts.flatMap((text) => [
    ...[...text.matchAll(FINGERPRINT)].map(([, key = '']) => keyIdOf(fromBase58(key))),
    ...[...text.matchAll(BASE58_KEY)].map(([, key = '']) => key),
  ])
}

const CODEC = Buffer.from([0xed, 0x01])
const KEY_ID = /^(1*)([1-9A-HJ-NP-Za-km-z]{0,44})$/

/** The fingerprint of an Ed25519 key by its id; undefined for the id of any other key. */
export const fingerprintOf = (keyId: string): string | undefined => {
  const [, zeros, rest] = KEY_ID.exec(keyId) ?? []
  if (zeros === undefined || rest === undefined) return undefined
  return `z${toBase58(Buffer.concat([CODEC, Buffer.alloc(zeros.length), fromBase58(rest)]))}`
}

const keyIdOf = (key: Buffer): string => {
  const bytes = key.subarray(CODEC_BYTES)
  const zeros = bytes.findIndex((byte) => byte !== 0)
  // Other agents may name a key of zeros.
  return zeros === -1 ? '1'.repeat(bytes.length) : '1'.repeat(zeros) + toBase58(bytes.subarray(zeros))
}

/** Ids of the keys in the record of a DID. */
export const keysOfDid = ({ keys }: Readonly<Record<string, unknown>>): string[] =>
  [keys].flat().flatMap((key) => (isObject(key) && typeof key.kmsKeyId === 'string' ? [key.kmsKeyId] : []))
