/** docs/cost.md on OpenID4VCI, checked by a test: what a credential consumes, with its events, and the bounds of its parts. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { documented, OPENID_ISSUANCE } from '../support/cost/document.ts'
import { expectUnits } from '../support/cost/expect-units.ts'
import { CLAIMS, FRAME, IDENTITY, useIssuer } from '../support/openid/issuance.ts'
import { newKey } from '../support/openid/jwts.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { ConsumedUnits, type Units } from '../support/table/consumed-units.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'

const stage = await useStage({ delivers: false, embedded: true })
const consumed = new ConsumedUnits(stage.serviceClient)
const issuer = await useIssuer(stage)
const { issuerId } = issuer
const receiver = await stopAtEnd(startFaultyReceiver())
await stage.call('registerWebhook', {
  path: { orgId: String(issuer.caller.tenantId) },
  body: { webhookUrl: `${receiver.url}/webhook` },
})

/** Claims of so many bytes of JSON, which can hardly be packed. */
const claimsOf = (bytes: number) => {
  const empty = { ...CLAIMS, portrait: '' }
  return { ...empty, portrait: randomBytes(bytes).toString('base64').slice(JSON.stringify(empty).length, bytes) }
}

/** Measures acts, each under a name. */
const measuring = () => {
  const units: Record<string, Units> = {}
  const part = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const measured = await consumed.of(act)
    units[name] = measured.units
    return measured.result
  }
  return { units, part }
}

/** From the offer to the notification of a wallet that takes `copies` of a credential. */
const issue = async ({ part }: ReturnType<typeof measuring>, copies: number, payload: object) => {
  const credentials = [{ credentialSupportedId: IDENTITY, payload, disclosureFrame: FRAME }]
  const offer = await part('offer', () => issuer.offer({ credentials, isRevocable: true, pin: true }))
  const path = { issuanceSessionId: String(offer.session.id) }
  await part('offer that is read', () => issuer.open('getCredentialOffer', { path: { issuerId, ...path } }))
  for (const name of ['openid-credential-issuer', 'oauth-authorization-server'])
    await part(name, () => issuer.open('getWellKnown', { path: { issuerId, name } }))
  const wallet = await part('token', () => issuer.take(offer))
  const request = await part('nonce', () => issuer.requestFor(wallet, Array.from({ length: copies }, newKey)))
  const { body } = await part('credential', () => issuer.postCredential(wallet.accessToken, request))
  const accepted = { notification_id: body.notification_id, event: 'credential_accepted' }
  expect(await part('notification', () => issuer.notify(wallet.accessToken, accepted))).toMatchObject({ status: 204 })
  return path
}

/** Maximum write units; of steps that write, end or delete the claims, with 1 KB of them. */
const BOUNDS = { 'offer that is read': 4, credential: 12 }
const OF_CLAIMS = { offer: 6, token: 4, notification: 4 }
const NONE = ['openid-credential-issuer', 'oauth-authorization-server', 'nonce', 'keys', 'list']

test.each([
  ['the first credentials of an issuer, a batch of 2', 2, 1],
  ['a batch of 2', 2, 1],
  ['one credential of 4 KB', 1, 4],
])('the parts of %s consume no more write units than their bounds', async (_, copies, kilobytes) => {
  const { units, part } = measuring()
  const path = await issue({ units, part }, copies, claimsOf(kilobytes * 1024))
  const [{ status }] = (await issuer.done('getIssuanceSessionById', { path })).issuedCredentials
  const changes = ['suspend', 'resume', 'revoke']
  for (const change of changes) await part(change, () => issuer.done(`${change}IssuanceSession`, { path, body: {} }))
  await part('keys', () => issuer.open('getIssuerKeys', { path: { issuerId } }))
  await part('list', () => issuer.open('getStatusList', { path: { issuerId, listId: status.listId } }))
  for (const [name, most] of Object.entries(BOUNDS)) expect(units[name]?.write, name).toBeLessThanOrEqual(most)
  for (const [name, most] of Object.entries(OF_CLAIMS))
    expect(units[name]?.write, name).toBeLessThanOrEqual(most + 2 * (kilobytes - 1))
  for (const change of changes) expect(units[change]?.write, change).toBeLessThanOrEqual(2 + 2 * copies)
  for (const name of NONE) expect(units[name]?.write, name).toBe(0)
})

test('a revocable credential and its events consume what the document says', async () => {
  await stage.line.settle()
  const received = receiver.received.length
  const { units } = await consumed.during(async () => {
    await issue(measuring(), 1, CLAIMS)
    await stage.line.settle()
  })
  expect(receiver.received.length - received).toBe(4)
  const row = documented.get(OPENID_ISSUANCE)
  if (row === undefined) throw new Error(`docs/cost.md has no row of ${OPENID_ISSUANCE}`)
  expectUnits(units, row)
})
