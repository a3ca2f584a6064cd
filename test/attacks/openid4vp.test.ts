/** Hostile responses and requests at a verifier of OpenID4VP: what is no response to the session changes nothing, and none is verified twice. */
import { createHmac } from 'node:crypto'
import { CompactEncrypt, importJWK } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readSession } from '../../lib/openid4vp/session.ts'
import { base64url, newKey, rawJwt } from '../support/openid/jwts.ts'
import {
  bindTo,
  encrypted,
  issueTo,
  newAuthority,
  newHolder,
  type ReadRequest,
  useVerifier,
  VCT,
} from '../support/openid/verification.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { useLogLines } from '../support/watch/log-lines.ts'

const stage = await useStage({ delivers: false })
const faults = new StoreFaults(stage.serviceClient)
const verifier = await useVerifier(stage)
const foreign = await useVerifier(stage, 'Other')
const authority = await newAuthority('Issuer')
const holder = newHolder()
for (const { done } of [verifier, foreign])
  await done('createTrustedIssuer', { body: { certificates: [authority.root], vcts: [VCT] } })
const credential = await issueTo(holder, authority)
const lines = useLogLines()
afterEach(() => void vi.useRealTimers())

const UNENCRYPTED = { responseMode: 'direct_post' }
const REDIRECT = { redirectUri: 'https://shop.example/back' }
const BAD = { status: 400, body: { error: 'invalid_request' } }

const tokenFor = (request: ReadRequest) => ({ identity: [bindTo(holder, credential, request)] })
const parametersFor = (request: ReadRequest): Json => ({ vp_token: tokenFor(request), state: request.payload.state })
const goodForm = (request: ReadRequest) => encrypted(request, parametersFor(request))
const plainForm = (request: ReadRequest, token: unknown = tokenFor(request)) => ({
  vp_token: JSON.stringify(token),
  state: request.payload.state,
})
const passSeconds = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

/** Rejected, and the wallet of the session can still answer. */
const expectNothingChanged = async (request: ReadRequest, form: Record<string, string>) => {
  expect(await verifier.post(request.session, form)).toMatchObject(BAD)
  expect(await verifier.now(request.session)).toMatchObject({ state: 'RequestUriRetrieved' })
}

const keyOf = ({ payload }: ReadRequest) => payload.client_metadata.jwks.keys[0]
const encryptBy = async (request: ReadRequest, header: Json, key: Json = keyOf(request)) =>
  new CompactEncrypt(Buffer.from(JSON.stringify(parametersFor(request))))
    .setProtectedHeader({ kid: key.kid, ...header })
    .encrypt(await importJWK(key, header.alg))
const ECDH = { alg: 'ECDH-ES', enc: 'A128GCM' }
/** A JWE whose header does not match the encryption. */
const relabelled = async (request: ReadRequest, header: object): Promise<string> => {
  const [, ...parts] = (await encryptBy(request, ECDH)).split('.')
  return [base64url({ ...ECDH, kid: keyOf(request).kid, ...header }), ...parts].join('.')
}
const rsa = { kty: 'RSA', e: 'AQAB', n: Buffer.alloc(256, 0xab).toString('base64url') }

