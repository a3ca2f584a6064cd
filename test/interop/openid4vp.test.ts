/** Presentations of SD-JWT VC by OpenID4VP 1.0, from the request to the claims. */
import { describe, expect, test } from 'vitest'
import {
  bindTo,
  encrypted,
  issueTo,
  newAuthority,
  newHolder,
  useVerifier,
  VCT,
} from '../support/openid/verification.ts'
import { useStage } from '../support/stage/use-stage.ts'

const stage = await useStage()
const verifier = await useVerifier(stage)
const authority = await newAuthority('Issuer')
const holder = newHolder()
await verifier.done('createTrustedIssuer', { body: { certificates: [authority.root], vcts: [VCT], name: 'Issuer' } })

const answer = async (options: object = {}, claims: Record<string, unknown> = {}) => {
  const request = await verifier.request(options)
  const presentation = bindTo(holder, await issueTo(holder, authority, claims), request)
  const parameters = { vp_token: { identity: [presentation] }, state: request.payload.state }
  const form =
    request.payload.response_mode === 'direct_post'
      ? { vp_token: JSON.stringify(parameters.vp_token), state: parameters.state }
      : await encrypted(request, parameters)
  return { ...request, reply: await verifier.post(request.session, form) }
}

describe.each(['direct_post', 'direct_post.jwt'])('a presentation by %s', (responseMode) => {
  test('is verified, with its claims', async () => {
    const { session, reply } = await answer({ responseMode })
    expect(reply).toMatchObject({ status: 200, body: {} })
    expect(await verifier.now(session)).toMatchObject({
      state: 'ResponseVerified',
      credentials: [{ queryId: 'identity', vct: VCT, issuer: 'CN=Issuer' }],
      claims: { identity: [{ given_name: 'Erika', age: 42 }] },
    })
  })
})

test('on the same device it is verified once the code is given that only who answered has', async () => {
  const { session, reply } = await answer({ redirectUri: 'https://shop.example/back' })
  const [address, responseCode] = String(reply.body.redirect_uri).split('#response_code=')
  expect(address).toBe('https://shop.example/back')
  const waiting = await verifier.now(session)
  expect(waiting.state).toBe('ResponseReceived')
  for (const name of ['claims', 'checks', 'credentials']) expect(waiting).not.toHaveProperty(name)
  const complete = (code: string | undefined) =>
    verifier.call('completeVerificationSession', {
      path: { verificationSessionId: session.id },
      body: { responseCode: code },
    })
  expect(await complete('guessed')).toMatchObject({ status: 422 })
  expect(await complete(responseCode)).toMatchObject({ status: 200, body: { state: 'ResponseVerified' } })
  expect(await complete(responseCode)).toMatchObject({ status: 409 })
  expect(await verifier.now(session)).toMatchObject({ claims: { identity: [{ given_name: 'Erika' }] } })
})

test('of an issuer that is not trusted it ends the session, with the check that failed', async () => {
  const request = await verifier.request()
  const untrusted = await newAuthority('Issuer')
  const presentation = bindTo(holder, await issueTo(holder, untrusted), request)
  const form = await encrypted(request, { vp_token: { identity: [presentation] }, state: request.payload.state })
  expect(await verifier.post(request.session, form)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  expect(await verifier.now(request.session)).toMatchObject({ state: 'Error', error: 'trust' })
})
