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
import { recordKeyOf } from '../store/keys.ts'
import { requireRecord } from '../store/record-reads.ts'
import { addressOf, queryAll } from '../store/table.ts'
import { hasList, statusListUri } from './lists.ts'
import { BITS, readBits } from './pieces.ts'

/** Seconds for which a list may be cached, and for which it is valid. */
export const TTL = 300
const VALIDITY = 24 * 60 * 60

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

const ownerOf = async ({ issuerId, listId }: OfList): Promise<string> => {
  const name = `${issuerId} ${listId}`
  const known = owners.get(name)
  if (known !== undefined) return known
  const tenant = await tenantOfPublicId(issuerId, 'issuer')
  if (!(await hasList(tenant, issuerId, listId))) throw notFound()
  return owners.set(name, tenant)
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
  const { certificateId, formerCertificateIds = [] } = v.parse(StoredIssuer, value)
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

const read = async (list: OfList): Promise<ReadList> => {
  const tenant = await ownerOf(list)
  const [bits, certificate] = await Promise.all([readBits(tenant, list.listId), readSigner(tenant, list.issuerId)])
  const jwk = await storedKeys.get(tenant, certificate.id)
  if (jwk === undefined) throw notFound()
  return { bits, certificate, jwk }
}

const sign = ({ bits, certificate, jwk }: ReadList, { sub, iat }: { sub: string; iat: number }): Promise<string> => {
  const publicJwk = publicJwkOf(jwk)
  const kid = thumbprintOf(publicJwk)
  const lst = deflateSync(bits, COMPRESSION).toString('base64url')
  return signJwt(
    privateKeyOf(jwk),
    // Verifiers use `kid` and `jwk`, or `x5c`.
    { typ: 'statuslist+jwt', kid, jwk: { ...publicJwk, kid }, x5c: certificate.chain },
    { sub, iat, exp: iat + VALIDITY, ttl: TTL, status_list: { bits: BITS, lst } },
  )
}

/** Signed lists by what is in them; at most 8 MB. */
const signed = new Bounded<string, string>(8 * 1024 * 1024, TTL * 1000, ({ length }) => length)

/** A list, signed by its issuer, with a weak validator for caches: a signature differs each time. Throws `resource.not_found`. */
export const statusListToken = async (list: OfList): Promise<{ jwt: string; etag: string }> => {
  const content = await read(list).catch((error) => {
    throw isAgentError(error, 'resource.not_found') ? notFound() : error
  })
  const sub = statusListUri(list.issuerId, list.listId)
  // The same for the time for which it may be cached.
  const iat = Math.floor(Date.now() / 1000 / TTL) * TTL
  const hash = createHash('sha256').update(content.bits).update(`${iat} ${content.jwk.x}`).digest('base64url')
  const name = `${sub} ${content.certificate.id} ${hash}`
  const jwt = signed.get(name) ?? signed.set(name, await sign(content, { sub, iat }))
  return { jwt, etag: `W/"${hash}"` }
}
