/**
 * The record of an own did:peer that has a single key: it follows from the DID, which the key's item names, and is not
 * stored.
 */
import { isDeepStrictEqual } from 'node:util'
import { DidDocumentRole, DidRecord, getAlternativeDidsForPeerDid } from '@credo-ts/core'
import { uuidOf } from '../../hash-id.ts'
import { type Ed25519Key, type KeyPurpose, keyOfVerkey, verkeyOf } from '../keys/index.ts'

type DidOfKey = NonNullable<KeyPurpose['did']>

/** Ids of the Ed25519 key and of the X25519 key that is derived from it, as Credo names them in a did:peer. */
const KEY_IDS = ['#key-1', '#key-2']

/** The record of a DID with this key. */
export const toDidRecord = ({ did, createdAt }: DidOfKey, key: Ed25519Key): DidRecord => {
  const alternativeDids = getAlternativeDidsForPeerDid(did)
  const record = new DidRecord({
    id: uuidOf(did),
    did,
    role: DidDocumentRole.Created,
    createdAt: new Date(createdAt),
    keys: KEY_IDS.map((id) => ({ didDocumentRelativeKeyId: id, kmsKeyId: verkeyOf(key) })),
    tags: { recipientKeyFingerprints: [key.fingerprint], ...(alternativeDids && { alternativeDids }) },
  })
  record.updatedAt = record.createdAt
  return record
}

/** The key and the DID from which this record follows; undefined for any other record. */
export const didOfKeyIn = (record: DidRecord): { key: Ed25519Key; did: DidOfKey } | undefined => {
  const [kmsKeyId] = (record.keys ?? []).map((one) => one.kmsKeyId)
  const did = { did: record.did, createdAt: record.createdAt.toISOString() }
  try {
    const key = keyOfVerkey(kmsKeyId ?? '')
    return isDeepStrictEqual(contentOf(toDidRecord(did, key)), contentOf(record)) ? { key, did } : undefined
  } catch {
    // The key is of another type, or the DID of another method.
    return undefined
  }
}

const contentOf = (record: DidRecord): unknown => {
  const { id: _, updatedAt: __, _tags: ___, ...value } = record.toJSON()
  return JSON.parse(JSON.stringify({ value, tags: record.getTags() }))
}
