/** Identifiers of bounded length, and lists of keys: what Credo does with them takes time by the square of the length, or more. */
import { parseBase64 } from '../json.ts'

/** In characters: the longest DID that operations take. */
export const MAX_IDENTIFIER = 4096

/** What Credo matches as a URI or parses as a DID, in messages and in attached documents. */
const IDENTIFIERS = new Set([
  ...['id', '@id', 'did', 'DID', 'to_did', 'kid', 'controller', 'holder', 'issuer', 'verificationMethod'],
  ...['recipientKeys', 'routingKeys', 'serviceEndpoint', 'publicKeyBase58', 'publicKeyMultibase', 'signer', 'uri'],
  ...['thread_id', 'credential_id', 'cred_def_id', 'schema_id', 'rev_reg_id'],
])

/** Keys of a service. Each is looked for among those of its document, and every message is encrypted for each. */
export const MAX_KEYS = 16

const LISTS_OF_KEYS = new Set(['recipientKeys', 'routingKeys'])

/**
 * Whether a message or document, or what is attached to it in base64, has an identifier that is longer than any real one, or a service with more
 * keys.
 */
export const hasLongIdentifier = (value: unknown, name = ''): boolean => {
  if (typeof value === 'string')
    return name === 'base64'
      ? hasLongIdentifier(parseBase64(value))
      : value.length > MAX_IDENTIFIER && IDENTIFIERS.has(name)
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value))
    return (LISTS_OF_KEYS.has(name) && value.length > MAX_KEYS) || value.some((one) => hasLongIdentifier(one, name))
  return Object.entries(value).some(([member, one]) => hasLongIdentifier(one, member))
}