describe('nothing changes by a response', () => {
  test.each<[string, (request: ReadRequest) => Promise<string> | string]>([
    ['that is signed and not encrypted', (one) => rawJwt(holder.privateKey, { alg: 'ES256' }, parametersFor(one))],
    ['without a signature', (one) => `${base64url({ alg: 'none' })}.${base64url(parametersFor(one))}.`],
    [
      'with an HMAC by the public key',
      (one) => {
        const text = `${base64url({ alg: 'HS256' })}.${base64url(parametersFor(one))}`
        return `${text}.${createHmac('sha256', keyOf(one).x).update(text).digest('base64url')}`
      },
    ],
    ['encrypted to another key', async (one) => encryptBy(one, ECDH, { ...newKey().jwk, kid: keyOf(one).kid })],
    ['encrypted with another kid', (one) => encryptBy(one, { ...ECDH, kid: 'other' })],
    ['that is compressed', (one) => relabelled(one, { zip: 'DEF' })],
    ['by RSA1_5', (one) => relabelled(one, { alg: 'RSA1_5' })],
    ['by RSA-OAEP with a key of its own', async (one) => encryptBy(one, { alg: 'RSA-OAEP', enc: 'A128GCM' }, rsa)],
    ['by a password', (one) => relabelled(one, { alg: 'PBES2-HS256+A128KW', p2c: 1_000_000_000, p2s: 'AA' })],
    ['with p2c beside ECDH-ES', (one) => encryptBy(one, { ...ECDH, p2c: 1_000_000_000 })],
    ['by ECDH-ES with key wrapping', (one) => encryptBy(one, { alg: 'ECDH-ES+A128KW', enc: 'A128GCM' })],
    ['with CBC', (one) => encryptBy(one, { alg: 'ECDH-ES', enc: 'A128CBC-HS256' })],
    ['with a header that was changed', (one) => relabelled(one, { typ: 'JWT' })],
  ])('%s', async (_, responseOf) => {
    const request = await verifier.request()
    await expectNothingChanged(request, { response: await responseOf(request) })
  })

  test.each<[string, (request: ReadRequest) => Json]>([
    ['without state', (one) => ({ vp_token: tokenFor(one) })],
    ['with the state of another request', (one) => ({ ...parametersFor(one), state: 'other' })],
    ['with a list as state', (one) => ({ ...parametersFor(one), state: [one.payload.state] })],
    ['without vp_token', (one) => ({ state: one.payload.state })],
    ['with an error of 65 characters', (one) => ({ error: 'e'.repeat(65), state: one.payload.state })],
    ['with an error that is not a text', (one) => ({ error: { a: 1 }, state: one.payload.state })],
    ['with a list in place of parameters', () => []],
  ])('%s', async (_, parametersOf) => {
    const request = await verifier.request()
    await expectNothingChanged(request, await encrypted(request, parametersOf(request)))
  })

  const nested = (levels: number): unknown => (levels === 0 ? 'end' : [nested(levels - 1)])
  test.each<[string, (request: ReadRequest) => unknown]>([
    ['texts for lists', (one) => ({ identity: tokenFor(one).identity[0] })],
    ['an empty list', () => ({ identity: [] })],
    ['11 credentials', (one) => ({ identity: Array(11).fill(tokenFor(one).identity[0]) })],
    ['a number', () => ({ identity: [5] })],
    ['what is not an SD-JWT', () => ({ identity: ['rubbish'] })],
    ['201 disclosures', () => ({ identity: [`${credential}${'W10~'.repeat(201)}`] })],
    ['17 levels', () => ({ identity: [nested(15)] })],
    ['an id that names a prototype', (one) => ({ ...tokenFor(one), constructor: ['a'] })],
  ])('with a vp_token of %s', async (_, tokenOf) => {
    const request = await verifier.request(UNENCRYPTED)
    await expectNothingChanged(request, plainForm(request, tokenOf(request)))
  })

  test('that is rubbish, too large, or encrypted though it was not asked for', async () => {
    const request = await verifier.request(UNENCRYPTED)
    await expectNothingChanged(request, { response: await relabelled(await verifier.request(), {}) })
    await expectNothingChanged(request, { vp_token: '{', state: request.payload.state })
    await expectNothingChanged(request, { vp_token: 'a=&b' })
    const large = { vp_token: 'a'.repeat(256 * 1024), state: request.payload.state }
    expect(await verifier.post(request.session, large)).toMatchObject({ ...BAD, status: 413 })
    expect(await verifier.post(request.session, plainForm(request))).toMatchObject({ status: 200 })
  })

  test('to another session, or the verifier of another tenant', async () => {
    const [request, other] = [await verifier.request(), await verifier.request()]
    const theirs = await foreign.request()
    await expectNothingChanged(request, plainForm(request))
    for (const sent of [await goodForm(other), await goodForm(theirs)]) await expectNothingChanged(request, sent)
    const form = await goodForm(request)
    for (const id of [theirs.session.id, 'unknown'])
      expect(await verifier.post({ id }, form)).toMatchObject({
        ...BAD,
        body: { error_description: expect.anything() },
      })
    expect(await verifier.post(request.session, form, foreign.verifierId)).toMatchObject(BAD)
    const { verifierId } = await verifier.done('createVerifier', { body: {} })
    expect(await verifier.post(request.session, form, verifierId)).toMatchObject(BAD)
    expect(await verifier.post(request.session, form, 'unknown')).toMatchObject({ status: 404 })
    expect(await foreign.now(theirs.session)).toMatchObject({ state: 'RequestUriRetrieved' })
    expect(await verifier.post(request.session, form)).toMatchObject({ status: 200 })
  })
})

