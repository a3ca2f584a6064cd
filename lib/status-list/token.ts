/** The status lists of this service as JWTs: https://datatracker.ietf.org/doc/draft-ietf-oauth-status-list/ (20), section 5.1. */
import { createHash } from 'node:crypto'
import { constants, deflateSync } from 'node:zlib'
import * as v from 'valibot'
import { Bounded } from '../bounded.ts'
import { AgentError, isAgentError } from '../errors.ts'
import { thumbprintOf } from '../jose/jwk.ts'
import { signJwt } from '../jose/jwt.ts'
import { type PrivateJwk, privateKeyOf, publicJwkOf } from '../keys/key-pair.ts'
import { storedKeys } from '../keys/stored-keys.ts'
import { tenantOfPublicId } from '../openid/public-ids.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords, issuerRecords } from '../records/openid-kinds.ts'
import { StoredIssuer } from '../records/openid4vci.ts'
import { allRecordsPartition } from '../store/index-entries.ts'
import { readItem } from '../store/item.ts'
import { digest, recordKeyOf } from '../store/keys.ts'
import { requireRecord } from '../store/record-reads.ts'
import { addressOf, epochSeconds, queryAll } from '../store/table.ts'
import { putIf } from '../store/write.ts'
import { hasList, type ListHead, statusListUri } from './lists.ts'
import { BITS, readBits } from './pieces.ts'
import { signedListItem } from './signed-list.ts'

/** Seconds for which a list may be cached, and for which it is valid. */
const TTL = 300
const VALIDITY = 24 * 60 * 60
/** Seconds for which a list may be cached that never changes again. */
const LAST_TTL = 24 * 60 * 60

/**
 * Lists are runs of zeros with few other bits between. Where zlib looks for longer repetitions it takes 30 ms for
 * 10,000 revoked credentials, instead of 0.5, and gains nothing.
 */
const COMPRESSION = { level: 9, strategy: constants.Z_RLE }

/** The same for unknown lists, and those of another issuer. */
const notFound = () => new AgentError('resource.not_found', 'there is no such status list')

interface OfList {
  issuerId: string
  listId: string
}

/** Tenants of lists, which never change. Whether the issuer still exists is read each time. */
const owners = new Bounded<string, string>(10_000)

const nameOf = ({ issuerId, listId }: OfList): string => `${issuerId} ${listId}`

const assertListed = async (tenant: string, list: OfList): Promise<void> => {
  const name = nameOf(list)
  if (owners.get(name) !== undefined) return
  if (!(await hasList(tenant, list.issuerId, list.listId))) throw notFound()
  owners.set(name, tenant)
}

/** Certificates, of which only the state changes. */
const certificates = new Bounded<string, StoredCertificate>(1_000, TTL * 1000)

const readCertificate = async (tenant: string, id: string): Promise<StoredCertificate> => {
  const name = `${tenant} ${id}`
  const read = async () => v.parse(StoredCertificate, (await requireRecord(tenant, certificateRecords.type, id)).value)
  return certificates.get(name) ?? certificates.set(name, await read())
}

/** The issuer's current certificate. If it names none: the one that has signed last, or else the tenant's only one. */
const readSigner = async (tenant: string, issuerId: string): Promise<StoredCertificate> => {
  const { value } = await requireRecord(tenant, issuerRecords.type, issuerId)
  const { certificateId, formerCertificateIds = [], listsEnded } = v.parse(StoredIssuer, value)
  if (listsEnded) throw notFound()
  const chosen = certificateId ?? formerCertificateIds.at(-1)
  if (chosen !== undefined) return readCertificate(tenant, chosen)
  // The oldest first.
  const entries = await queryAll(allRecordsPartition(tenant, certificateRecords.type))
  const all = await Promise.all(entries.map((entry) => readCertificate(tenant, recordKeyOf(addressOf(entry)).id)))
  const now = new Date().toISOString()
  const signer = all.find(({ isCa, notAfter }) => !isCa && notAfter > now) ?? all[0]
  if (signer === undefined) throw notFound()
  return signer
}

