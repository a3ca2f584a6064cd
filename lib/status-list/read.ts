/** Reads statuses of credentials: https://datatracker.ietf.org/doc/draft-ietf-oauth-status-list/ (20), section 8.3. */
import { inflateSync } from 'node:zlib'
import * as v from 'valibot'
import { Bounded } from '../bounded.ts'
import { JoseError } from '../jose/errors.ts'
import { type PublicJwk, publicJwk, thumbprintOf } from '../jose/jwk.ts'
import { decodeJwt, verifyJwt } from '../jose/jwt.ts'
import { type JsonObject, memorySizeOf } from '../json.ts'
import { StatusListError } from './errors.ts'
import { MAX_BYTES } from './fetch-list.ts'
import { isOwnList, readList } from './own-list.ts'

/** Bytes of a list when inflated. */
const MAX_INFLATED = 4 * 1024 * 1024
/** Seconds and bytes for which lists are cached. */
const MAX_TTL = 60 * 60
const MAX_CACHED_BYTES = 16 * 1024 * 1024

/** Application-specific ones (section 7.1) have a meaning that only the issuer knows. */
const STATUSES = ['valid', 'invalid', 'suspended'] as const
export type CredentialStatus = (typeof STATUSES)[number] | 'other'

/** Characters. */
const MAX_URI = 2_048

/** `status_list` of a credential's `status` (section 6.2). */
const Reference = v.object({
  uri: v.pipe(v.string(), v.maxLength(MAX_URI)),
  idx: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
})

/** Section 5.1. */
const Payload = v.object({
  sub: v.string(),
  exp: v.optional(v.number(), Number.POSITIVE_INFINITY),
  ttl: v.optional(v.pipe(v.number(), v.minValue(0)), 0),
  status_list: v.object({ bits: v.picklist([1, 2, 4, 8]), lst: v.string() }),
})

interface StatusList {
  header: JsonObject
  /** Of the key that verified it. */
  thumbprint: string
  bits: number
  bytes: Uint8Array
  /** Epoch seconds until which it is cached. */
  until: number
}

/**
 * The public JWK of a trusted signer of the list. It must not be taken from the header without a chain to a trusted
 * certificate. Throws an error whose message the tenant may read.
 */
export type KeyOf = (header: JsonObject) => unknown

export interface ReadOptions {
  /** The JWT at an address. Default: from the table or by the guarded client. Throws a StatusListError. */
  fetchList?: ((uri: string) => Promise<string>) | undefined
  keyOf: KeyOf
  now?: Date | undefined
}

/** With its address. A header can be as long as a list. */
const sizeOf = ({ bytes, header }: StatusList): number => bytes.length + memorySizeOf(header) + MAX_URI

/** Lists by address. */
const cache = new Bounded<string, StatusList>(MAX_CACHED_BYTES, MAX_TTL * 1000, sizeOf)

const parse = <S extends v.GenericSchema>(schema: S, value: unknown, reason: string): v.InferOutput<S> => {
  const { success, output } = v.safeParse(schema, value)
  if (!success) throw new StatusListError(reason)
  return output
}

const inflate = (lst: string): Uint8Array => {
  try {
    // Stops at this length.
    return inflateSync(Buffer.from(lst, 'base64url'), { maxOutputLength: MAX_INFLATED })
  } catch {
    throw new StatusListError(`the list is not compressed with zlib, or has over ${MAX_INFLATED} bytes`)
  }
}

const trustedKey = async (header: JsonObject, keyOf: KeyOf): Promise<PublicJwk> => {
  try {
    return publicJwk(await keyOf(header))
  } catch (error) {
    throw new StatusListError(error instanceof Error ? error.message : 'the key of the list is not trusted')
  }
}

const fetchVerified = async (uri: string, options: ReadOptions): Promise<StatusList> => {
  const { fetchList = readList, keyOf, now = new Date() } = options
  const text = await fetchList(uri)
  const { header } = decodeJwt(text, MAX_BYTES)
  const key = await trustedKey(header, keyOf)
  const rules = { typ: 'statuslist+jwt', required: ['iat'], at: now, maxLength: MAX_BYTES }
  const { payload } = await verifyJwt(text, key, rules)
  const { sub, exp, ttl, status_list } = parse(Payload, payload, 'the JWT is not a status list')
  if (sub !== uri) throw new StatusListError('the list is for another address')
  const until = Math.min(exp, now.getTime() / 1000 + Math.min(ttl, MAX_TTL))
  const { bits, lst } = status_list
  const list = { header, thumbprint: thumbprintOf(key), bits, bytes: inflate(lst), until }
  return isOwnList(uri) ? list : cache.set(uri, list)
}

/** The caller decides on trust: a list that was verified for another caller counts if this one trusts the same key. */
const findCached = async (uri: string, { keyOf, now = new Date() }: ReadOptions): Promise<StatusList | undefined> => {
  const list = cache.get(uri)
  if (list === undefined || list.until <= now.getTime() / 1000) return undefined
  const key = await trustedKey(list.header, keyOf).catch(() => undefined)
  return key !== undefined && thumbprintOf(key) === list.thumbprint ? list : undefined
}

/** Section 4.1: the first status is in the lowest bits of the first byte. */
const statusAt = ({ bits, bytes }: StatusList, index: number): CredentialStatus => {
  const byte = bytes[Math.floor((index * bits) / 8)]
  if (byte === undefined) throw new StatusListError('the list has no status at this index')
  return STATUSES[(byte >> ((index * bits) % 8)) & (2 ** bits - 1)] ?? 'other'
}

/** The status of one credential. Throws a StatusListError if it cannot be read and verified. */
export const readStatus = async (
  reference: { uri: unknown; idx: unknown },
  options: ReadOptions,
): Promise<CredentialStatus> => {
  const { uri, idx } = parse(Reference, reference, 'the status of the credential does not refer to a list')
  try {
    return statusAt((await findCached(uri, options)) ?? (await fetchVerified(uri, options)), idx)
  } catch (error) {
    throw error instanceof JoseError ? new StatusListError(error.message) : error
  }
}
