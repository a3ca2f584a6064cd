/** The status lists of this service as JWTs: https://datatracker.ietf.org/doc/draft-ietf-oauth-status-list/ (20), section 5.1. */
import { createHash } from 'node:crypto'
import { constants, deflateSync } from 'node:zlib'
import * as v from 'valibot'
import { AgentError, isAgentError } from '../errors.ts'
import { thumbprintOf } from '../jose/jwk.ts'
import { signJwt } from '../jose/jwt.ts'
import { privateKeyOf, publicJwkOf } from '../keys/key-pair.ts'
import { storedKeys } from '../keys/stored-keys.ts'
import { tenantOfPublicId } from '../openid/public-ids.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { EVERY } from '../records/define-record.ts'
import { certificateRecords, issuerRecords } from '../records/openid-kinds.ts'
import { StoredIssuer } from '../records/openid4vci.ts'
import { readTagged, requireRecord } from '../store/record-reads.ts'
import { hasList, statusListUri } from './lists.ts'
import { BITS, readBits } from './pieces.ts'

/** Seconds for which a list may be cached, and for which it is valid. */
export const TTL = 300
const VALIDITY = 24 * 60 * 60

/**
 * Lists are runs of zeros with few others between. Where zlib looks for longer repetitions it takes 30 ms for 10,000
 * revoked credentials, in place of 0.5, and gains nothing.
 */
const COMPRESSION = { level: 9, strategy: constants.Z_RLE }

/** Unknown lists, and those of others, are told apart by no caller. */
const notFound = () => new AgentError('resource.not_found', 'there is no such status list')

const parseCertificate = ({ value }: { value: unknown }) => v.parse(StoredCertificate, value)

/**
 * The issuer's certificate of now. Without a choice the tenant's only one; where others were added since, the one that has
 * signed so far.
 */
const readSigner = async (tenant: string, { certificateId }: StoredIssuer): Promise<StoredCertificate> => {
  if (certificateId !== undefined)
    return parseCertificate(await requireRecord(tenant, certificateRecords.type, certificateId))
  const all = (await readTagged(tenant, certificateRecords, EVERY, EVERY)).map(parseCertificate)
  all.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt))
  const now = new Date().toISOString()
  const signer = all.find(({ isCa, notAfter }) => !isCa && notAfter > now) ?? all[0]
  if (signer === undefined) throw notFound()
  return signer
}

interface OfList {
  issuerId: string
  listId: string
}

const read = async ({ issuerId, listId }: OfList) => {
  const tenant = await tenantOfPublicId(issuerId, 'issuer')
  const [bits, isKnown, { chain, jwk }] = await Promise.all([
    readBits(tenant, listId),
    hasList(tenant, issuerId, listId),
    requireRecord(tenant, issuerRecords.type, issuerId).then(async ({ value }) => {
      const { id, chain } = await readSigner(tenant, v.parse(StoredIssuer, value))
      return { chain, jwk: await storedKeys.get(tenant, id) }
    }),
  ])
  if (!isKnown || jwk === undefined) throw notFound()
  return { bits, chain, jwk }
}

/** A list, signed by its issuer, with a weak validator for caches: the signature differs each time. Throws `resource.not_found`. */
export const statusListToken = async (list: OfList): Promise<{ jwt: string; etag: string }> => {
  const { bits, chain, jwk } = await read(list).catch((error) => {
    throw isAgentError(error, 'resource.not_found') ? notFound() : error
  })
  const publicJwk = publicJwkOf(jwk)
  const kid = thumbprintOf(publicJwk)
  // Within the time for which it may be cached, it is the same.
  const iat = Math.floor(Date.now() / 1000 / TTL) * TTL
  const lst = deflateSync(bits, COMPRESSION).toString('base64url')
  const jwt = await signJwt(
    privateKeyOf(jwk),
    // Verifiers look for one or the other.
    { typ: 'statuslist+jwt', kid, jwk: publicJwk, x5c: chain },
    {
      sub: statusListUri(list.issuerId, list.listId),
      ...{ iat, exp: iat + VALIDITY, ttl: TTL, status_list: { bits: BITS, lst } },
    },
  )
  const hash = createHash('sha256').update(bits).update(`${iat} ${kid}`).digest('base64url')
  return { jwt, etag: `W/"${hash}"` }
}
