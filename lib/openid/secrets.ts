/** Hashes and codes of OpenID4VC, in base64url. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { ensureDataKey, type KeyCreation, openDataKey } from '../store/data-keys.ts'

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('base64url')

/** Compares texts of any length in constant time. */
export const isSame = (one: string, other: string): boolean =>
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest())

/** Makes codes that are not stored: HMAC-SHA256 under a key that follows from the tenant's data key. */
export type Mac = (text: string) => string

const macUnder = (dataKey: Uint8Array, of: string): Mac => {
  const key = createHmac('sha256', dataKey).update(`openid4vci ${of}`).digest()
  return (text) => createHmac('sha256', key).update(text).digest('base64url')
}

/** Of an issuer whose tenant has a data key: one that has made an offer. */
export const macOf = async (tenant: string, issuerId: string): Promise<Mac> =>
  macUnder(await openDataKey(tenant), issuerId)

/** The same; the unit of work makes the data key if there is none. */
export const ensureMac = async (unit: KeyCreation & { tenant: string }, issuerId: string): Promise<Mac> =>
  macUnder(await ensureDataKey(unit, unit.tenant), issuerId)
