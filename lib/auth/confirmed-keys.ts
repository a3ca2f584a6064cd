/** Stored keys of token issuers, as last fetched from their addresses (confirmed). */

import { measure } from '../metrics.ts'
import { defineItem, readItem } from '../store/item.ts'
import { integer, json } from '../store/item-fields.ts'
import { address, digest } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import { putIf } from '../store/write.ts'
import { KeySet, type VerifyingKey } from './key-set.ts'

/** Longer than keys are used. Keys of an issuer that was removed from the settings are deleted after this time. */
const RETENTION_SECONDS = 3 * 24 * 60 * 60

export const issuerKeysItem = defineItem(
  'issuer-keys',
  ({ jwksUri }: { jwksUri: string }) => address(`@issuer-keys|${digest(jwksUri)}`),
  {
    keySet: json(KeySet),
    /** Ms since the epoch. */
    confirmedAt: integer(),
    expiresAt: integer(),
  },
  'service',
)

/** The keys that an issuer's address has served, and when (ms since the epoch). */
export interface ConfirmedKeys {
  keys: VerifyingKey[]
  at: number
}

/** Throws `store.unavailable`. */
export const readConfirmedKeys = async (jwksUri: string): Promise<ConfirmedKeys | undefined> => {
  const item = await readItem(issuerKeysItem, { jwksUri })
  return item && { keys: item.keySet.keys, at: item.confirmedAt }
}

/** Throws `store.unavailable`, `store.conflict`. */
export const storeConfirmedKeys = async (jwksUri: string, { keys, at }: ConfirmedKeys): Promise<void> => {
  const expiresAt = epochSeconds(at) + RETENTION_SECONDS
  await putIf(issuerKeysItem.encode({ jwksUri, keySet: { keys }, confirmedAt: at, expiresAt }))
}

export const logUnconfirmed = (issuer: string, ageMs: number): void =>
  measure(
    'error',
    "issuer's keys not confirmed",
    { event: 'issuer.keys_not_confirmed', issuer, ageMs: Math.round(ageMs) },
    { values: { IssuerKeysNotConfirmed: 1 } },
  )
