/** Verifies the response of a wallet as a whole: each credential, the query, and the statuses. */
import { DcqlError, DcqlPresentationResult, DcqlQuery } from 'dcql'
import * as v from 'valibot'
import { isObject, type JsonObject } from '../json.ts'
import type { Check, Claims, PresentedCredential, StoredVerificationSession } from '../records/openid4vp.ts'
import { readStatuses } from '../status-list/read-all.ts'
import { CheckError, Checks } from './check.ts'
import type { Token } from './response.ts'
import { readTrust, type Trust, trustedKeyOf } from './trust.ts'
import { type CredentialQuery, type VerifiedCredential, verifyCredential } from './verify-credential.ts'

/** For all that is fetched from third parties. */
const MAX_MS = 4_000

const Query = v.object({ credentials: v.array(v.looseObject({ id: v.string(), multiple: v.optional(v.boolean()) })) })
const TransactionData = v.object({ credential_ids: v.array(v.string()) })

export type Outcome =
  | { checks: Check[]; credentials: PresentedCredential[]; claims: Claims }
  | { checks: Check[]; failed: CheckError }

/** Claims of the JWT itself, which describe the credential and not its subject. */
const ENVELOPE = ['cnf', 'status', 'exp', 'nbf', 'iat', 'vct', 'vct#integrity', 'iss']

const presented = (
  { queryId, vct, key, claims }: VerifiedCredential,
  status: string | undefined,
): PresentedCredential => ({
  ...{ queryId, vct },
  // What a credential says of its issuer counts only where the trusted key is that issuer's.
  issuer: key.isIssuer(claims.iss) ? String(claims.iss) : key.issuer,
  ...(key.trust.id !== undefined && { trustedIssuerId: key.trust.id }),
  ...(status !== undefined && { status }),
  claimNames: Object.keys(claims).filter((name) => !ENVELOPE.includes(name)),
})

/** The presentations with the queries that they answer. */
const pairsOf = (token: Token, queries: readonly CredentialQuery[]) =>
  token.flatMap(([id, presentations]) => {
    const query = queries.find((one) => one.id === id)
    if (query === undefined) throw new CheckError('query', 'vp_token has a credential that was not requested')
    if (presentations.length > 1 && query.multiple !== true)
      throw new CheckError('query', 'vp_token has several credentials where one was requested')
    return presentations.map((presentation) => ({ query, presentation }))
  })

/** Those of the transaction data that a credential for this query may authorize. */
const dataFor = (transactionData: readonly string[], queryId: string): string[] =>
  transactionData.filter((text) =>
    v.parse(TransactionData, JSON.parse(Buffer.from(text, 'base64url').toString())).credential_ids.includes(queryId),
  )

/** Each is authorized by a credential, also where the query could be satisfied without it (section 8.4). */
const assertAuthorized = (transactionData: readonly string[], credentials: readonly VerifiedCredential[]): void => {
  if (!transactionData.every((text) => credentials.some((credential) => credential.transactionData.includes(text))))
    throw new CheckError('transaction_data', 'the key bindings do not cover all transaction data of the request')
}

/** Copies objects without a prototype: `dcql` then finds no members of `Object.prototype`. */
const withoutPrototype = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPrototype)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, member]) => [name, withoutPrototype(member)])
  return Object.assign(Object.create(null), Object.fromEntries(members))
}

/** Whether the credentials satisfy the query, its sets included (sections 6.4 and 8.6). */
const assertSatisfied = (query: unknown, credentials: readonly VerifiedCredential[]): void => {
  const { credentials: queries, ...sets } = DcqlQuery.parse(query as never)
  // The authorities were checked with the chain, which the library does not know.
  const dcqlQuery = { ...sets, credentials: queries.map(({ trusted_authorities: _, ...one }) => one) }
  const presentation = Object.fromEntries(
    [...Map.groupBy(credentials, ({ queryId }) => queryId)].map(([id, those]) => [
      id,
      those.map(({ vct, claims, isBound }) => ({
        ...{ credential_format: 'dc+sd-jwt', vct, cryptographic_holder_binding: isBound },
        claims: withoutPrototype(claims),
      })),
    ]),
  )
  if (credentials.length === 0 || !isSatisfied(presentation, dcqlQuery))
    throw new CheckError('query', 'the credentials do not satisfy the query')
}

