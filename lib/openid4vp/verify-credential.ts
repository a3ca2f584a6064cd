/** Verifies one presented SD-JWT VC: signature, trust, disclosures and key binding, one named check after another. */
import { JoseError } from '../jose/errors.ts'
import { verifyJwt } from '../jose/jwt.ts'
import { isObject, type JsonObject } from '../json.ts'
import { discloseClaims } from '../sd-jwt/disclose.ts'
import { SdJwtError } from '../sd-jwt/errors.ts'
import { verifyKeyBinding } from '../sd-jwt/key-binding.ts'
import { parseSdJwt } from '../sd-jwt/parse.ts'
import { CheckError, type CheckName, type Checks } from './check.ts'
import { type Trust, type TrustedKey, trustedKeyOf } from './trust.ts'

export interface CredentialQuery {
  id: string
  meta: { vct_values: string[] }
  trusted_authorities?: { values: string[] }[] | undefined
  require_cryptographic_holder_binding?: boolean | undefined
}

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
  /** Whether its holder has shown to have its key. */
  isBound: boolean
  /** `status.status_list` of the credential. */
  statusList: unknown
}

/** Errors of the libraries below become those of a check. */
const asCheck = async <T>(name: CheckName, act: () => T | Promise<T>): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (error instanceof SdJwtError) throw new CheckError(error.check, error.message)
    if (error instanceof JoseError) throw new CheckError(name, error.message)
    throw error
  }
}

/** OpenID4VP 1.0, section 6.1.1.1: one of the values is the identifier of an authority of the chain. */
const assertAuthority = ({ trusted_authorities }: CredentialQuery, { authorityKeyIds }: TrustedKey): void => {
  if (trusted_authorities === undefined) return
  const asked = trusted_authorities.flatMap(({ values }) => values)
  if (!authorityKeyIds.some((id) => asked.includes(id)))
    throw new CheckError('trusted_authorities', 'the credential is not of an authority that was asked for')
}

/**
 * Throws a CheckError. The caller compares the claims with the whole query, and reads the status.
 * https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-8.6
 */
export const verifyCredential = async (
  presentation: unknown,
  { query, trusts, audience, nonce, transactionData }: Expected,
  checks: Checks,
): Promise<VerifiedCredential> => {
  const parsed = await asCheck('format', () => parseSdJwt(presentation))
  const { vct, iss, cnf, status } = parsed.payload
  checks.pass('format')
  if (!query.meta.vct_values.includes(vct)) throw new CheckError('query', 'the credential is of another type')
  const forType = trusts.filter(({ vcts }) => vcts === undefined || vcts.includes(vct))
  const key = await trustedKeyOf(parsed.header, { iss, trusts: forType })
  checks.pass('trust')
  await asCheck('signature', () => verifyJwt(parsed.issuerJwt, key.jwk, { typ: 'dc+sd-jwt' }))
  checks.pass('signature', 'validity')
  assertAuthority(query, key)
  if (query.trusted_authorities !== undefined) checks.pass('trusted_authorities')
  const claims = await asCheck('disclosures', () => discloseClaims(parsed))
  checks.pass('disclosures')
  const isBound = query.require_cryptographic_holder_binding !== false
  if (isBound) {
    const holderJwk = isObject(cnf) ? cnf.jwk : undefined
    await asCheck('key_binding', () => verifyKeyBinding(parsed, holderJwk, { audience, nonce, transactionData }))
    checks.pass('key_binding', 'nonce', 'audience')
    if (transactionData.length > 0) checks.pass('transaction_data')
  } else if (parsed.keyBinding !== undefined) {
    throw new CheckError('key_binding', 'a key binding was not asked for')
  }
  const statusList = isObject(status) ? status.status_list : undefined
  return { queryId: query.id, vct, claims, key, isBound, statusList }
}
