/**
 * The addresses of an invitation: the long one contains it, the short one fits into a QR code, and the third opens a
 * wallet.
 */
import type { JsonObject } from '../json.ts'
import { settings } from '../settings.ts'

/**
 * Maximum length of an address, in characters. The gateway accepts 10,240 bytes of request line and headers together.
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const MAX_ADDRESS = 7_000

/**
 * The query that contains an invitation: `c_i` for one of the connections protocol (Aries RFC 0160), `oob` for all
 * others (RFC 0434).
 */
const queryOf = (invitation: JsonObject): string => {
  const name = /\/connections\/1\.\d+\/invitation$/.test(String(invitation['@type'])) ? 'c_i' : 'oob'
  return `?${name}=${Buffer.from(JSON.stringify(invitation)).toString('base64url')}`
}

/** Undefined if it would be too long. */
export const longAddress = (invitation: JsonObject): string | undefined => {
  const address = settings().PUBLIC_URL + queryOf(invitation)
  return address.length > MAX_ADDRESS ? undefined : address
}

export const shortAddress = ({ '@id': id }: JsonObject): string =>
  `${settings().PUBLIC_URL}/url/${encodeURIComponent(String(id))}`

export const walletAddress = (invitation: JsonObject): string => `didcomm://invite${queryOf(invitation)}`