test('a response that was posted unencrypted with its error is that error only', async () => {
  const request = await verifier.request()
  const form = { ...plainForm(request), error: 'access_denied' }
  expect(await verifier.post(request.session, form)).toMatchObject({ status: 200, body: {} })
  const session = await verifier.now(request.session)
  expect(session).toMatchObject({ state: 'Error', error: 'access_denied' })
  expect(session).not.toHaveProperty('claims')
})

test('a third party with the link can end the session by an error, and see no more; the text is marked', async () => {
  const request = await verifier.request(REDIRECT)
  const form = { error: 'trust', error_description: `<b>${'x'.repeat(400)}`, state: request.payload.state }
  expect(await verifier.post(request.session, form)).toMatchObject({ status: 200, body: {} })
  const { state, errorMessage, ...session } = await verifier.now(request.session)
  expect(state).toBe('Error')
  expect(errorMessage).toMatch(/^the wallet reported: <b>x+$/)
  expect(errorMessage).toHaveLength(200)
  expect(session).not.toHaveProperty('checks')
  expect(await verifier.post(request.session, await goodForm(request))).toMatchObject(BAD)
})

describe('one response only', () => {
  test('twice, or after the time of the request', async () => {
    const request = await verifier.request()
    const form = await goodForm(request)
    expect(await verifier.post(request.session, form)).toMatchObject({ status: 200 })
    expect(await verifier.post(request.session, form)).toMatchObject(BAD)
    const late = await verifier.request({ expiresIn: 60 })
    passSeconds(60)
    await expectNothingChanged(late, await goodForm(late))
  })

  test.each([{}, REDIRECT])('raced by 20, with an error among them', async (options) => {
    const request = await verifier.request(options)
    const error = { error: 'access_denied', state: request.payload.state }
    const forms = await Promise.all(Array.from({ length: 20 }, (_, at) => (at === 7 ? error : goodForm(request))))
    const replies = await Promise.all(forms.map((form) => verifier.post(request.session, form)))
    const codes = replies.map(({ status }) => status)
    expect(codes.filter((status) => status === 200)).toHaveLength(1)
    expect(codes.filter((status) => ![200, 400, 503].includes(status))).toEqual([])
    const { state } = await verifier.now(request.session)
    expect(['ResponseVerified', 'ResponseReceived', 'Error']).toContain(state)
    expect(state === 'Error').toBe(codes[7] === 200)
  })

  test('with the database away it is a 503 that the wallet may repeat, and nothing was written', async () => {
    for (let at = 1; ; at++) {
      const request = await verifier.request()
      const form = await goodForm(request)
      const kind = FAULTS['times out'] as (typeof FAULTS)[string]
      const { result, injected } = await faults.inject(at, kind, () => verifier.post(request.session, form))
      if (!injected) break
      expect(result).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
      expect(await verifier.now(request.session)).toMatchObject({ state: 'RequestUriRetrieved' })
      expect(await verifier.post(request.session, form)).toMatchObject({ status: 200 })
    }
  })
})

