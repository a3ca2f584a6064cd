/** Answers a request with a credential, by @openid4vc. */
import { createHash } from 'node:crypto'
import { DcqlQuery, type DcqlQueryResult } from 'dcql'
import type { readRequest } from './request.ts'
import { CLAIMS, presentSample, type SampleCredential, VCT } from './sample-credential.ts'

export type Request = Awaited<ReturnType<typeof readRequest>>

/** The disclosed claims of the credential, by the id of the query that it answers. */
export type Disclosed = Record<string, Record<string, unknown>>

const outputOf = (match: DcqlQueryResult['credential_matches'][string] | undefined) => {
  const [credential] = match?.valid_credentials ?? []
  const [set] = credential?.claims.valid_claim_sets ?? []
  return set && { ...set.output }
}

/** Data of a credential before its presentation. */
export interface Holding extends SampleCredential {
  vct: string
  claims: Record<string, unknown>
  isBound: boolean
}

const SAMPLE = { vct: VCT, claims: CLAIMS, isBound: true }

/** All that a credential (by default the sample) can answer of the query; undefined where it does not satisfy it. */
export const choose = (
  { dcql }: Request,
  { vct, claims, isBound }: Pick<Holding, 'vct' | 'claims' | 'isBound'> = SAMPLE,
): Disclosed | undefined => {
  const query = DcqlQuery.parse(Object(dcql?.query))
  DcqlQuery.validate(query)
  const held = { credential_format: 'dc+sd-jwt', vct, cryptographic_holder_binding: isBound } as const
  const result = DcqlQuery.query(query, [{ ...held, claims: Object(claims) }])
  if (!result.can_be_satisfied) return undefined
  const matches = Object.entries(result.credential_matches).map(([id, match]) => [id, outputOf(match)] as const)
  return Object.fromEntries(matches.flatMap(([id, output]) => (output === undefined ? [] : [[id, output]])))
}

/** Hashes of the transaction data that name a query's credential (OpenID4VP 1.0, appendix B.3.3.1). */
const transactionHashes = ({ transactionData = [] }: Request, queryId: string) => {
  const own = transactionData.filter(({ transactionData: { credential_ids } }) => credential_ids.includes(queryId))
  if (own.length === 0) return {}
  const transaction_data_hashes = own.map(({ encoded }) => createHash('sha256').update(encoded).digest('base64url'))
  const isNamed = own.some(({ transactionData }) => transactionData.transaction_data_hashes_alg !== undefined)
  return { transaction_data_hashes, ...(isNamed && { transaction_data_hashes_alg: 'sha-256' }) }
}

/** Encryption of the answer, which `direct_post.jwt` asks for (section 8.3). */
const encryption = {
  encryption: { nonce: 'sample' },
  serverMetadata: {
    authorization_signing_alg_values_supported: [],
    authorization_encryption_alg_values_supported: ['ECDH-ES'],
    authorization_encryption_enc_values_supported: ['A256GCM', 'A128GCM'],
  },
}

/** Sends the answer; resolves to the verifier's answer. */
export const answer = async (request: Request, sample: SampleCredential, disclosed: Disclosed): Promise<Response> => {
  const { library, authorizationRequestPayload: payload } = request
  if (payload.nonce === undefined || payload.client_id === undefined) throw new Error('the request has no nonce')
  const binding = { aud: payload.client_id, nonce: payload.nonce }
  const presented = Object.entries(disclosed).map(async ([id, claims]) => [
    id,
    [await presentSample(sample, claims, { ...binding, ...transactionHashes(request, id) })],
  ])
  const { authorizationResponsePayload, jarm } = await library.createOpenid4vpAuthorizationResponse({
    authorizationRequestPayload: payload,
    authorizationResponsePayload: { vp_token: Object.fromEntries(await Promise.all(presented)) },
    ...(payload.response_mode === 'direct_post.jwt' && { jarm: encryption }),
  })
  const sent = { authorizationRequestPayload: Object(payload), authorizationResponsePayload, ...(jarm && { jarm }) }
  return (await library.submitOpenid4vpAuthorizationResponse(sent)).response
}
