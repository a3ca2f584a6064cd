/** Codes and nonces of an issuer that are not stored: each is a MAC, under a key that follows from the tenant's data key. */
import { createHmac } from 'node:crypto'
import { AgentError } from '../errors.ts'
import { ensureDataKey, findDataKey, type KeyCreation } from '../store/data-keys.ts'

/** HMAC-SHA256 in base64url. */
export type Mac = (text: string) => string

const macUnder = (dataKey: Uint8Array, issuerId: string): Mac => {
  const key = createHmac('sha256', dataKey).update(`openid4vci ${issuerId}`).digest()
  return (text) => createHmac('sha256', key).update(text).digest('base64url')
}

/** Throws `resource.not_found` for an issuer that has made no offer. */
export const macOf = async (tenant: string, issuerId: string): Promise<Mac> => {
  const dataKey = await findDataKey(tenant)
  if (dataKey === undefined) throw new AgentError('resource.not_found', 'the issuer has not created an offer yet')
  return macUnder(dataKey, issuerId)
}

/** The same; the unit of work creates the data key if necessary. */
export const ensureMac = async (unit: KeyCreation & { tenant: string }, issuerId: string): Promise<Mac> =>
  macUnder(await ensureDataKey(unit, unit.tenant), issuerId)
