/** Bounds the length of identifiers, and the number of keys of a service: Credo processes them in quadratic time or worse. */
import { parseBase64 } from '../json.ts'

/** In characters, also of DIDs in requests to the API. */
export const MAX_IDENTIFIER = 4096

/** Members that Credo matches as URIs or parses as DIDs, in messages and attachments. */
const IDENTIFIERS = new Set([
  ...['id', '@id', 'did', 'DID', 'to_did', 'kid', 'controller', 'holder', 'issuer', 'verificationMethod'],
  ...['recipientKeys', 'routingKeys', 'serviceEndpoint', 'publicKeyBase58', 'publicKeyMultibase', 'signer', 'uri'],
  ...['thread_id', 'credential_id', 'cred_def_id', 'schema_id', 'rev_reg_id'],
])

/** Keys of a service. Each is looked for among those of its document, and every message is encrypted for each. */
export const MAX_KEYS = 16

const LISTS_OF_KEYS = new Set(['recipientKeys', 'routingKeys'])

/** Whether a message or document, including its base64 attachments, has an identifier that is too long, or a service with too many keys. */
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
