/** The claims of an offer: sealed, in a separate item, which expires before the session. */

import { deflateRawSync, inflateRawSync } from 'node:zlib'
import * as v from 'valibot'
import { ensureDataKey, requireDataKey, seal, unseal } from '../store/data-keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { claimsItem, keyOf } from './claims-item.ts'

/** Of one configuration, in the order of the session's `credentials`. */
const ClaimsOfCredential = v.object({
  payload: v.record(v.string(), v.unknown()),
  disclosureFrame: v.optional(v.record(v.string(), v.unknown())),
})
export type ClaimsOfCredential = v.InferOutput<typeof ClaimsOfCredential>

/** Adds the claims of an offer to the unit of work. */
export const insertClaims = async (
  unit: UnitOfWork,
  sessionId: string,
  claims: readonly ClaimsOfCredential[],
  expiresAt: number,
): Promise<void> => {
  const key = keyOf(unit, sessionId)
  const packed = deflateRawSync(JSON.stringify(claims))
  const sealed = seal(packed, await ensureDataKey(unit, unit.tenant), claimsItem.addressOf(key).pk)
  unit.create(claimsItem.encode({ ...key, sealed, expiresAt }))
}

/** Undefined if they no longer exist, or have expired, to the second. */
export const loadClaims = async (unit: UnitOfWork, sessionId: string): Promise<ClaimsOfCredential[] | undefined> => {
  const key = keyOf(unit, sessionId)
  const stored = await unit.load(claimsItem, key)
  if (stored === undefined) return undefined
  const packed = unseal(stored.sealed, await requireDataKey(unit.tenant), claimsItem.addressOf(key).pk)
  return v.parse(v.array(ClaimsOfCredential), JSON.parse(inflateRawSync(packed).toString()))
}
