/** The wallet of OpenID4VP that tests and the guide use: what it rejects, and what it sends. */
import { createHash, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inflateSync } from 'node:zlib'
import { SDJwtInstance } from '@sd-jwt/core'
import { compactDecrypt, decodeJwt, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readCertificate } from '../../../lib/x509/certificate.ts'
import { checkChain } from '../../../lib/x509/chain.ts'
import { answer, choose } from '../../wallet/openid4vp/answer.ts'
import { readRequest } from '../../wallet/openid4vp/request.ts'
import { issueSample, VCT } from '../../wallet/openid4vp/sample-credential.ts'
import { type SampleIssuer, type Signer, sampleIssuer } from '../../wallet/openid4vp/sample-issuer.ts'
import { INDEX, serveStatusList } from '../../wallet/openid4vp/status-list.ts'

let folder: string
let issuer: SampleIssuer
/** What the verifier signs with. */
let signer: Signer
let verifier: Server
let baseUrl: string
/** What the verifier's request object is made of, and the form that it got last. */
let payload: Record<string, unknown>
let header: { x5c: string[]; typ: string }
let form: URLSearchParams
/** The response's key. */
const encryption = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const QUERY = {
  credentials: [
    {
      id: 'a',
      format: 'dc+sd-jwt',
      meta: { vct_values: [VCT] },
      claims: [{ path: ['given_name'] }, { path: ['address', 'country'] }, { path: ['nationalities', null] }],
    },
  ],
}
const digest = (data: string | Uint8Array) => createHash('sha256').update(data).digest('base64url')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sample-'))
  issuer = await sampleIssuer(join(folder, 'issuer.json'))
  signer = await issuer.newSigner()
  verifier = createServer(async (request, response) => {
    form = new URLSearchParams(await text(request))
    if (request.url === '/answer') return response.end('{}')
    const wallet_nonce = form.get('wallet_nonce') ?? undefined
    const body = { ...(wallet_nonce !== undefined && { wallet_nonce }), ...payload }
    response.end(await new SignJWT(body).setProtectedHeader({ alg: 'ES256', ...header }).sign(signer.key))
  })
  await new Promise<void>((resolve) => verifier.listen(0, '127.0.0.1', resolve))
  baseUrl = `http://127.0.0.1:${(verifier.address() as AddressInfo).port}`
})
beforeEach(() => {
  header = { x5c: [...signer.x5c], typ: 'oauth-authz-req+jwt' }
  const client_id = `x509_hash:${digest(Buffer.from(signer.x5c[0] ?? '', 'base64'))}`
  payload = {
    ...{ response_type: 'vp_token', response_mode: 'direct_post', client_id, nonce: 'n', state: 's' },
    ...{ aud: 'https://self-issued.me/v2', response_uri: `${baseUrl}/answer`, dcql_query: QUERY },
    client_metadata: { vp_formats_supported: { 'dc+sd-jwt': {} } },
  }
})
afterAll(async () => {
  verifier.close()
  await rm(folder, { recursive: true })
})

const linkOf = (more: Record<string, string> = {}): string => {
  const query = { client_id: String(payload.client_id), request_uri: `${baseUrl}/request`, ...more }
  return `openid4vp://?${new URLSearchParams(query)}`
}

const present = async (more?: Record<string, string>) => {
  const request = await readRequest(linkOf(more))
  const sample = await issueSample(await issuer.newSigner())
  await answer(request, sample, choose(request) ?? {})
}

/** The claims of a presentation and what its key binding says, read by @sd-jwt/core. */
const readPresentation = async (presentation: string) => {
  const reader = new SDJwtInstance({
    hasher: (data) =>
      createHash('sha256')
        .update(Buffer.from(String(data)))
        .digest(),
  })
  const { iss, vct, iat, exp, cnf, ...claims } = Object(await reader.getClaims(presentation))
  return { claims, binding: decodeJwt(presentation.split('~').at(-1) ?? '') }
}

