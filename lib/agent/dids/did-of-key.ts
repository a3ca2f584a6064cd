/**
 * The record of an own did:peer with a single key. It is not stored, but derived from the DID, which is stored in the
 * item of the key.
 */
import { isDeepStrictEqual } from 'node:util'
import { DidDocumentRole, DidRecord, getAlternativeDidsForPeerDid } from '@credo-ts/core'
import type { KeyPurpose } from '../../keys/index.ts'
import { uuidOf } from '../../uuid.ts'
import { type Ed25519Key, keyOfVerkey, verkeyOf } from '../keys/index.ts'

type DidOfKey = NonNullable<KeyPurpose['did']>

/** Ids of the Ed25519 key and of the X25519 key that is derived from it, as Credo names them in a did:peer. */
const KEY_IDS = ['#key-1', '#key-2']

/**
 * The did:peer:2 with a single key, its X25519 form, and an endpoint, as Credo's registrar would create it.
 * https://identity.foundation/peer-did-method-spec/#method-2
 */
export const peerDidOf = (
  key: Pick<Ed25519Key, 'fingerprint'>,
  agreementKey: Pick<Ed25519Key, 'fingerprint'>,
  endpoint: string,
): string => {
  const service = { s: endpoint, t: 'did-communication', priority: 0, recipientKeys: ['#key-1'], r: [] }
  const encoded = Buffer.from(JSON.stringify(service)).toString('base64url')
  return `did:peer:2.V${key.fingerprint}.E${agreementKey.fingerprint}.S${encoded}`
}

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

/** The key and the DID from which this record can be derived; undefined for any other record. */
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
