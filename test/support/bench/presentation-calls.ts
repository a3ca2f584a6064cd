/** A verifier's functions, and the next call of each, for `npm run bench -- openid`. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { deflateSync } from 'node:zlib'
import { rawJwt, seconds } from '../openid/jwts.ts'
import {
  type Authority,
  bindTo,
  encrypted,
  issueTo,
  newAuthority,
  newHolder,
  type ReadRequest,
  useVerifier,
  VCT,
} from '../openid/verification.ts'
import type { BundledStage } from './bundled-stage.ts'
import { callsOf, lastOf, type MeasuredFlow } from './openid-calls.ts'

/** A host of a list that must not be cached, as long as one of 100,000 credentials. */
const startListHost = async ({ leaf, leafKey }: Authority) => {
  const lst = deflateSync(Buffer.alloc(12_500)).toString('base64url')
  const server = createServer((_, response) =>
    response.end(
      rawJwt(
        leafKey,
        { alg: 'ES256', typ: 'statuslist+jwt', x5c: [leaf] },
        { sub: uri, iat: seconds(), status_list: { bits: 1, lst } },
      ),
    ),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`
  return { uri, stop: () => server.close() }
}

const FORM = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }

export const presentationCalls = async (stage: BundledStage): Promise<MeasuredFlow> => {
  const authority = await newAuthority('Issuer')
  const list = await startListHost(authority)
  const verifier = await useVerifier(callsOf(stage))
  await verifier.done('createTrustedIssuer', { body: { certificates: [authority.root], vcts: [VCT] } })
  const holder = newHolder()
  const status = { status_list: { uri: list.uri, idx: 4711 } }
  const answerTo = async (request: ReadRequest) => {
    const presentation = bindTo(holder, await issueTo(holder, authority, { status }), request)
    return encrypted(request, { vp_token: { identity: [presentation] }, state: request.payload.state })
  }
  const { caller, verifierId } = verifier
  const pathOf = ({ session }: ReadRequest) => ({ verifierId, verificationSessionId: session.id })
  const redirect = { redirectUri: 'https://shop.example/back' }
  const calls = [
    {
      name: 'get-verification-session-by-id',
      most: {},
      next: async () => ({ caller, path: pathOf(await verifier.request()) }),
    },
    {
      name: 'create-presentation-request',
      most: { cold: 30 },
      next: async () => lastOf(stage, 'create-presentation-request'),
    },
    {
      name: 'get-request-object',
      most: { warm: 2, cold: 30 },
      next: async () => ({ path: pathOf(await verifier.request()) }),
    },
    {
      name: 'post-request-object',
      most: { warm: 2, cold: 30 },
      next: async () => ({ ...FORM, body: 'wallet_nonce=a', path: pathOf(await verifier.request()) }),
    },
    {
      name: 'receive-presentation',
      most: { warm: 8, cold: 40 },
      next: async () => {
        const request = await verifier.request()
        const body = new URLSearchParams(await answerTo(request)).toString()
        return { ...FORM, path: { verifierId }, query: { session: request.session.id }, body }
      },
    },
    {
      name: 'complete-verification-session',
      most: { cold: 30 },
      next: async () => {
        const request = await verifier.request(redirect)
        const { body } = await verifier.post(request.session, await answerTo(request))
        return { caller, path: pathOf(request), body: { responseCode: body.redirect_uri.split('response_code=')[1] } }
      },
    },
    {
      name: 'show-presentation-request',
      most: { cold: 30 },
      next: async () => ({ path: pathOf(await verifier.request()), headers: { Accept: 'text/html' } }),
    },
  ]
  return { calls, stop: list.stop }
}
