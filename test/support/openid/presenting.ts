/** Presentations to a verifier of OpenID4VP, also invalid ones, and the resulting session. */
import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import type { Json } from '../stage/in-process-stage.ts'
import { rawJwt } from './jwts.ts'
import {
  type Authority,
  bindTo,
  issueTo,
  newHolder,
  QUERY,
  type ReadRequest,
  type useVerifier,
} from './verification.ts'

export interface CredentialOptions {
  by?: Pick<Authority, 'leaf' | 'leafKey'>
  /** Override also the claims of the issuer's library. */
  claims?: Json
  payload?: Json
  header?: Json
}
export type TokenOf = (request: ReadRequest) => Promise<Json> | Json

export const VERIFIED = { state: 'ResponseVerified' }
export const failed = (error: string) => ({ state: 'Error', error })

const asked = QUERY.credentials[0] as Json
/** A request for credentials like that of QUERY, and more. */
export const queryOf = (...queries: object[]) => ({
  dcql: { query: { credentials: queries.map((more) => ({ ...asked, ...more })) } },
})

/** Presents credentials that `usual` has issued to one holder. */
export const startPresenting = (verifier: Awaited<ReturnType<typeof useVerifier>>, usual: Authority) => {
  const holder = newHolder()
  const credential = async ({ by = usual, claims, payload, header }: CredentialOptions = {}): Promise<string> => {
    const [jwt = '', ...rest] = (await issueTo(holder, by as Authority, claims)).split('~')
    const head = { alg: 'ES256', typ: 'dc+sd-jwt', x5c: [by.leaf], ...header }
    return [rawJwt(by.leafKey, head, { ...decodeJwt(jwt), ...payload }), ...rest].join('~')
  }

  /** Posts a `vp_token`, and returns the session afterwards, which agrees with the reply. */
  const present = async (options: object, tokenOf: TokenOf): Promise<Json> => {
    const request = await verifier.request({ responseMode: 'direct_post', ...options })
    const form = { vp_token: JSON.stringify(await tokenOf(request)), state: request.payload.state }
    const reply = await verifier.post(request.session, form)
    const session = await verifier.now(request.session)
    if (reply.status === 200) expect(session.state).toBe('ResponseVerified')
    else {
      expect(reply).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
      expect(reply.body).not.toHaveProperty('redirect_uri')
      expect(session.checks?.at(-1)).toMatchObject({ name: session.error, passed: false })
      for (const name of ['claims', 'credentials']) expect(session).not.toHaveProperty(name)
    }
    return session
  }
  /** The same of one credential. */
  const one = (
    made: CredentialOptions = {},
    options: object = {},
    bindingOf: (one: ReadRequest) => Json = () => ({}),
    to = holder,
  ) =>
    present(options, async (request) => ({
      identity: [bindTo(to, await credential(made), request, bindingOf(request))],
    }))
  return { holder, credential, present, one }
}
