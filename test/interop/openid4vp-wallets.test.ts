/** Wallets of other vendors present to a verifier: by both response modes, on the same device and on another. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startCredoHolder } from '../support/openid/credo-holder.ts'
import {
  type Authority,
  issueTo,
  newAuthority,
  newHolder,
  QUERY,
  useVerifier,
  VCT,
} from '../support/openid/verification.ts'
import { HTTPS_URL } from '../support/stage/at-https.ts'
import { temporaryFolder } from '../support/stage/folder.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { answer, choose } from '../wallet/openid4vp/answer.ts'
import { readRequest } from '../wallet/openid4vp/request.ts'
import { issueSample } from '../wallet/openid4vp/sample-credential.ts'
import { sampleIssuer } from '../wallet/openid4vp/sample-issuer.ts'

const verifier = await useVerifier(await useStage({ delivers: false }))
const authority = await newAuthority('Issuer')

/** What wallets fetch, from the stage in this process. */
const toStage = async (url: unknown, { method = 'GET', body }: RequestInit = {}): Promise<Response> => {
  const { pathname, searchParams } = new URL(String(url), HTTPS_URL)
  const [, , verifierId = '', kind, id] = pathname.split('/')
  const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: String(body ?? '') }
  const read = { path: { verifierId, verificationSessionId: String(id) } }
  const {
    status,
    headers,
    body: text,
  } = await (kind === 'authorize'
    ? verifier.call('receivePresentation', {
        ...{ caller: {}, path: { verifierId }, query: { session: searchParams.get('session') } },
        ...form,
      })
    : verifier.call(method === 'GET' ? 'getRequestObject' : 'postRequestObject', {
        ...{ caller: {}, ...read },
        ...(method !== 'GET' && form),
      }))
  return new Response(typeof text === 'string' ? text : JSON.stringify(text), { status, headers })
}
beforeAll(() => void vi.stubGlobal('fetch', toStage))
afterAll(() => void vi.unstubAllGlobals())

const folder = await stopAtEnd(temporaryFolder().then((made) => ({ ...made, stop: () => made[Symbol.asyncDispose]() })))
const issuer = await sampleIssuer(join(folder.path, 'issuer.json'))
for (const root of [authority.root, issuer.certificate])
  await verifier.done('createTrustedIssuer', { body: { certificates: [root], vcts: [VCT] } })

const credo = async (by: Authority) => {
  const holder = await startCredoHolder([verifier.root])
  await holder.keep((jwk) => issueTo({ jwk, privateKey: newHolder().privateKey }, by))
  return holder
}
const wallet = await stopAtEnd(credo(authority))
const wallets: Record<string, (link: string) => Promise<{ status: number; redirectUri?: string | undefined }>> = {
  Credo: (link) => wallet.present(link),
  '@openid4vc': async (link) => {
    const request = await readRequest(link)
    const response = await answer(request, await issueSample(await issuer.newSigner()), choose(request) ?? {})
    return { status: response.status, redirectUri: ((await response.json()) as Json).redirect_uri }
  },
}

const asked = { ...QUERY.credentials[0], claims: [{ path: ['given_name'] }] }
const ask = (options: object) =>
  verifier.done('createPresentationRequest', {
    body: { verifierId: verifier.verifierId, dcql: { query: { credentials: [asked] } }, ...options },
  })

describe.each(Object.entries(wallets))('the wallet of %s', (_, present) => {
  test.each(['direct_post', 'direct_post.jwt'])('presents by %s, on another device and on the same', async (mode) => {
    const another = await ask({ responseMode: mode })
    expect(await present(another.authorizationRequest)).toMatchObject({ status: 200 })
    expect(await verifier.now(another.verificationSession)).toMatchObject({ state: 'ResponseVerified' })
    const same = await ask({ responseMode: mode, redirectUri: 'https://shop.example/back', requestUriMethod: 'post' })
    const { redirectUri = '' } = await present(same.authorizationRequest)
    const [, responseCode] = redirectUri.split('https://shop.example/back#response_code=')
    const path = { verificationSessionId: same.verificationSession.id }
    const completed = await verifier.done('completeVerificationSession', { path, body: { responseCode } })
    expect(completed).toMatchObject({ state: 'ResponseVerified' })
  })
})

test('the wallet of Credo is rejected with a credential of an issuer that is not trusted', async () => {
  const untrusted = await credo(await newAuthority('Issuer'))
  const request = await ask({})
  expect(await untrusted.present(request.authorizationRequest)).toMatchObject({ status: 400 })
  expect(await verifier.now(request.verificationSession)).toMatchObject({ state: 'Error', error: 'trust' })
  await untrusted.stop()
})
