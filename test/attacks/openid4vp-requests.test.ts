/** Hostile reads of requests at a verifier of OpenID4VP, requests that it must not make, and ids of other tenants. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startPresenting, VERIFIED } from '../support/openid/presenting.ts'
import { newAuthority, QUERY, useVerifier, VCT } from '../support/openid/verification.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'

const stage = await useStage({ delivers: false })
const verifier = await useVerifier(stage)
const foreign = await useVerifier(stage, 'Other')
const authority = await newAuthority('Issuer')
for (const { done } of [verifier, foreign])
  await done('createTrustedIssuer', { body: { certificates: [authority.root], vcts: [VCT] } })
const { one } = startPresenting(verifier, authority)
const UNENCRYPTED = { responseMode: 'direct_post' }
const REDIRECT = { redirectUri: 'https://shop.example/back' }
const BAD = { status: 400, body: { error: 'invalid_request' } }
afterEach(() => void vi.useRealTimers())

describe('a request object', () => {
  const read = (operation: string, session: Json, verifierId = verifier.verifierId, body = '') =>
    verifier.call(operation, {
      caller: {},
      path: { verifierId, verificationSessionId: session.id },
      ...(operation === 'postRequestObject' && {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body,
      }),
    })

  test.each(['getRequestObject', 'postRequestObject'])('of no open session is a 404 alike by %s', async (operation) => {
    const [expired, failed] = [await verifier.request({ expiresIn: 60 }), await verifier.request()]
    const [answered, theirs] = [await one(), await foreign.request()]
    expect(answered).toMatchObject(VERIFIED)
    await verifier.post(failed.session, { error: 'access_denied', state: failed.payload.state })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    const replies = [
      await read(operation, { id: 'unknown' }),
      await read(operation, theirs.session),
      await read(operation, answered, foreign.verifierId),
      ...(await Promise.all([answered, expired.session, failed.session].map((session) => read(operation, session)))),
    ]
    for (const { status, body } of replies) expect({ status, body }).toEqual({ status: 404, body: replies[0]?.body })
  })

  test('has the nonce of a wallet, of 512 characters at most, and no secret', async () => {
    const { session } = await verifier.request({ requestUriMethod: 'post' })
    const jwt = (await read('postRequestObject', session, undefined, 'wallet_nonce=a%22b')).body
    const payload = JSON.parse(Buffer.from(String(jwt.split('.')[1]), 'base64url').toString())
    expect(payload).toMatchObject({ wallet_nonce: 'a"b', aud: 'https://self-issued.me/v2', nonce: expect.any(String) })
    expect(payload.client_metadata.jwks.keys[0]).not.toHaveProperty('d')
    const long = await read('postRequestObject', session, undefined, `wallet_nonce=${'a'.repeat(513)}`)
    expect(long).toMatchObject(BAD)
  })
})

describe('a request is a 422', () => {
  const one = QUERY.credentials[0] as Json
  const query = (more: object) => ({ dcql: { query: { credentials: [{ ...one, ...more }] } } })
  test.each<[string, object]>([
    ['with a script as redirectUri', { redirectUri: 'javascript:alert(1)//https://shop.example' }],
    ['with userinfo in it', { redirectUri: 'https://shop.example@evil.example/' }],
    ['with an empty user in it', { redirectUri: 'https://:@evil.example/' }],
    ['with a fragment in it', { redirectUri: 'https://shop.example/#' }],
    ['with http in it', { redirectUri: 'http://shop.example/' }],
    ['with an id that names a prototype', query({ id: '__proto__' })],
    ['with the id constructor', query({ id: 'constructor' })],
    ['with a path by JSONPath', query({ claims: [{ path: '$.given_name' }] })],
    ['with a number that is not whole', query({ claims: [{ path: ['age'], values: [4.5] }] })],
    ['with an authority that is not base64url', query({ trusted_authorities: [{ type: 'aki', values: ['abcde'] }] })],
    [
      'with the authorities of a federation',
      query({ trusted_authorities: [{ type: 'openid_federation', values: ['a'] }] }),
    ],
    ['with two queries of one id', { dcql: { query: { credentials: [one, one] } } }],
    ['with an unknown id in a set', { dcql: { query: { ...QUERY, credential_sets: [{ options: [['other']] }] } } }],
    ['for an mdoc', query({ format: 'mso_mdoc', meta: { doctype_value: 'a' } })],
    ['by presentation exchange', { presentationExchange: {} }],
    ['of a draft', { version: 'v1.draft24' }],
    ['for the DC API', { responseMode: 'dc_api.jwt' }],
    ['signed by a DID', { requestSigner: { method: 'did', didUrl: 'did:web:a.example#1' } }],
    ['signed by an unknown certificate', { requestSigner: { method: 'x5c', keyId: foreign.certificateId } }],
    ['with transaction data of no query', { transactionData: [{ type: 'pay', credential_ids: ['other'] }] }],
    [
      'with transaction data for another hash',
      { transactionData: [{ type: 'pay', credential_ids: ['identity'], transaction_data_hashes_alg: ['sha-512'] }] },
    ],
    [
      'with transaction data that no key signs',
      {
        ...query({ require_cryptographic_holder_binding: false }),
        transactionData: [{ type: 'pay', credential_ids: ['identity'] }],
      },
    ],
    ['with an invalid certificate', { trustedCertificates: ['rubbish'] }],
    ['with a time below a minute', { expiresIn: 59 }],
  ])('%s', async (_, options) => {
    const body = { verifierId: verifier.verifierId, dcql: { query: QUERY }, ...options }
    expect(await verifier.call('createPresentationRequest', { body })).toMatchObject({ status: 422 })
  })

  test('to a verifier of HAIP without what it demands', async () => {
    const { certificateId } = verifier
    const { verifierId } = await verifier.done('createVerifier', { body: { haip: true, certificateId } })
    const ask = (options: object) => {
      const body = { verifierId, dcql: { query: QUERY }, ...options }
      return verifier.call('createPresentationRequest', { body })
    }
    const selfSigned = await verifier.done('createCertificate', { body: { issuer: 'CN=Self' } })
    const prefix = { requestSigner: { method: 'x5c', clientIdPrefix: 'x509_san_dns' } }
    for (const options of [{}, { ...REDIRECT, ...UNENCRYPTED }, { ...REDIRECT, ...prefix }])
      expect(await ask(options)).toMatchObject({
        status: 422,
        body: { details: [{ message: expect.stringContaining('HAIP 1.0') }] },
      })
    const requestSigner = { method: 'x5c', keyId: selfSigned.keyId }
    expect(await ask({ ...REDIRECT, requestSigner })).toMatchObject({ status: 422 })
    const { body } = await ask({ crossDevice: true })
    expect(body.authorizationRequest).toMatch(/^haip-vp:\/\/\?client_id=x509_hash/)
  })
})
