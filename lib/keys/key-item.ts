/** The item of a private key, with the purpose of the key. */
import * as v from 'valibot'
import { didsOfInvitation, ownDidsOf } from '../records/owners.ts'
import { Timestamp } from '../records/record-json.ts'
import { defineItem } from '../store/item.ts'
import { bytes, inKey, integer, optional, packed, text } from '../store/item-fields.ts'
import { type Address, address } from '../store/keys.ts'
import { keysIn, keysOfDid } from './named-keys.ts'

/** What was created together with the key, in the same transaction. It never changes. */
const KeyPurpose = v.object({
  /** A DID of the agent that has only this key, and no record: lib/agent/dids/did-of-key.ts. */
  did: v.optional(v.object({ did: v.string(), createdAt: Timestamp })),
  /** Id of the record of an invitation with this key. No index entry finds it by the key. */
  outOfBandId: v.optional(v.string()),
})
export type KeyPurpose = v.InferOutput<typeof KeyPurpose>

export const keyAddress = (tenant: string, keyId: string): Address => address(`${tenant}|key|${keyId}`)

const partitionsOf = (tenant: string, keyIds: string[]): string[] => keyIds.map((id) => keyAddress(tenant, id).pk)

export const keyItem = defineItem(
  'key',
  ({ tenant, keyId }: { tenant: string; keyId: string }) => keyAddress(tenant, keyId),
  {
    pk: inKey('pk', text()),
    sealed: bytes(),
    purpose: optional(packed(KeyPurpose)),
    expiresAt: optional(integer()),
  },
  {
    shared: {
      ConnectionRecord: ({ tenant, value }) => partitionsOf(tenant, keysIn(ownDidsOf(value))),
      OutOfBandRecord: ({ tenant, value }) => partitionsOf(tenant, keysIn(didsOfInvitation(value))),
      DidRecord: ({ tenant, value }) => partitionsOf(tenant, keysOfDid(value)),
      X509CertificateRecord: ({ tenant, id }) => partitionsOf(tenant, [id]),
    },
  },
)
