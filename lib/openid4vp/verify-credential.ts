/** Verifies one presented SD-JWT VC: signature, trust, disclosures and key binding, one named check after another. */
import type { DcqlQuery } from '../interface/dcql.ts'
import { JoseError, JwtTimeError } from '../jose/errors.ts'
import { verifyJwt } from '../jose/jwt.ts'
import { isObject, type JsonObject } from '../json.ts'
import { discloseClaims } from '../sd-jwt/disclose.ts'
import { SdJwtError } from '../sd-jwt/errors.ts'
import { verifyKeyBinding } from '../sd-jwt/key-binding.ts'
import type { SdJwt } from '../sd-jwt/parse.ts'
import { CheckError, type Checks } from './check.ts'
import { type Trust, type TrustedKey, trustedKeyOf } from './trust.ts'

export type CredentialQuery = DcqlQuery['credentials'][number]

export interface Expected {
  query: CredentialQuery
  /** The entries of trust of the tenant and the request. */
  trusts: readonly Trust[]
  audience: string
  nonce: string
  /** Those of the request that name this query, in their order. */
  transactionData: readonly string[]
}

export interface VerifiedCredential {
  queryId: string
  vct: string
  claims: JsonObject
  key: TrustedKey
  /** Whether its holder has proved to have its key. */
  isBound: boolean
  /** The transaction data that its holder has bound. */
  transactionData: readonly string[]
  /** `status` of the credential. */
  status: unknown
}

const asCheck = async <T>(act: () => T | Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    throw error instanceof SdJwtError ? new CheckError(error.check, error.message) : error
  }
}

const verifySignature = async (issuerJwt: string, jwk: unknown, checks: Checks): Promise<void> => {
  try {
    await verifyJwt(issuerJwt, jwk, { typ: 'dc+sd-jwt' })
  } catch (error) {
    if (!(error instanceof JoseError)) throw error
    if (!(error instanceof JwtTimeError)) throw new CheckError('signature', error.message)
    checks.pass('signature')
    throw new CheckError('validity', error.message)
  }
  checks.pass('signature', 'validity')
}

/** OpenID4VP 1.0, section 6.1.1.1: one of the values is the identifier of an authority of the chain. */
const assertAuthority = ({ trusted_authorities }: CredentialQuery, { authorityKeyIds }: TrustedKey): void => {
  if (trusted_authorities === undefined) return
  const requestedIds = trusted_authorities.flatMap(({ values }) => values)
  if (!authorityKeyIds.some((id) => requestedIds.includes(id)))
    throw new CheckError('trusted_authorities', 'the credential is not of a requested authority')
}

/**
 * Throws a CheckError. The caller compares the claims with the whole query, and reads the status.
 * https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-8.6
 */
export const verifyCredential = async (
  parsed: SdJwt,
  { query, trusts, audience, nonce, transactionData }: Expected,
  checks: Checks,
): Promise<VerifiedCredential> => {
  const { vct, iss, cnf, status } = parsed.payload
  if (!query.meta.vct_values.includes(vct)) throw new CheckError('query', 'the credential is of another type')
  const forType = trusts.filter(({ vcts }) => vcts === undefined || vcts.includes(vct))
  const key = await trustedKeyOf(parsed.header, { iss, trusts: forType })
  checks.pass('trust')
  await verifySignature(parsed.issuerJwt, key.jwk, checks)
  assertAuthority(query, key)
  if (query.trusted_authorities !== undefined) checks.pass('trusted_authorities')
  const claims = await asCheck(() => discloseClaims(parsed))
  checks.pass('disclosures')
  const credential = { queryId: query.id, vct, claims, key, status }
  // A key binding that was not required is verified, too: the wallet may send it (section 6.1).
  const isBound = query.require_cryptographic_holder_binding !== false || parsed.keyBinding !== undefined
  if (!isBound) return { ...credential, isBound, transactionData: [] }
  const holderJwk = isObject(cnf) ? cnf.jwk : undefined
  const rules = { audience, nonce, transactionData }
  const bound = await asCheck(() => verifyKeyBinding(parsed, holderJwk, rules))
  checks.pass('key_binding', 'nonce', 'audience')
  return { ...credential, isBound, transactionData: bound }
}
