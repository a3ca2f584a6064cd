/** The item of a private key, which also holds what the key was created for. */
import * as v from 'valibot'
import { Timestamp } from '../records/record-json.ts'
import { defineItem } from '../store/item.ts'
import { bytes, inKey, integer, optional, packed, text } from '../store/item-fields.ts'
import { type Address, address } from '../store/keys.ts'

/** What a key was created for, in the same transaction. It never changes. */
const KeyPurpose = v.object({
  /** A DID of the agent that has no other key and no record of its own: lib/agent/dids/did-of-key.ts. */
  did: v.optional(v.object({ did: v.string(), createdAt: Timestamp })),
  /** Id of the record of an invitation, which no index entry names by this key. */
  outOfBandId: v.optional(v.string()),
})
export type KeyPurpose = v.InferOutput<typeof KeyPurpose>

export const keyAddress = (tenant: string, keyId: string): Address => address(`${tenant}|key|${keyId}`)

export const keyItem = defineItem(
  'key',
  ({ tenant, keyId }: { tenant: string; keyId: string }) => keyAddress(tenant, keyId),
  {
    pk: inKey('pk', text()),
    sealed: bytes(),
    purpose: optional(packed(KeyPurpose)),
    expiresAt: optional(integer()),
  },
)
