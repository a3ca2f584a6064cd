/** The item of an offer's claims, which expires before the session. Nothing here decrypts it. */
import { defineItem } from '../store/item.ts'
import { bytes, integer } from '../store/item-fields.ts'
import { address } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** `expiresAt` in epoch seconds. */
export const claimsItem = defineItem(
  'openid4vci-claims',
  ({ tenant, sessionId }: { tenant: string; sessionId: string }) => address(`${tenant}|openid4vci-claims|${sessionId}`),
  { sealed: bytes(), expiresAt: integer() },
  { OpenId4VcIssuanceSessionRecord: ({ tenant, id }) => [`${tenant}|openid4vci-claims|${id}`] },
)

export const keyOf = (unit: UnitOfWork, sessionId: string) => ({ tenant: unit.tenant, sessionId })

/** Changes when claims expire (epoch seconds). Does nothing if they no longer exist. */
export const expireClaims = (unit: UnitOfWork, sessionId: string, expiresAt: number): void => {
  const set = claimsItem.attributes({ expiresAt })
  unit.change(claimsItem.addressOf(keyOf(unit, sessionId)), { set }, { present: ['sealed'] }, true)
}

export const deleteClaims = (unit: UnitOfWork, sessionId: string): void =>
  unit.delete(claimsItem.addressOf(keyOf(unit, sessionId)))