const isSatisfied = (presentation: object, dcqlQuery: object): boolean => {
  try {
    return DcqlPresentationResult.fromDcqlPresentation(presentation as never, { dcqlQuery } as never).can_be_satisfied
  } catch (error) {
    // Of claims that it cannot merge.
    if (error instanceof DcqlError) return false
    throw error
  }
}

const listOf = (status: unknown): { uri: unknown; idx: unknown } => {
  const list = isObject(status) && isObject(status.status_list) ? status.status_list : {}
  return { uri: list.uri, idx: list.idx }
}

/** Reads the statuses side by side. Only `valid` passes: an unreadable status does not. */
const statusesOf = async (
  credentials: readonly VerifiedCredential[],
  milliseconds: number,
): Promise<(string | undefined)[]> => {
  const revocable = credentials.filter(({ status }) => status !== undefined)
  const outcomes = await readStatuses(
    revocable.map(({ status, key: { trust }, claims }) => ({
      // A status of another mechanism is unreadable.
      ...listOf(status),
      // The same entry of trust as the credential's, and no other.
      keyOf: async (header: JsonObject) => (await trustedKeyOf(header, { iss: claims.iss, trusts: [trust] })).jwk,
    })),
    { milliseconds },
  )
  const statuses = new Map(revocable.map((credential, index) => [credential, outcomes[index]]))
  return credentials.map((credential) => {
    const outcome = statuses.get(credential)
    if (outcome === undefined) return undefined
    if (outcome.status === 'unreadable') throw new CheckError('status', `the status is unreadable: ${outcome.reason}`)
    if (outcome.status !== 'valid') throw new CheckError('status', `the status of the credential is ${outcome.status}`)
    return outcome.status
  })
}

const verifyAll = async (session: StoredVerificationSession, token: Token, trusts: Trust[], checks: Checks) => {
  const started = performance.now()
  const { client_id: audience, nonce, dcql_query, transaction_data: transactionData = [] } = session.payload
  const { credentials: queries } = v.parse(Query, dcql_query)
  const verified: VerifiedCredential[] = []
  for (const { query, presentation } of pairsOf(token, queries as never)) {
    const expected = { query, trusts, audience, nonce, transactionData: dataFor(transactionData, query.id) }
    verified.push(await verifyCredential(presentation, expected, checks))
  }
  assertSatisfied(dcql_query, verified)
  checks.pass('query')
  assertAuthorized(transactionData, verified)
  if (transactionData.length > 0) checks.pass('transaction_data')
  const statuses = await statusesOf(verified, MAX_MS - (performance.now() - started))
  if (statuses.some((status) => status !== undefined)) checks.pass('status')
  return verified.map((credential, index) => ({ credential, shown: presented(credential, statuses[index]) }))
}

/** An invalid response is an outcome, not an exception. Errors that are thrown are internal, or from DynamoDB. */
export const verifyResponse = async (
  tenant: string,
  session: StoredVerificationSession,
  token: Token,
): Promise<Outcome> => {
  const checks = new Checks()
  // response.ts has checked the format.
  checks.pass('format')
  try {
    const trusts = await readTrust(tenant, session.trustedCertificates)
    const verified = await verifyAll(session, token, trusts, checks)
    const byQuery = Map.groupBy(verified, ({ credential }) => credential.queryId)
    const claims: Claims = Object.fromEntries(
      [...byQuery].map(([id, those]) => [id, those.map(({ credential }) => credential.claims)]),
    )
    return { checks: checks.list(), credentials: verified.map(({ shown }) => shown), claims }
  } catch (error) {
    if (!(error instanceof CheckError)) throw error
    return { checks: checks.list(error), failed: error }
  }
}
