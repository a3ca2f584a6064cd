/** Hostile proofs of keys, and nonces that are used twice, late, or elsewhere. */
import { createHmac, createPublicKey } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { IDENTITY, unbound, useIssuer, type Wallet } from '../support/openid/issuance.ts'
import { base64url, newKey, rawJwt, seconds } from '../support/openid/jwts.ts'
import { newAuthority } from '../support/openid/verification.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'

const stage = await useStage({ delivers: false })
const issuer = await useIssuer(stage)
const foreign = await useIssuer(stage, 'Other')
const wallet = await issuer.take(await issuer.offer())
afterEach(() => void vi.useRealTimers())

const passSeconds = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
const BAD_PROOF = { status: 400, body: { error: 'invalid_proof' } }
const BAD_NONCE = { status: 400, body: { error: 'invalid_nonce' } }

const post = (proofs: unknown, more: object = {}, by: Wallet = wallet) =>
  issuer.postCredential(by.accessToken, { credential_configuration_id: IDENTITY, proofs, ...more })
const postJwts = (...jwt: unknown[]) => post({ jwt })
const ed25519 = newKey('Ed25519')

describe('a proof is invalid', () => {
  const { key } = wallet
  type Change = (nonce: string) => string | Promise<string>
  test.each<[string, Change]>([
    ['for another issuer', (nonce) => issuer.prove(key, { nonce, aud: foreign.url })],
    ['for a list with this issuer', (nonce) => issuer.prove(key, { nonce, aud: [issuer.url] })],
    ['for this issuer with a slash', (nonce) => issuer.prove(key, { nonce, aud: `${issuer.url}/` })],
    ['for none', (nonce) => issuer.prove(key, { nonce, aud: undefined })],
    ['without a nonce', () => issuer.prove(key, {})],
    ['of six minutes ago', (nonce) => issuer.prove(key, { nonce, iat: seconds() - 301 })],
    ['of the future', (nonce) => issuer.prove(key, { nonce, iat: seconds() + 65 })],
    ['without a time', (nonce) => issuer.prove(key, { nonce, iat: undefined })],
    ['of a time as text', (nonce) => issuer.prove(key, { nonce, iat: String(seconds()) })],
    ['that has expired', (nonce) => issuer.prove(key, { nonce, exp: seconds() - 61 })],
    ['of another type', (nonce) => issuer.prove(key, { nonce }, { typ: 'JWT' })],
    ['of a type in other letters', (nonce) => issuer.prove(key, { nonce }, { typ: 'OpenID4VCI-proof+jwt' })],
    ['by the key of another', (nonce) => issuer.prove({ ...key, privateKey: newKey().privateKey }, { nonce })],
    ['with jwk and kid', (nonce) => issuer.prove(key, { nonce }, { kid: 'a' })],
    ['with jwk and x5c', (nonce) => issuer.prove(key, { nonce }, { x5c: [] })],
    ['with kid alone', (nonce) => issuer.prove(key, { nonce }, { jwk: undefined, kid: 'did:jwk:a#0' })],
    ['without a key', (nonce) => issuer.prove(key, { nonce }, { jwk: undefined })],
    ['with private parts', (nonce) => issuer.prove(key, { nonce }, { jwk: key.privateKey.export({ format: 'jwk' }) })],
    ['with crit', (nonce) => issuer.prove(key, { nonce }, { crit: ['b64'], b64: true })],
    ['on secp256k1', (nonce) => issuer.prove(newKey('secp256k1'), { nonce }, { alg: 'ES256K' })],
    [
      'by an algorithm that the configuration does not have',
      (nonce) => issuer.prove(newKey('P-384'), { nonce }, { alg: 'ES384' }),
    ],
    [
      'with ES256 for an Ed25519 key',
      (nonce) =>
        rawJwt(
          ed25519.privateKey,
          { typ: 'openid4vci-proof+jwt', alg: 'ES256', jwk: ed25519.jwk },
          { aud: issuer.url, iat: seconds(), nonce },
          null,
        ),
    ],
    [
      'without a signature',
      (nonce) => `${issuer.prove(key, { nonce }, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
    ],
    ['with alg none and a signature', (nonce) => issuer.prove(key, { nonce }, { alg: 'none' })],
    [
      'with an HMAC by the public key',
      (nonce) => {
        const header = { typ: 'openid4vci-proof+jwt', alg: 'HS256', jwk: key.jwk }
        const text = [header, { aud: issuer.url, iat: seconds(), nonce }].map(base64url).join('.')
        return `${text}.${createHmac('sha256', JSON.stringify(key.jwk)).update(text).digest('base64url')}`
      },
    ],
    [
      'with a key off its curve',
      (nonce) => issuer.prove({ ...key, jwk: { ...key.jwk, y: 'A'.repeat(43) } }, { nonce }),
    ],
    ['of 17 KiB', (nonce) => issuer.prove(key, { nonce, more: 'a'.repeat(17 * 1024) })],
    ['that is not a JWT', () => 'rubbish'],
    ['that is an SD-JWT', (nonce) => `${issuer.prove(key, { nonce })}~`],
  ])('%s', async (_, made) => {
    expect(await postJwts(await made(await issuer.nonce()))).toMatchObject(BAD_PROOF)
  })

  test.each<[string, (jwt: string) => [unknown, object?]]>([
    ['of a draft', (jwt) => [undefined, { proof: { proof_type: 'jwt', jwt } }]],
    ['of a draft, beside a right one', (jwt) => [{ jwt: [jwt] }, { proof: { proof_type: 'jwt', jwt } }]],
    ['that is not there', () => [undefined]],
    ['as a text', (jwt) => [jwt]],
    ['as a list', (jwt) => [[jwt]]],
    ['as null', () => [null]],
    ['that is a text for a list', (jwt) => [{ jwt }]],
    ['in an empty list', () => [{ jwt: [] }]],
    ['of no type', () => [{}]],
    ['of two types', (jwt) => [{ jwt: [jwt], di_vp: [{}] }]],
    ['of two types, one of them empty', (jwt) => [{ jwt: [jwt], attestation: [] }]],
    ['of an attestation', (jwt) => [{ attestation: [jwt] }]],
    ['of a type that is unknown', (jwt) => [{ cwt: [jwt] }]],
    ['that is a number', () => [{ jwt: [5] }]],
    ['twice', (jwt) => [{ jwt: [jwt, jwt] }]],
    ['11 times', (jwt) => [{ jwt: Array(11).fill(jwt) }]],
  ])('%s', async (_, proofsOf) => {
    const jwt = issuer.prove(key, { nonce: await issuer.nonce() })
    expect(await post(...proofsOf(jwt))).toMatchObject(BAD_PROOF)
    expect(await postJwts(jwt)).toMatchObject({ status: 200 })
  })

  test('of a key twice, more keys than a batch, or two nonces', async () => {
    const [nonce, another] = [await issuer.nonce(), await issuer.nonce()]
    const twice = [
      issuer.prove(key, { nonce }),
      issuer.prove({ ...key, jwk: { ...key.jwk, kid: 'b' } }, { nonce, jti: 'b' }),
    ]
    expect(await postJwts(...twice)).toMatchObject(BAD_PROOF)
    const many = Array.from({ length: 11 }, () => issuer.prove(newKey(), { nonce }))
    expect(await postJwts(...many)).toMatchObject(BAD_PROOF)
    expect(await postJwts(issuer.prove(key, { nonce }), issuer.prove(newKey(), { nonce: another }))).toMatchObject(
      BAD_PROOF,
    )
    expect(await postJwts(issuer.prove(key, { nonce }), 'rubbish')).toMatchObject(BAD_PROOF)
    expect((await postJwts(...many.slice(0, 10))).body.credentials).toHaveLength(10)
  })

  test('of a second key where the issuer has no batches', async () => {
    const single = await useIssuer(stage, 'Single', { batchCredentialIssuance: undefined })
    const one = await single.take(await single.offer())
    const two = await single.requestFor(one, [one.key, newKey()])
    expect(await single.postCredential(one.accessToken, two)).toMatchObject(BAD_PROOF)
    await single.obtain(one)
  })

  test("of the issuer's own key", async () => {
    const { root, leaf, leafKey } = await newAuthority('Known')
    const jwk = createPublicKey(leafKey).export({ format: 'jwk' })
    const body = {
      certificate: leaf,
      keyType: 'P-256',
      privateKey: leafKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    }
    const { keyId } = await issuer.done('importCertificate', { body })
    const signerOptions = { method: 'x5c', keyId }
    const offer = await issuer.offer({ credentials: [{ credentialSupportedId: IDENTITY, payload: {}, signerOptions }] })
    const one = await issuer.take(offer)
    const request = await issuer.requestFor(one, [{ privateKey: leafKey, jwk }])
    expect(await issuer.postCredential(one.accessToken, request)).toMatchObject(BAD_PROOF)
    const { credentials } = await issuer.obtain(one)
    const { x5c } = decodeProtectedHeader(credentials[0].credential.split('~')[0])
    expect(x5c).toEqual([leaf])
    expect(x5c).not.toContain(root)
  })
})

test('a proof by Ed25519 is accepted where the configuration has EdDSA, and a key has nothing but its numbers', async () => {
  const header = { typ: 'openid4vci-proof+jwt', alg: 'EdDSA', jwk: { ...ed25519.jwk, use: 'sig', more: 'secret' } }
  const claims = { aud: issuer.url, iat: seconds(), nonce: await issuer.nonce() }
  const { body } = await postJwts(rawJwt(ed25519.privateKey, header, claims, null))
  const [, payload = ''] = body.credentials[0].credential.split('.')
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString()).cnf).toEqual({ jwk: ed25519.jwk })
})

describe('a nonce', () => {
  const use = (nonce: unknown, by = wallet) => post({ jwt: [issuer.prove(by.key, { nonce })] }, {}, by)

  test.each<[string, (nonce: string) => unknown]>([
    ['with another time', (nonce) => `${(seconds() + 290).toString(36)}.${nonce.split('.').slice(1).join('.')}`],
    ['with another random part', (nonce) => nonce.replace(/\..{22}\./, `.${'A'.repeat(22)}.`)],
    ['without its MAC', (nonce) => nonce.split('.').slice(0, 2).join('.')],
    ['with a blank', (nonce) => `${nonce} `],
    ['that is a number', () => 5],
    ['in a list', (nonce) => [nonce]],
    ['that is empty', () => ''],
    ['of 8 KiB', (nonce) => nonce + 'a'.repeat(8 * 1024)],
  ])('%s is invalid, and the error has no other', async (_, change) => {
    const reply = await use(change(await issuer.nonce()))
    expect(reply).toMatchObject(BAD_NONCE)
    expect(Object.keys(reply.body).sort()).toEqual(['error', 'error_description'])
  })

  test('of another issuer or tenant is invalid', async () => {
    const { issuerId } = await issuer.done('createIssuer', {
      body: { certificateId: issuer.certificateId, credentialConfigurationsSupported: { ticket: unbound() } },
    })
    for (const other of [issuerId, foreign.issuerId])
      expect(await use(await issuer.nonce(other))).toMatchObject(BAD_NONCE)
    expect(await use(`${seconds().toString(36)}.${'A'.repeat(22)}.${'A'.repeat(43)}`)).toMatchObject(BAD_NONCE)
  })

  test('lives five minutes, to the second', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 })
    const [early, late] = [await issuer.nonce(), await issuer.nonce()]
    passSeconds(299)
    expect(await use(early)).toMatchObject({ status: 200 })
    passSeconds(1)
    expect(await use(late)).toMatchObject(BAD_NONCE)
  })

  test('is used once, and not by another wallet; a bad request does not use it', async () => {
    const [one, other] = [await issuer.take(await issuer.offer()), await issuer.take(await issuer.offer())]
    const nonce = await issuer.nonce()
    expect(await postJwts(issuer.prove(wallet.key, { nonce, aud: 'other' }))).toMatchObject(BAD_PROOF)
    expect(await use(nonce, one)).toMatchObject({ status: 200 })
    expect(await use(nonce, one)).toMatchObject(BAD_NONCE)
    expect(await use(nonce, other)).toMatchObject(BAD_NONCE)
    expect(await issuer.now(other.session)).toMatchObject({ state: 'AccessTokenCreated' })
  })

  test('is used once by 20 at the same time, of one token or of two', async () => {
    const [one, other] = [await issuer.take(await issuer.offer()), await issuer.take(await issuer.offer())]
    const nonce = await issuer.nonce()
    const replies = await Promise.all(Array.from({ length: 20 }, (_, at) => use(nonce, at % 2 === 0 ? one : other)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of replies.filter((reply) => reply.status !== 200))
      expect(status === 503 || (status === 400 && body.error === 'invalid_nonce')).toBe(true)
    const sessions: Json[] = [await issuer.now(one.session), await issuer.now(other.session)]
    expect(sessions.flatMap(({ issuedCredentials = [] }) => issuedCredentials)).toHaveLength(1)
  })
})
