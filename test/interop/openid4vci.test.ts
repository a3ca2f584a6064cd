/** Credentials by OpenID4VCI 1.0 in other vendors' wallets: from the offer to a presentation, a suspension and a revocation. */
import { createHash, randomBytes } from 'node:crypto'
import { type CallbackContext, clientAuthenticationAnonymous } from '@openid4vc/oauth2'
import { Openid4vciClient } from '@openid4vc/openid4vci'
import { describe, expect, test } from 'vitest'
import { discloseClaims } from '../../lib/sd-jwt/disclose.ts'
import { parseSdJwt } from '../../lib/sd-jwt/parse.ts'
import { startCredoHolder } from '../support/openid/credo-holder.ts'
import { fetchFrom } from '../support/openid/fetch.ts'
import { CLAIMS, FRAME, IDENTITY, useIssuer, VCT } from '../support/openid/issuance.ts'
import { newKey, rawJwt } from '../support/openid/jwts.ts'
import { bindTo, useVerifier } from '../support/openid/verification.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'

const stage = await useStage()
const issuer = await useIssuer(stage)
const verifier = await useVerifier(stage)
const rootOf = async ({ done }: { done: (operation: string, asked: object) => Promise<Json> }): Promise<string> => {
  const certificates: Json[] = await done('getCertificates', {})
  return certificates.find(({ isCa }) => isCa).chain[0]
}
const roots = [await rootOf(issuer), await rootOf(verifier)]
await verifier.done('createTrustedIssuer', { body: { certificates: roots.slice(0, 1), vcts: [VCT], name: 'Issuer' } })

const identity = [{ credentialSupportedId: IDENTITY, payload: CLAIMS, disclosureFrame: FRAME }]
const made = async (options: object = {}) =>
  issuer.done('createCredentialOffer', {
    body: {
      ...{ publicIssuerId: issuer.issuerId, credentials: identity, isRevocable: true },
      preAuthorizedCodeFlowConfig: { txCode: { length: 6, input_mode: 'numeric' } },
      ...options,
    },
  })
const dcql = {
  query: {
    credentials: [{ id: 'id', format: 'dc+sd-jwt', meta: { vct_values: [VCT] }, claims: [{ path: ['given_name'] }] }],
  },
}
const changeStatus = (name: string, { id }: Json) =>
  issuer.done(`${name}IssuanceSession`, { path: { issuanceSessionId: id }, body: {} })

/** Presents by `present`, and returns the verifier's session afterwards. */
const presented = async (present: (link: string) => Promise<unknown>): Promise<Json> => {
  const body = { verifierId: verifier.verifierId, dcql, responseMode: 'direct_post' }
  const request = await verifier.done('createPresentationRequest', { body })
  await present(request.authorizationRequest)
  return verifier.now(request.verificationSession)
}

test("Credo's holder takes a batch with a PIN, and presents it until it is suspended or revoked", async () => {
  const { issuanceSession: session, credentialOffer, userPin } = await made()
  const holder = await startCredoHolder(roots, fetchFrom(stage))
  const [taken] = await holder.take(credentialOffer, { txCode: userPin, count: 3 })
  expect(taken?.record).toMatchObject({ type: 'SdJwtVcRecord' })
  expect(await issuer.now(session)).toMatchObject({
    ...{ state: 'Completed', credentialStatus: 'valid', notification: 'credential_accepted' },
    issuedCredentials: [{ count: 3 }],
  })
  expect(await presented(holder.present)).toMatchObject({
    state: 'ResponseVerified',
    claims: { id: [{ given_name: 'Erika' }] },
  })
  await changeStatus('suspend', session)
  expect(await presented(holder.present)).toMatchObject({ state: 'Error', error: 'status' })
  await changeStatus('resume', session)
  expect(await presented(holder.present)).toMatchObject({ state: 'ResponseVerified' })
  await changeStatus('revoke', session)
  expect(await presented(holder.present)).toMatchObject({ state: 'Error', error: 'status' })
  await holder.stop()
})