interface ReadList {
  bits: Uint8Array
  certificate: StoredCertificate
  jwk: PrivateJwk
}

const read = async (tenant: string, list: OfList): Promise<ReadList> => {
  // In this order: after the removal of a tenant its lists have no bits, as if all were valid, and the key may be cached.
  const bits = await readBits(tenant, list.listId)
  const certificate = await readSigner(tenant, list.issuerId)
  const jwk = await storedKeys.get(tenant, certificate.id)
  if (jwk === undefined) throw notFound()
  return { bits, certificate, jwk }
}

interface Times {
  /** Epoch seconds. */
  iat: number
  exp: number
  /** Seconds. */
  ttl: number
}

const sign = ({ bits, certificate, jwk }: ReadList, sub: string, { iat, exp, ttl }: Times): Promise<string> => {
  const publicJwk = publicJwkOf(jwk)
  const kid = thumbprintOf(publicJwk)
  const lst = deflateSync(bits, COMPRESSION).toString('base64url')
  return signJwt(
    privateKeyOf(jwk),
    // Verifiers use `kid` and `jwk`, or `x5c`.
    { typ: 'statuslist+jwt', kid, jwk: { ...publicJwk, kid }, x5c: certificate.chain },
    { sub, iat, exp, ttl, status_list: { bits: BITS, lst } },
  )
}

/** Signed lists by what is in them; at most 8 MB. */
const signed = new Bounded<string, string>(8 * 1024 * 1024, TTL * 1000, ({ length }) => length)

interface ListToken {
  jwt: string
  /** Of a list that is signed now it is weak: a signature differs each time. */
  etag: string
  /** Seconds for which it may be cached. */
  ttl: number
}

const signedNow = async (tenant: string, list: OfList): Promise<ListToken> => {
  await assertListed(tenant, list)
  const content = await read(tenant, list)
  const sub = statusListUri(list.issuerId, list.listId)
  // The same for the time for which it may be cached.
  const iat = Math.floor(Date.now() / 1000 / TTL) * TTL
  const hash = createHash('sha256').update(content.bits).update(`${iat} ${content.jwk.x}`).digest('base64url')
  const name = `${sub} ${content.certificate.id} ${hash}`
  const times = { iat, exp: iat + VALIDITY, ttl: TTL }
  const jwt = signed.get(name) ?? signed.set(name, await sign(content, sub, times))
  return { jwt, etag: `W/"${hash}"`, ttl: TTL }
}

const unlessMissing = (error: unknown): undefined => {
  if (!isAgentError(error, 'resource.not_found')) throw error
}

/** A list, signed by its issuer; of a removed tenant as it was stored. Throws `resource.not_found`. */
export const statusListToken = async (list: OfList): Promise<ListToken> => {
  const tenant = owners.get(nameOf(list)) ?? (await tenantOfPublicId(list.issuerId, 'issuer').catch(unlessMissing))
  if (tenant === undefined) throw notFound()
  const current = await signedNow(tenant, list).catch(unlessMissing)
  if (current !== undefined) return current
  const stored = await readItem(signedListItem, { tenant, ...list })
  if (stored === undefined) throw notFound()
  return { jwt: stored.jwt, etag: `"${digest(stored.jwt)}"`, ttl: LAST_TTL }
}

/**
 * Signs a list for the last time, and stores it: valid until the last credential in it ends, or the certificate that
 * signs it. Without a key nothing changes. Throws `store.unavailable`.
 */
export const storeSigned = async (tenant: string, issuerId: string, { listId, until }: ListHead): Promise<void> => {
  const content = await read(tenant, { issuerId, listId }).catch(unlessMissing)
  if (content === undefined) return
  const end = Math.min(Date.parse(until), Date.parse(content.certificate.notAfter))
  const times = { iat: epochSeconds(), exp: epochSeconds(end), ttl: LAST_TTL }
  const jwt = await sign(content, statusListUri(issuerId, listId), times)
  await putIf(signedListItem.encode({ tenant, issuerId, listId, jwt }))
}
