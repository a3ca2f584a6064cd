/** Verifies the answer of a wallet as a whole: each credential, the query that they answer, and their statuses. */
import { DcqlPresentationResult, DcqlQuery } from 'dcql'
import * as v from 'valibot'
import type { JsonObject } from '../json.ts'
import type { Check, Claims, PresentedCredential, StoredVerificationSession } from '../records/openid4vp.ts'
import { readStatuses } from '../status-list/read-all.ts'
import { CheckError, Checks } from './check.ts'
import { readTrust, type Trust, trustedKeyOf } from './trust.ts'
import { type CredentialQuery, type VerifiedCredential, verifyCredential } from './verify-credential.ts'

/** Credentials of one answer. */
const MAX_CREDENTIALS = 10

const Query = v.object({ credentials: v.array(v.looseObject({ id: v.string(), multiple: v.optional(v.boolean()) })) })
const Token = v.record(v.string(), v.pipe(v.array(v.unknown()), v.minLength(1)))
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
const pairsOf = (token: unknown, queries: readonly (CredentialQuery & { multiple?: boolean | undefined })[]) => {
  const parsed = v.safeParse(Token, token)
  if (!parsed.success) throw new CheckError('format', 'vp_token is not an object of lists')
  const pairs = Object.entries(parsed.output).flatMap(([id, presentations]) => {
    const query = queries.find((one) => one.id === id)
    if (query === undefined) throw new CheckError('query', 'vp_token has a credential that was not asked for')
    if (presentations.length > 1 && query.multiple !== true)
      throw new CheckError('query', 'vp_token has several credentials where one was asked for')
    return presentations.map((presentation) => ({ query, presentation }))
  })
  if (pairs.length > MAX_CREDENTIALS) throw new CheckError('format', `vp_token has over ${MAX_CREDENTIALS} credentials`)
  return pairs
}

/** Those of the transaction data that name a query. */
const dataFor = ({ transactionData = [] }: StoredVerificationSession, queryId: string): string[] =>
  transactionData.filter((text) =>
    v.parse(TransactionData, JSON.parse(Buffer.from(text, 'base64url').toString())).credential_ids.includes(queryId),
  )

/** Whether the credentials satisfy the query, its sets included (sections 6.4 and 8.6). */
const assertSatisfied = (query: unknown, credentials: readonly VerifiedCredential[]): void => {
  const dcqlQuery = DcqlQuery.parse(query as never)
  const presentation = Object.fromEntries(
    [...Map.groupBy(credentials, ({ queryId }) => queryId)].map(([id, those]) => [
      id,
      those.map(({ vct, claims, isBound }) => ({
        ...{ credential_format: 'dc+sd-jwt', vct, claims, cryptographic_holder_binding: isBound },
      })),
    ]),
  )
  const { can_be_satisfied } = DcqlPresentationResult.fromDcqlPresentation(presentation as never, { dcqlQuery })
  if (!can_be_satisfied) throw new CheckError('query', 'the credentials do not satisfy the query')
}

/** Reads the statuses side by side. Only `valid` passes: what can't be read is not. */
const statusesOf = async (credentials: readonly VerifiedCredential[]): Promise<(string | undefined)[]> => {
  const revocable = credentials.filter(({ statusList }) => statusList !== undefined)
  const outcomes = await readStatuses(
    revocable.map(({ statusList, key: { trust }, claims }) => ({
      ...{ uri: Object(statusList).uri, idx: Object(statusList).idx },
      // The same entry of trust as the credential's, and no other.
      keyOf: async (header: JsonObject) => (await trustedKeyOf(header, { iss: claims.iss, trusts: [trust] })).jwk,
    })),
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

const verifyAll = async (session: StoredVerificationSession, token: unknown, trusts: Trust[], checks: Checks) => {
  const { client_id: audience, nonce, dcql_query } = session.payload
  const { credentials: queries } = v.parse(Query, dcql_query)
  const verified: VerifiedCredential[] = []
  for (const { query, presentation } of pairsOf(token, queries as never)) {
    const transactionData = dataFor(session, query.id)
    verified.push(await verifyCredential(presentation, { query, trusts, audience, nonce, transactionData }, checks))
  }
  assertSatisfied(dcql_query, verified)
  checks.pass('query')
  const statuses = await statusesOf(verified)
  if (statuses.some((status) => status !== undefined)) checks.pass('status')
  return verified.map((credential, index) => ({ credential, shown: presented(credential, statuses[index]) }))
}

/** Never throws for what is wrong with the answer: that is an outcome. Other errors are ours, or of the table. */
export const verifyResponse = async (
  tenant: string,
  session: StoredVerificationSession,
  token: unknown,
): Promise<Outcome> => {
  const checks = new Checks()
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