describe('it rejects a request', () => {
  test.each<[string, string, () => void]>([
    [
      'for another wallet',
      'unexpected "aud" claim value',
      () => Object.assign(payload, { aud: 'https://wallet.example' }),
    ],
    ['without an audience', 'missing required "aud" claim', () => delete payload.aud],
    ['that has expired', '"exp" claim timestamp check failed', () => Object.assign(payload, { exp: 1 })],
    ['of another type', 'unexpected "typ" JWT header value', () => Object.assign(header, { typ: 'JWT' })],
    [
      'of another client than the link',
      'client_id does not match',
      () => Object.assign(payload, { client_id: 'x509_hash:another' }),
    ],
    [
      'signed by another key',
      'signature verification failed',
      () => Object.assign(header, { x5c: [issuer.certificate] }),
    ],
    [
      'with a certificate that issued none',
      'was not issued by the next one',
      () => header.x5c.push(header.x5c[0] ?? ''),
    ],
  ])('%s', async (_, message, change) => {
    const link = linkOf()
    change()
    await expect(readRequest(link)).rejects.toThrow(message)
  })

  test('by POST, without its nonce', async () => {
    const link = linkOf({ request_uri_method: 'post' })
    await readRequest(link)
    payload.wallet_nonce = 'another'
    await expect(readRequest(link)).rejects.toThrow('wallet_nonce')
  })

  test('that the sample does not satisfy', async () => {
    payload.dcql_query = { credentials: [{ id: 'a', format: 'dc+sd-jwt', meta: { vct_values: ['another'] } }] }
    expect(choose(await readRequest(linkOf()))).toBeUndefined()
  })
})

describe('it sends what was asked for and no more', () => {
  const CLAIMS = { given_name: 'Ada', address: { country: 'GB' }, nationalities: ['GB'] }

  test('in plain, bound to the request and its transaction data', async () => {
    const encode = (data: object) => Buffer.from(JSON.stringify(data)).toString('base64url')
    const transaction_data = [
      encode({ type: 'payment', credential_ids: ['a'] }),
      encode({ type: 'payment', credential_ids: ['another'] }),
    ]
    Object.assign(payload, { transaction_data })
    await present()
    expect(form.get('state')).toBe('s')
    const { claims, binding } = await readPresentation(JSON.parse(form.get('vp_token') ?? '').a[0])
    expect(claims).toEqual(CLAIMS)
    expect(binding).toMatchObject({ aud: payload.client_id, nonce: 'n' })
    expect(binding.transaction_data_hashes).toEqual([digest(transaction_data[0] ?? '')])
  })

  test('encrypted to the key of the request', async () => {
    const jwk = { ...encryption.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'enc', alg: 'ECDH-ES' }
    Object.assign(payload, { response_mode: 'direct_post.jwt' })
    Object.assign(Object(payload.client_metadata), {
      jwks: { keys: [jwk] },
      encrypted_response_enc_values_supported: ['A128GCM'],
    })
    await present({ request_uri_method: 'post' })
    const { plaintext, protectedHeader } = await compactDecrypt(form.get('response') ?? '', encryption.privateKey)
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc: 'A128GCM', kid: 'k' })
    const { vp_token, state } = JSON.parse(Buffer.from(plaintext).toString())
    expect(state).toBe('s')
    expect((await readPresentation(vp_token.a[0])).claims).toEqual(CLAIMS)
  })
})

describe('its issuer', () => {
  test('is the same in the next process, and its certificates lead to it', async () => {
    const again = await sampleIssuer(join(folder, 'issuer.json'))
    expect(again.certificate).toBe(issuer.certificate)
    const { x5c } = await again.newSigner()
    expect(() => checkChain(x5c.map(readCertificate), [readCertificate(issuer.certificate)])).not.toThrow()
  })

  test.each([
    [true, 1],
    [false, 0],
  ])('revoked: %s is %i in its status list', async (isRevoked, bit) => {
    await using list = await serveStatusList(await issuer.newSigner(), isRevoked)
    const { sub, status_list } = decodeJwt<{ status_list: { lst: string } }>(await (await fetch(list.uri)).text())
    expect(sub).toBe(list.uri)
    const byte = inflateSync(Buffer.from(status_list.lst, 'base64url'))[Math.floor(INDEX / 8)] ?? 0
    expect((byte >> (INDEX % 8)) & 1).toBe(bit)
  })
})
