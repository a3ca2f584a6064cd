/** SD-JWTs in compact form, with or without key binding: https://www.rfc-editor.org/rfc/rfc9901#section-4 */
import { decodeJwt, type Jwt } from '../jose/jwt.ts'
import type { JsonObject } from '../json.ts'
import { asSdJwtError, SdJwtError } from './errors.ts'

/** Characters. */
const MAX_LENGTH = 256 * 1024
const MAX_DISCLOSURES = 200

export interface SdJwt {
  /** Signed by the issuer; to be verified by the caller. */
  issuerJwt: string
  header: JsonObject
  payload: JsonObject & { vct: string }
  disclosures: string[]
  /** The JWT of the key binding; undefined without one. */
  keyBinding: string | undefined
  /** The text before the key binding, up to the last `~`: `sd_hash` is its hash. */
  presented: string
}

const decodeIssuerJwt = (issuerJwt: string): Jwt => {
  try {
    return decodeJwt(issuerJwt, MAX_LENGTH)
  } catch (error) {
    throw asSdJwtError('format', error)
  }
}

/** Reads an SD-JWT VC without verifying anything. Throws an SdJwtError of the check `format`. */
export const parseSdJwt = (text: unknown): SdJwt => {
  if (typeof text !== 'string') throw new SdJwtError('format', 'the presentation is not a text')
  if (text.length > MAX_LENGTH) throw new SdJwtError('format', `the SD-JWT has over ${MAX_LENGTH} characters`)
  const end = text.lastIndexOf('~')
  if (end === -1) throw new SdJwtError('format', 'the SD-JWT does not end with ~ or a key binding')
  const [issuerJwt = '', ...disclosures] = text.slice(0, end).split('~', MAX_DISCLOSURES + 2)
  if (disclosures.length > MAX_DISCLOSURES)
    throw new SdJwtError('format', `the SD-JWT has over ${MAX_DISCLOSURES} disclosures`)
  const { header, payload } = decodeIssuerJwt(issuerJwt)
  const { vct } = payload
  if (typeof vct !== 'string' || vct === '') throw new SdJwtError('format', 'vct of the SD-JWT is not a text')
  return {
    issuerJwt,
    header,
    payload: { ...payload, vct },
    disclosures,
    keyBinding: text.slice(end + 1) || undefined,
    presented: text.slice(0, end + 1),
  }
}
