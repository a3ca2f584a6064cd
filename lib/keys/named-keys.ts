/** Ids of the keys that DIDs and their records name. */
import { isObject } from '../json.ts'
import { fromBase58, toBase58 } from '../store/packing/base58.ts'

/** Multibase and multicodec of an Ed25519 key: https://w3c-ccg.github.io/did-key-spec/#ed25519-x25519 */
const FINGERPRINT = /z(6Mk[1-9A-HJ-NP-Za-km-z]{44})/g
const CODEC_BYTES = 2

/** Ids of the Ed25519 keys in did:keys and did:peer:2s: their bytes in base58. */
export const keysIn = (dids: string[]): string[] =>
  dids.flatMap((did) => [...did.matchAll(FINGERPRINT)].map(([, key = '']) => keyIdOf(fromBase58(key))))

const keyIdOf = (key: Buffer): string => {
  const bytes = key.subarray(CODEC_BYTES)
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros) + toBase58(bytes)
}

/** Ids of the keys in the record of a DID. */
export const keysOfDid = ({ keys }: Readonly<Record<string, unknown>>): string[] =>
  [keys].flat().flatMap((key) => (isObject(key) && typeof key.kmsKeyId === 'string' ? [key.kmsKeyId] : []))
