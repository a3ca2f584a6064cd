/** Creates the agent's public DIDs: their keys, new or from a seed, and their records. */

import {
  type BaseAgent,
  type DidDocument,
  DidDocumentRole,
  DidKey,
  DidRecord,
  DidRepository,
  getAlternativeDidsForPeerDid,
  isValidPeerDid,
  Kms,
  RecordDuplicateError,
} from '@credo-ts/core'
import { invalidField } from '../../errors.ts'
import { jwkOfSeed } from '../../keys/index.ts'
import { PUBLIC_DID } from '../../records/kinds.ts'
import { conflictError } from '../../store/aws-errors.ts'
import { uuidOf } from '../../uuid.ts'
import { keyManagement, keyOfVerkey, newKeyId, sealedKeys } from '../keys/index.ts'

type Agent = Pick<BaseAgent, 'context'>

const KEY_TYPES = {
  ed25519: { kty: 'OKP', crv: 'Ed25519' },
  p256: { kty: 'EC', crv: 'P-256' },
  k256: { kty: 'EC', crv: 'secp256k1' },
} as const satisfies Record<string, Kms.KmsCreateKeyType>

export type KeyType = keyof typeof KEY_TYPES

/**
 * A public key with the id of the agent's key. An Ed25519 key is read from its id, which is faster than Credo's parser.
 */
const publicKeyOf = (publicJwk: Kms.KmsJwkPublic, keyId: string): Kms.PublicJwk => {
  const key: Kms.PublicJwk = publicJwk.kty === 'OKP' ? keyOfVerkey(keyId) : Kms.PublicJwk.fromUnknown(publicJwk)
  key.keyId = keyId
  return key
}

/** Creates a key without Credo's API, which would build a schema for each key to parse its type. */
export const newKey = async ({ context }: Agent, keyType: KeyType = 'ed25519'): Promise<Kms.PublicJwk> => {
  const { publicJwk, keyId } = await keyManagement.createKey(context, { type: KEY_TYPES[keyType] })
  return publicKeyOf(publicJwk, keyId)
}

/** Stores the Ed25519 key of a seed. The seed itself is not stored. */
export const keyOfSeed = async ({ context }: Agent, seed: string): Promise<Kms.PublicJwk> => {
  const privateJwk = jwkOfSeed(Buffer.from(seed))
  const keyId = newKeyId(privateJwk)
  if ((await sealedKeys.get(context, keyId)) === null)
    await sealedKeys.insert(context, keyId, { ...privateJwk, kid: keyId })
  return publicKeyOf(Kms.publicJwkFromPrivateJwk(privateJwk), keyId)
}

/** The record of a DID that was created by this agent. */
export const findOwnDid = async ({ context }: Agent, did: string): Promise<DidRecord | undefined> =>
  (await context.resolve(DidRepository).getCreatedDids(context, { did }))[0]

/**
 * Throws `request.invalid` if another DID of the agent has this recipient key, because envelopes name only the key. A
 * concurrent request may have created the same DID: the commit detects that.
 */
export const assertKeyUnused = async ({ context }: Agent, did: string, key: Kms.PublicJwk): Promise<void> => {
  const other = await context.resolve(DidRepository).findCreatedDidByRecipientKey(context, key)
  if (other !== null && other.did !== did)
    throw invalidField('seed', 'must not be the seed of another DID of this agent')
}

export interface OwnDid {
  did: string
  /** The resolved document. */
  didDocument: DidDocument
  /** Whether to store the document, because it cannot be derived from the DID. */
  stored?: boolean
  /** Maps keys of the document to keys of the agent. */
  keys: { didDocumentRelativeKeyId: string; kmsKeyId: string }[]
}

/**
 * The did:key of a key of the agent. Its document is built from the DID, because one built from the key would contain
 * the key's id of this agent.
 */
export const ownDidKey = (key: Kms.PublicJwk): OwnDid => {
  const { did } = new DidKey(key)
  const { didDocument } = DidKey.fromDid(did)
  return { did, didDocument, keys: [{ didDocumentRelativeKeyId: `#${key.fingerprint}`, kmsKeyId: key.keyId }] }
}

/**
 * Stores the record of a new DID. Its id is derived from the DID: of two concurrent requests, one is repeated
 * (`store.conflict`) and finds the record. The tag `public` separates it from DIDs of single invitations and
 * connections. With `recipientKeyFingerprints`, other agents may connect to it without an invitation.
 */
export const saveOwnDid = async (
  { context }: Agent,
  { did, didDocument, stored = false, keys }: OwnDid,
): Promise<void> => {
  const alternativeDids = isValidPeerDid(did) ? getAlternativeDidsForPeerDid(did) : undefined
  const recipientKeyFingerprints = didDocument.recipientKeys.map(({ fingerprint }) => fingerprint)
  const record = new DidRecord({
    id: uuidOf(did),
    did,
    role: DidDocumentRole.Created,
    keys,
    tags: {
      [PUBLIC_DID]: true,
      ...(recipientKeyFingerprints.length > 0 && { recipientKeyFingerprints }),
      ...(alternativeDids !== undefined && { alternativeDids }),
    },
    ...(stored && { didDocument }),
  })
  try {
    await context.resolve(DidRepository).save(context, record)
  } catch (error) {
    // It was inserted between the reads of this unit of work.
    throw error instanceof RecordDuplicateError ? conflictError(error) : error
  }
}
