/** Who is trusted for a type of credential: entries of the tenant, and certificates of one request. */
import * as v from 'valibot'
import { Bounded } from '../bounded.ts'
import { follow, type ReadBounds } from '../egress/follow.ts'
import { isObject, parseJson } from '../json.ts'
import { trustedIssuerRecords } from '../records/openid-kinds.ts'
import { StoredTrustedIssuer } from '../records/openid4vp.ts'
import { allRecordsPartition } from '../store/index-entries.ts'
import { toStoredRecord } from '../store/stored-record.ts'
import { queryAll } from '../store/table.ts'
import { type Certificate, hasIssuerName, readCertificate } from '../x509/certificate.ts'
import { checkChain, isSame, MAX_CHAIN } from '../x509/chain.ts'
import { CertificateError } from '../x509/der.ts'
import { CheckError } from './check.ts'

/** An entry, or the certificates of a request: then it has no id, and applies to all types. */
export interface Trust {
  id?: string
  certificates?: string[] | undefined
  issuer?: string | undefined
  vcts?: string[]
  /** The keys of `issuer`: read once for a response, which has credentials of one such issuer only. */
  keysOf: (issuer: string) => Promise<Key[]>
}

type Key = Record<string, unknown>

/** The key that verifies a credential. Its status list must be signed under the same entry. */
export interface TrustedKey {
  jwk: unknown
  trust: Trust
  /** Subject of the leaf, or the issuer of the key set. */
  issuer: string
  /** Whether an `iss` is one of the leaf's names, or the issuer of the key set. */
  isIssuer: (iss: unknown) => boolean
  /** Key identifiers of the authorities of the chain, in base64url. */
  authorityKeyIds: string[]
}

/** The entries that count for one response: a tenant has few. */
export const readTrust = async (tenant: string, certificates: string[] | undefined): Promise<Trust[]> => {
  const items = await queryAll(allRecordsPartition(tenant, trustedIssuerRecords.type))
  const keysOf = oneKeySet()
  const entries = items.map((item): Trust => ({ ...v.parse(StoredTrustedIssuer, toStoredRecord(item).value), keysOf }))
  return certificates === undefined ? entries : [...entries, { certificates, keysOf }]
}

const X5c = v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MAX_CHAIN))

/** Parsed certificates of entries: parsing one takes 0.1 ms, and a response may need all of them. */
const anchors = new Bounded<string, Certificate>(4 * 1024 * 1024, 60 * 60_000, ({ base64 }) => 4 * base64.length)
const readAnchor = (text: string): Certificate => anchors.get(text) ?? anchors.set(text, readCertificate(text))

const untrusted = (reason: string) => new CheckError('trust', reason)

/** The chain of a JWT's header, under one of the entries. */
const keyOfChain = (header: unknown, trusts: readonly Trust[]): TrustedKey => {
  const x5c = v.safeParse(X5c, header)
  if (!x5c.success) throw untrusted(`x5c is not a chain of 1 to ${MAX_CHAIN} certificates`)
  try {
    const chain = x5c.output.map(readCertificate)
    let reason: unknown = untrusted('no trusted certificate is configured for this type')
    for (const trust of trusts) {
      if (trust.certificates === undefined) continue
      try {
        const anchor = checkChain(chain, trust.certificates.map(readAnchor))
        return keyOfLeaf(chain, anchor, trust)
      } catch (error) {
        reason = error
      }
    }
    throw reason
  } catch (error) {
    if (error instanceof CertificateError) throw untrusted(`a certificate of the chain ${error.reason}`)
    throw error
  }
}

const keyOfLeaf = (chain: Certificate[], anchor: Certificate, trust: Trust): TrustedKey => {
  const leaf = chain[0] as Certificate
  const isIssuer = (iss: unknown) => hasIssuerName(leaf.extensions, iss)
  // What follows the anchor in the chain was not verified.
  const end = chain.findIndex((certificate) => isSame(certificate, anchor))
  const path = end === -1 ? [...chain, anchor] : chain.slice(0, end + 1)
  const authorityKeyIds = path.flatMap(({ extensions: { authorityKeyId } }) => authorityKeyId ?? [])
  const jwk = leaf.publicKey.export({ format: 'jwk' })
  return { jwk, trust, issuer: leaf.x509.subject.split('\n').join(', '), isIssuer, authorityKeyIds }
}

const Metadata = v.object({
  issuer: v.string(),
  jwks: v.optional(v.object({ keys: v.array(v.looseObject({})) })),
  jwks_uri: v.optional(v.string()),
})
const KeySet = v.object({ keys: v.pipe(v.array(v.looseObject({})), v.maxLength(100)) })

const fetchJson = async (url: string, bounds: ReadBounds): Promise<unknown> => {
  const outcome = await follow(url, { accept: 'application/json', bounds, redirects: 0 })
  const json = outcome?.status === 200 && outcome.failure === undefined ? parseJson(outcome.body) : undefined
  if (!isObject(json))
    throw untrusted(`the keys of the issuer cannot be read: ${outcome?.failure ?? outcome?.status ?? 'timeout'}`)
  return json
}

/** Keys of an issuer that is trusted by its URL (SD-JWT VC, section 4), which is never taken from `iss`. */
const fetchKeys = async (issuer: string): Promise<Key[]> => {
  const bounds = { milliseconds: 3_000, bytes: 256 * 1024 }
  const { origin, pathname } = new URL(issuer)
  const address = `${origin}/.well-known/jwt-vc-issuer${pathname.replace(/\/$/, '')}`
  const metadata = v.safeParse(Metadata, await fetchJson(address, bounds))
  if (!metadata.success || metadata.output.issuer !== issuer) throw untrusted('the metadata are of another issuer')
  const { jwks, jwks_uri } = metadata.output
  if (jwks !== undefined) return jwks.keys
  if (jwks_uri === undefined || URL.parse(jwks_uri)?.origin !== origin)
    throw untrusted('the key set is on another host')
  const keys = v.safeParse(KeySet, await fetchJson(jwks_uri, bounds))
  if (!keys.success) throw untrusted('the key set cannot be read')
  return keys.output.keys
}

/** A response can make this service fetch one key set only. */
const oneKeySet = (): Trust['keysOf'] => {
  let first: { issuer: string; keys: Promise<Key[]> } | undefined
  return async (issuer) => {
    first ??= { issuer, keys: fetchKeys(issuer) }
    if (first.issuer !== issuer) throw untrusted('the response has credentials of several issuers with key sets')
    return first.keys
  }
}

/**
 * The key of a credential, or of a status list, that an entry of trust leads to: by its certificates, or by the key set
 * of its issuer; the two are never mixed. Throws a CheckError.
 */
export const trustedKeyOf = async (
  { x5c, kid }: Record<string, unknown>,
  { iss, trusts }: { iss: unknown; trusts: readonly Trust[] },
): Promise<TrustedKey> => {
  if (x5c !== undefined) return keyOfChain(x5c, trusts)
  const trust = trusts.find(({ issuer }) => issuer !== undefined && issuer === iss)
  if (trust?.issuer === undefined) throw untrusted('the issuer is not trusted for this type')
  const keys = await trust.keysOf(trust.issuer)
  const jwk =
    kid === undefined && keys.length === 1 ? keys[0] : keys.find((key) => kid !== undefined && key.kid === kid)
  if (jwk === undefined) throw untrusted('the issuer has no key with this kid')
  return { jwk, trust, issuer: trust.issuer, isIssuer: (name) => name === trust.issuer, authorityKeyIds: [] }
}
