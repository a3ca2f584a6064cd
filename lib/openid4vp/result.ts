/** The claims that a wallet has disclosed in a verification session: a separate item, which expires before the session. */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import type { Claims } from '../records/openid4vp.ts'
import { defineItem, readItem } from '../store/item.ts'
import { integer, packed } from '../store/item-fields.ts'
import { address } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

/** The key is that of the session. `claims` by query id; `expiresAt` in epoch seconds. */
export const resultItem = defineItem(
  'openid4vp-result',
  ({ tenant, sessionId }: { tenant: string; sessionId: string }) => address(`${tenant}|openid4vp-result|${sessionId}`),
  {
    // Not `v.record`, which drops names such as `constructor`.
    claims: packed(v.custom<Claims>(isObject)),
    expiresAt: integer(),
  },
  { OpenId4VcVerificationSessionRecord: ({ tenant, id }) => [`${tenant}|openid4vp-result|${id}`] },
)

/** The claims; undefined if there are none, or they have expired, to the second. */
export const readClaims = async (tenant: string, sessionId: string): Promise<Claims | undefined> =>
  (await readItem(resultItem, { tenant, sessionId }))?.claims

/** Deletes the claims of a session. */
export const deleteResult = (unit: UnitOfWork, sessionId: string): void =>
  unit.delete(resultItem.addressOf({ tenant: unit.tenant, sessionId }))