describe('a response code', () => {
  const answered = async (options: object = {}) => {
    const request = await verifier.request({ ...REDIRECT, ...options })
    const { body } = await verifier.post(request.session, await goodForm(request))
    return { ...request, responseCode: String(body.redirect_uri).split('#response_code=')[1] }
  }
  const complete = ({ session }: ReadRequest, responseCode: string | undefined, by = verifier) =>
    by.call('completeVerificationSession', { path: { verificationSessionId: session.id }, body: { responseCode } })
  const LOST = { state: 'Error', error: 'response_code' }

  test('is lost after five guesses, and shows nothing before', async () => {
    const request = await answered()
    const another = await answered()
    for (const _ of [1, 2, 3, 4]) expect(await complete(request, another.responseCode)).toMatchObject({ status: 422 })
    const waiting = await verifier.now(request.session)
    expect(waiting).toMatchObject({ state: 'ResponseReceived' })
    for (const text of ['Erika', 'given_name', request.responseCode])
      expect(JSON.stringify(waiting)).not.toContain(text)
    expect(await complete(request, `${request.responseCode} `)).toMatchObject({ status: 422 })
    expect(await complete(request, request.responseCode)).toMatchObject({ status: 409 })
    const lost = await verifier.now(request.session)
    expect(lost).toMatchObject(LOST)
    for (const name of ['claims', 'checks', 'credentials']) expect(lost).not.toHaveProperty(name)
    expect(await complete(another, another.responseCode)).toMatchObject({ status: 200 })
  })

  test('is lost after five minutes, to the second', async () => {
    const [early, late] = [await answered(), await answered()]
    passSeconds(298)
    expect(await complete(early, early.responseCode)).toMatchObject({ status: 200 })
    passSeconds(2)
    expect(await complete(late, late.responseCode)).toMatchObject({ status: 409 })
    expect(await verifier.now(late.session)).toMatchObject(LOST)
  })

  test('is accepted once of 20 at the same time, and not from another tenant', async () => {
    const request = await answered()
    expect(await complete(request, request.responseCode, foreign)).toMatchObject({ status: 404 })
    const replies = await Promise.all(Array.from({ length: 20 }, () => complete(request, request.responseCode)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(replies.filter(({ status }) => ![200, 409, 503].includes(status))).toEqual([])
  })

  test('gives the claims for resultTtl', async () => {
    const request = await answered({ resultTtl: 3600 })
    passSeconds(200)
    expect(await complete(request, request.responseCode)).toMatchObject({ status: 200 })
    passSeconds(3598)
    expect(await verifier.now(request.session)).toHaveProperty('claims')
    passSeconds(2)
    expect(await verifier.now(request.session)).not.toHaveProperty('claims')
  })
})

test('the claims of a result are deleted after resultTtl, to the second', async () => {
  const request = await verifier.request({ resultTtl: 60 })
  await verifier.post(request.session, await goodForm(request))
  passSeconds(58)
  expect(await verifier.now(request.session)).toHaveProperty('claims')
  passSeconds(2)
  expect(await verifier.now(request.session)).not.toHaveProperty('claims')
  expect(await verifier.now(request.session)).toMatchObject({ state: 'ResponseVerified' })
})

test.each([{}, REDIRECT])('no value of a claim is in the record, the list, or the log', async (options) => {
  const request = await verifier.request(options)
  await verifier.post(request.session, await goodForm(request))
  const listed = await verifier.done('getVerificationSessions', {})
  const record = await readSession(String(verifier.caller.tenantId), request.session.id)
  expect(JSON.stringify(record)).toContain('given_name')
  const texts = JSON.stringify([record, listed, lines])
  for (const value of ['Erika', 'Mustermann', credential.slice(0, 40)]) expect(texts).not.toContain(value)
  expect(record).not.toHaveProperty('encryptionKey')
})
