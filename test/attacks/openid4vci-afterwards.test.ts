/** What changes at an issuer after an offer was created or accepted, and wallets that make use of it. */
import { expect, test } from 'vitest'
import { bound, CLAIMS, CONFIGURATIONS, IDENTITY, unbound, useIssuer, type Wallet } from '../support/openid/issuance.ts'
import { newKey } from '../support/openid/jwts.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'

const stage = await useStage({ delivers: false })
const issuer = await useIssuer(stage)
const update = (configurations: object, by = issuer, more: object = {}) =>
  by.done('updateIssuer', {
    path: { issuerId: by.issuerId },
    body: { certificateId: by.certificateId, credentialConfigurationsSupported: configurations, ...more },
  })
const both = [IDENTITY, 'second'].map((id) => ({ credentialSupportedId: id, payload: CLAIMS }))
const taken = async (options: Parameters<typeof issuer.offer>[0] = {}) => {
  const offer = await issuer.offer(options)
  return { offer, wallet: await issuer.take(offer) }
}
const ask = async (wallet: Wallet, id: string, more: object = {}, by = issuer) =>
  by.postCredential(wallet.accessToken, { ...(await by.requestFor(wallet, undefined, id)), ...more })
const keyIdsOf = async (by: typeof issuer): Promise<string[]> =>
  (await by.open('getIssuerKeys', {})).body.keys.map(({ kid }: Json) => kid)

test('keys of certificates that have signed stay in the key set, and the certificates with them', async () => {
  const own = await useIssuer(stage, 'Keys', { certificateId: undefined, batchCredentialIssuance: undefined })
  const chosen = [
    { credentialSupportedId: 'ticket', payload: {}, signerOptions: { method: 'x5c', keyId: own.certificateId } },
  ]
  await own.offer({ credentials: chosen })
  const before = await keyIdsOf(own)
  expect(before).toHaveLength(1)
  const { keyId: certificateId } = await own.done('createCertificate', { body: { issuer: 'CN=Next' } })
  expect(await keyIdsOf(own)).toEqual(before)
  await update(CONFIGURATIONS, own, { certificateId })
  expect(await keyIdsOf(own)).toEqual(expect.arrayContaining(before))
  for (const id of [certificateId, own.certificateId])
    expect(await own.call('deleteCertificate', { path: { certificateId: id } })).toMatchObject({ status: 409 })
})

test('a code that is used again ends the token of what was issued in full, and has no other effect', async () => {
  const { offer, wallet } = await taken()
  await issuer.obtain(wallet)
  expect(await issuer.postToken(issuer.formOf(offer))).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  expect(await issuer.now(offer.session)).toMatchObject({ state: 'Completed' })
  expect(await ask(wallet, IDENTITY)).toMatchObject({ status: 401 })
})

test('claims stay until the wallet has accepted each configuration', async () => {
  const { wallet } = await taken({ credentials: both })
  const [first] = [await issuer.obtain(wallet, undefined, IDENTITY), await issuer.obtain(wallet, undefined, 'second')]
  const accepted = { notification_id: first.notification_id, event: 'credential_accepted' }
  await issuer.notify(wallet.accessToken, accepted)
  const { status, body } = await ask(wallet, 'second')
  expect(status).toBe(200)
  await issuer.notify(wallet.accessToken, { ...accepted, notification_id: body.notification_id })
  expect(await ask(wallet, 'second')).toMatchObject({ status: 400, body: { error: 'credential_request_denied' } })
})

test('a key is the same one in another spelling of its coordinates', async () => {
  const { wallet } = await taken()
  const jwk = Object(wallet.key.jwk)
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  // The last two bits of 43 characters are left over.
  const x = jwk.x.replace(/.$/, (last: string) => letters[letters.indexOf(last) ^ 1])
  const request = await issuer.requestFor(wallet, [wallet.key, { ...wallet.key, jwk: { ...jwk, x } }])
  expect(await issuer.postCredential(wallet.accessToken, request)).toMatchObject({
    status: 400,
    body: { error: 'invalid_proof' },
  })
})

test('empty objects and lists are claims, too', async () => {
  const claims = [{ path: ['given_name'] }]
  await update({ ...CONFIGURATIONS, listed: unbound({ credential_metadata: { claims } }) })
  for (const payload of [{ given_name: 'Erika', admin: {} }, { roles: [[], {}] }])
    await expect(issuer.offer({ credentials: [{ credentialSupportedId: 'listed', payload }] })).rejects.toThrow('422')
})

test('a configuration that was deleted asks for no proof, because nothing is issued', async () => {
  await update({ ...CONFIGURATIONS, toString: bound() })
  const { wallet } = await taken({ credentials: [{ credentialSupportedId: 'toString', payload: {} }] })
  await update(CONFIGURATIONS)
  expect(await issuer.postCredential(wallet.accessToken, { credential_configuration_id: 'toString' })).toMatchObject({
    body: { error: 'credential_request_denied' },
  })
})

test('a token for a part of the offer is for that part, and null is what is absent', async () => {
  const offer = await issuer.offer({ credentials: both })
  const details = [{ type: 'openid_credential', credential_configuration_id: IDENTITY }]
  const wallet = await issuer.take(offer, { authorization_details: JSON.stringify(details) })
  expect(await ask(wallet, 'second')).toMatchObject({ body: { error: 'unknown_credential_configuration' } })
  const nulls = { credential_identifier: null, proof: null, credential_response_encryption: null }
  expect(await ask(wallet, IDENTITY, nulls)).toMatchObject({ status: 200 })
})

test('copies that are too large for one answer are rejected before anything is written', async () => {
  const own = await useIssuer(stage, 'Large', { batchCredentialIssuance: undefined })
  const offer = await own.offer({
    credentials: [{ credentialSupportedId: IDENTITY, payload: { text: 'x'.repeat(64_000) } }],
  })
  const wallet = await own.take(offer)
  await update(CONFIGURATIONS, own, { batchCredentialIssuance: { batchSize: 50 } })
  const keys = Array.from({ length: 50 }, newKey)
  expect(await own.postCredential(wallet.accessToken, await own.requestFor(wallet, keys))).toMatchObject({
    body: { error: expect.stringMatching(/credential_request_denied/) },
  })
  expect(await own.postCredential(wallet.accessToken, await own.requestFor(wallet, keys.slice(0, 9)))).toMatchObject({
    status: 200,
  })
})

test.each(['2026-01-01T00:00:00+01', '2026-02-31T00:00:00Z', 'yesterday'])(
  'a bulk revocation with the time %s is rejected, in place of revoking nothing',
  async (issuedBefore) => {
    const body = { publicIssuerId: issuer.issuerId, issuedBefore }
    expect(await issuer.call('revokeStatuses', { body })).toMatchObject({ status: 422 })
  },
)
