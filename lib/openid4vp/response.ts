/** Reads the response of a wallet: https://openid.net/specs/openid-4-verifiable-presentations-1_0.html#section-8 */
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { JoseError } from '../jose/errors.ts'
import { MAX_DEPTH } from '../jose/json-part.ts'
import { decryptJwe } from '../jose/jwe.ts'
import { findViolation, isObject, type JsonObject, parseJson, UNSAFE_NAMES } from '../json.ts'
import { privateKeyOf } from '../keys/key-pair.ts'
import { isSame } from '../openid/compare.ts'
import type { StoredVerificationSession } from '../records/openid4vp.ts'
import { SdJwtError } from '../sd-jwt/errors.ts'
import { parseSdJwt, type SdJwt } from '../sd-jwt/parse.ts'
import { unsealKey } from './response-key.ts'

/** The form that a wallet sends. */
export interface ResponseForm {
  response?: string | undefined
  vp_token?: string | undefined
  state?: string | undefined
  error?: string | undefined
  error_description?: string | undefined
}

/** The credentials of a response by the id of a query, not yet verified. */
export type Token = [queryId: string, presentations: SdJwt[]][]

export type WalletResponse = { token: Token } | { error: string; description: string | undefined }

/** The body is not a response to this session, and changes nothing. */
const notAResponse = (message: string) => new AgentError('request.malformed', message)

const RULES = { maxDepth: MAX_DEPTH - 1, forbidden: UNSAFE_NAMES }

/** Credentials of one response. */
const MAX_CREDENTIALS = 10

const parseBounded = (text: string): unknown => {
  const json = parseJson(text)
  if (json === undefined || findViolation(json, RULES) !== undefined)
    throw notAResponse('the response is not JSON, or exceeds its limits')
  return json
}

/** The parameters of an encrypted response (section 8.3). */
const decrypt = async (tenant: string, session: StoredVerificationSession, response: string): Promise<JsonObject> => {
  const key = await unsealKey(tenant, session)
  try {
    const parameters = parseBounded(await decryptJwe(response, privateKeyOf(key), String(key.kid)))
    if (isObject(parameters)) return parameters
  } catch (error) {
    if (!(error instanceof JoseError)) throw error
  }
  throw notAResponse('the response cannot be decrypted')
}

const parametersOf = async (
  tenant: string,
  session: StoredVerificationSession,
  form: ResponseForm,
): Promise<JsonObject> => {
  const { response, vp_token, ...others } = form
  const isEncrypted = session.payload.response_mode === 'direct_post.jwt'
  if (response !== undefined) {
    if (!isEncrypted) throw notAResponse('an encrypted response was not requested')
    return decrypt(tenant, session, response)
  }
  // An error may come unencrypted, because the wallet may have found no key.
  if (isEncrypted && form.error === undefined) throw notAResponse('the response must be encrypted')
  return { ...others, ...(vp_token !== undefined && !isEncrypted && { vp_token: parseBounded(vp_token) }) }
}

const VpToken = v.record(v.string(), v.pipe(v.array(v.unknown()), v.minLength(1)))

/** Checks limits and form before anything is verified (section 8.1). */
const readToken = (value: unknown): Token => {
  const parsed = v.safeParse(VpToken, value)
  if (!parsed.success) throw notAResponse('vp_token must be an object of lists')
  const lists = Object.entries(parsed.output)
  if (lists.flatMap(([, list]) => list).length > MAX_CREDENTIALS)
    throw notAResponse(`vp_token has over ${MAX_CREDENTIALS} credentials`)
  try {
    return lists.map(([id, list]) => [id, list.map(parseSdJwt)])
  } catch (error) {
    throw error instanceof SdJwtError ? notAResponse(error.message) : error
  }
}

const ErrorCode = v.pipe(v.string(), v.regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/))

/**
 * Reads what a wallet has sent. Throws `request.malformed` for what is not a response to this session: another state,
 * another key, another form, or over a limit.
 */
export const readResponse = async (
  tenant: string,
  session: StoredVerificationSession,
  form: ResponseForm,
): Promise<WalletResponse> => {
  const { state, vp_token, error, error_description } = await parametersOf(tenant, session, form)
  if (typeof state !== 'string' || !isSame(state, session.payload.state))
    throw notAResponse('the state belongs to another request')
  if (v.is(ErrorCode, error)) {
    const description = typeof error_description === 'string' ? error_description : undefined
    return { error, description }
  }
  if (error !== undefined || vp_token === undefined) throw notAResponse('the response has no vp_token')
  return { token: readToken(vp_token) }
}
