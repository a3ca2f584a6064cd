/** DIDs that the agent is to be known by: their keys, made or of a seed, and their records. */
import {
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
import { invalidField } from '../errors.ts'
import { PUBLIC_DID } from '../records/did.ts'
import { conflicting } from '../store/faults.ts'
import type { TenantAgent } from './agent.ts'
import { uuidOf } from './hash-id.ts'
import { jwkOfSeed, newKeyId } from './keys/key-pair.ts'

type Agent = Pick<TenantAgent, 'context'>

const KEY_TYPES = {
  ed25519: { kty: 'OKP', crv: 'Ed25519' },
  p256: { kty: 'EC', crv: 'P-256' },
  k256: { kty: 'EC', crv: 'secp256k1' },
} as const satisfies Record<string, Kms.KmsCreateKeyType>

export type KeyType = keyof typeof KEY_TYPES

/** A public key that knows which key of the agent it is. */
const publicKeyOf = (publicJwk: Kms.KmsJwkPublic, keyId: string): Kms.PublicJwk => {
  const key = Kms.PublicJwk.fromUnknown(publicJwk)
  key.keyId = keyId
  return key
}

/** A fresh key of the agent. */
export const newKey = async ({ context }: Agent, keyType: KeyType = 'ed25519'): Promise<Kms.PublicJwk> => {
  const { publicJwk, keyId } = await context.resolve(Kms.KeyManagementApi).createKey({ type: KEY_TYPES[keyType] })
  return publicKeyOf(publicJwk, keyId)
}

/** The Ed25519 key of a seed, which the agent has from now on. The seed itself is kept nowhere. */
export const keyOfSeed = async ({ context }: Agent, seed: string): Promise<Kms.PublicJwk> => {
  const privateJwk = jwkOfSeed(Buffer.from(seed))
  const keyId = newKeyId(privateJwk, undefined)
  const kms = context.resolve(Kms.KeyManagementApi)
  if (!(await hasKey(kms, keyId))) await kms.importKey({ privateJwk })
  return publicKeyOf(Kms.publicJwkFromPrivateJwk(privateJwk), keyId)
}

const hasKey = async (kms: Kms.KeyManagementApi, keyId: string): Promise<boolean> => {
  try {
    return (await kms.getPublicKey({ keyId })) !== null
  } catch (error) {
    if (error instanceof Kms.KeyManagementKeyNotFoundError) return false
    throw error
  }
}

/** The record of a DID that this agent has made. */
export const findOwnDid = async ({ context }: Agent, did: string): Promise<DidRecord | undefined> =>
  (await context.resolve(DidRepository).getCreatedDids(context, { did }))[0]

/**
 * Throws `request.invalid` where another DID of the agent is reached by the key already: envelopes name nothing but the key. The same DID may be
 * there by now, of a concurrent request: the commit finds that out.
 */
export const assertReachesNoOther = async ({ context }: Agent, did: string, key: Kms.PublicJwk): Promise<void> => {
  const found = await context.resolve(DidRepository).findCreatedDidByRecipientKey(context, key)
  if (found !== null && found.did !== did) throw invalidField('seed', 'is of the key of another DID of this agent')
}

export interface OwnDid {
  did: string
  /** As it resolves. */
  didDocument: DidDocument
  /** The document is stored, because it does not follow from the DID. */
  stored?: boolean
  /** Which key of the agent a key of the document is. */
  keys: { didDocumentRelativeKeyId: string; kmsKeyId: string }[]
}

/** The did:key of a key of the agent. Its document is made of the DID alone: one that is made of the key names it by its id here. */
export const ownDidKey = (key: Kms.PublicJwk): OwnDid => {
  const { did } = new DidKey(key)
  const { didDocument } = DidKey.fromDid(did)
  return { did, didDocument, keys: [{ didDocumentRelativeKeyId: `#${key.fingerprint}`, kmsKeyId: key.keyId }] }
}

/**
 * Stores the record of a new DID. Its id follows from the DID: of two that make it at once, one is run again (`store.conflict`) and finds it. The tag `public`
 * distinguishes it from those of single invitations and connections: where it has `recipientKeyFingerprints` too, it may be connected to without an invitation.
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
    // It came between the reads of this unit of work.
    throw error instanceof RecordDuplicateError ? conflicting(error) : error
  }
}