describe('a wallet of @openid4vc', () => {
  const holder = newKey()
  const callbacks = {
    hash: (data, algorithm) => createHash(algorithm.replace('-', '')).update(data).digest(),
    generateRandom: (bytes) => randomBytes(bytes),
    clientAuthentication: clientAuthenticationAnonymous(),
    fetch: fetchFrom(stage) as never,
    signJwt: async (_, { header, payload }) => ({
      jwt: rawJwt(holder.privateKey, header, payload),
      signerJwk: Object(holder.jwk),
    }),
    verifyJwt: async () => ({ verified: false }),
    encryptJwe: () => Promise.reject(new Error('nothing is encrypted')),
    decryptJwe: async () => ({ decrypted: false }),
  } satisfies Partial<CallbackContext> as unknown as CallbackContext
  const client = new Openid4vciClient({ callbacks })

  const tokenFor = async (link: string, txCode: string | undefined, more: object = {}) => {
    const credentialOffer = await client.resolveCredentialOffer(link)
    const issuerMetadata = await client.resolveIssuerMetadata(credentialOffer.credential_issuer)
    const { accessTokenResponse } = await client.retrievePreAuthorizedCodeAccessTokenFromOffer({
      ...{ credentialOffer, issuerMetadata },
      ...(txCode !== undefined && { txCode }),
      additionalRequestPayload: Object(more),
    })
    return { issuerMetadata, accessToken: accessTokenResponse.access_token, accessTokenResponse }
  }
  const proofFor = async (issuerMetadata: Awaited<ReturnType<typeof tokenFor>>['issuerMetadata']) => {
    const { c_nonce: nonce } = await client.requestNonce({ issuerMetadata })
    const signer = { method: 'jwk', alg: 'ES256', publicJwk: Object(holder.jwk) } as const
    const proof = { issuerMetadata, credentialConfigurationId: IDENTITY, nonce, issuedAt: new Date(), signer }
    return (await client.createCredentialRequestJwtProof(proof)).jwt
  }

  test.each(['credentialOffer', 'credentialOfferByValue'])('takes a credential by %s, and reports it', async (link) => {
    const offer = await made()
    const { issuerMetadata, accessToken } = await tokenFor(offer[link], offer.userPin)
    const jwt = [await proofFor(issuerMetadata)]
    const asked = { issuerMetadata, accessToken, credentialConfigurationId: IDENTITY, proofs: { jwt } }
    const { credentialResponse } = (await client.retrieveCredentials(asked as never)) as Json
    const { credential } = credentialResponse.credentials[0]
    expect(discloseClaims(parseSdJwt(credential))).toMatchObject({ ...CLAIMS, vct: VCT, cnf: { jwk: holder.jwk } })
    const notification = { notificationId: credentialResponse.notification_id, event: 'credential_accepted' } as const
    await client.sendNotification({ issuerMetadata, accessToken, notification })
    expect(await issuer.now(offer.issuanceSession)).toMatchObject({ notification: 'credential_accepted' })
    const session = await presented(async (uri) => {
      const { pathname } = new URL(String(new URL(uri).searchParams.get('request_uri')))
      const [id = ''] = pathname.split('/').slice(-1)
      const path = { verifierId: verifier.verifierId, verificationSessionId: id }
      const request = await verifier.done('getRequestObject', { path })
      const payload = JSON.parse(Buffer.from(request.split('.')[1], 'base64url').toString())
      const all = credential.split('~')
      const shown = `${[all[0], ...all.slice(1).filter((text: string) => Buffer.from(text, 'base64url').includes('given_name'))].join('~')}~`
      const vp_token = JSON.stringify({ id: [bindTo(holder, shown, { payload })] })
      await verifier.post({ id }, { vp_token, state: payload.state })
    })
    expect(session).toMatchObject({ state: 'ResponseVerified', claims: { id: [{ given_name: 'Erika' }] } })
  })

  test('gets the error codes of the specification', async () => {
    const offer = await made()
    const wrong = offer.userPin === '000000' ? '000001' : '000000'
    const errorOf = (promise: Promise<unknown>) =>
      promise.then(
        () => undefined,
        (error) => error.errorResponse?.error,
      )
    expect(await errorOf(tokenFor(offer.credentialOffer, wrong))).toBe('invalid_grant')
    const { issuerMetadata, accessToken } = await tokenFor(offer.credentialOffer, offer.userPin)
    const jwt = [await proofFor(issuerMetadata)]
    const asked = { issuerMetadata, accessToken, credentialConfigurationId: IDENTITY, proofs: { jwt } }
    await client.retrieveCredentials(asked as never)
    const again: Json = await client.retrieveCredentials(asked as never).catch((error) => error.response)
    expect(again.credentialErrorResponseResult.data).toMatchObject({ error: 'invalid_nonce' })
  })
})
