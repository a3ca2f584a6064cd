/** Hostile requests for credentials and notifications, and what copies tell of one another. */
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { findSession, saveSession } from '../../lib/openid4vci/session.ts'
import { discloseClaims } from '../../lib/sd-jwt/disclose.ts'
import { parseSdJwt } from '../../lib/sd-jwt/parse.ts'
import { transaction } from '../../lib/store/transaction.ts'
import {
  bound,
  CLAIMS,
  CONFIGURATIONS,
  FRAME,
  IDENTITY,
  type TestIssuer,
  useIssuer,
  type Wallet,
} from '../support/openid/issuance.ts'
import { newKey } from '../support/openid/jwts.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { useLogLines } from '../support/watch/log-lines.ts'

const stage = await useStage({ delivers: false })
const faults = new StoreFaults(stage.serviceClient)
const issuer = await useIssuer(stage)
const foreign = await useIssuer(stage, 'Other')
const lines = useLogLines()
afterEach(() => void vi.useRealTimers())

const passSeconds = (seconds: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })
const error = (name: string) => ({ status: 400, body: { error: name } })
const DENIED = error('credential_request_denied')
const NO_TOKEN = {
  status: 401,
  body: { error: 'invalid_token' },
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
}

const taken = async (options: Parameters<TestIssuer['offer']>[0] = {}, by: TestIssuer = issuer): Promise<Wallet> =>
  by.take(await by.offer(options))
const of = (id: string, payload: object = {}, more: object = {}) => ({ credentialSupportedId: id, payload, ...more })
const ask = async (wallet: Wallet, more: object = {}, by = issuer) =>
  by.postCredential(wallet.accessToken, { ...(await by.requestFor(wallet)), ...more })
const payloadOf = ({ credential }: Json): Json => decodeJwt(credential.split('~')[0])
const saltsOf = ({ credential }: Json): string[] =>
  parseSdJwt(credential).disclosures.map((text) => JSON.parse(Buffer.from(text, 'base64url').toString())[0])

describe('an access token', () => {
  test.each<[string, (token: string) => string | undefined]>([
    ['that is not there', () => undefined],
    ['with another character', (token) => token.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))],
    ['that is cut', (token) => token.slice(0, -1)],
    ['of the session alone', (token) => `${token.split('.')[0]}.`],
    ['of an unknown session', (token) => `${'A'.repeat(22)}.${token.split('.')[1]}`],
    ['that is a code', (token) => `${token.split('.')[0]}.${'A'.repeat(43)}`],
    ['with a blank', (token) => token.replace('.', ' .')],
    ['of 64 KiB', (token) => token + 'A'.repeat(64 * 1024)],
  ])('%s is invalid', async (_, change) => {
    const wallet = await taken()
    const accessToken = change(wallet.accessToken)
    const request = await issuer.requestFor(wallet)
    expect(await issuer.postCredential(accessToken, request)).toMatchObject(NO_TOKEN)
    expect(await issuer.notify(accessToken, {})).toMatchObject(NO_TOKEN)
    expect(await issuer.postCredential(wallet.accessToken, request)).toMatchObject({ status: 200 })
  })

  test('that is the code of its own offer is invalid', async () => {
    const offer = await issuer.offer()
    const wallet = await issuer.take(offer)
    expect(await issuer.postCredential(offer.code, await issuer.requestFor(wallet))).toMatchObject(NO_TOKEN)
  })

  test('of another issuer or tenant is invalid', async () => {
    const [wallet, theirs] = [await taken(), await taken({}, foreign)]
    const { issuerId } = await issuer.done('createIssuer', {
      body: { certificateId: issuer.certificateId, credentialConfigurationsSupported: CONFIGURATIONS },
    })
    for (const other of [issuerId, foreign.issuerId])
      expect(await issuer.postCredential(wallet.accessToken, await issuer.requestFor(wallet), other)).toMatchObject(
        NO_TOKEN,
      )
    expect(await ask(theirs)).toMatchObject(NO_TOKEN)
  })

  const setStatus = (wallet: Wallet, credentialStatus: 'revoked' | 'suspended') =>
    transaction(String(issuer.caller.tenantId), async (unit) => {
      const session = await findSession(unit, wallet.session.id)
      if (session !== undefined) await saveSession(unit, { ...session, credentialStatus })
    })
  test('gets nothing while its credentials are suspended, and ends when they are revoked', async () => {
    const wallet = await taken({ isRevocable: true })
    await issuer.obtain(wallet)
    await setStatus(wallet, 'suspended')
    expect(await ask(wallet)).toMatchObject(DENIED)
    await setStatus(wallet, 'revoked')
    expect(await ask(wallet)).toMatchObject(NO_TOKEN)
  })

  test('has 20 requests, and each gets the credential anew', async () => {
    const wallet = await taken({ isRevocable: true })
    const copies: Json[] = []
    for (let request = 0; request < 20; request++) copies.push(...(await issuer.obtain(wallet)).credentials)
    expect(new Set(copies.map((copy) => payloadOf(copy).status.status_list.idx)).size).toBe(20)
    expect(await ask(wallet)).toMatchObject(DENIED)
    expect((await issuer.now(wallet.session)).issuedCredentials).toHaveLength(20)
  })

  test('has 20 requests however many are concurrent', async () => {
    const wallet = await taken()
    const requests = await Promise.all(Array.from({ length: 24 }, () => issuer.requestFor(wallet)))
    const replies = [
      ...(await Promise.all(requests.map((request) => issuer.postCredential(wallet.accessToken, request)))),
      ...(await Promise.all(Array.from({ length: 8 }, () => ask(wallet)))),
    ]
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(20)
    for (const { status, body } of replies)
      expect([200, 503, 'credential_request_denied']).toContain(status === 400 ? body.error : status)
  })

  test('gets nothing without the certificate or the configuration, or after the end of either', async () => {
    const own = await useIssuer(stage, 'Without')
    const [wallet, other] = [await taken({}, own), await taken({}, own)]
    const { certificateId, issuerId: path } = own
    await own.done('updateIssuer', {
      path: { issuerId: path },
      body: { certificateId, credentialConfigurationsSupported: {} },
    })
    expect(await ask(wallet, {}, own)).toMatchObject(DENIED)
    await own.done('updateIssuer', {
      path: { issuerId: path },
      body: { credentialConfigurationsSupported: CONFIGURATIONS },
    })
    expect(await ask(wallet, {}, own)).toMatchObject({ status: 200 })
    const { type } = (await import('../../lib/records/openid-kinds.ts')).certificateRecords
    await transaction(String(own.caller.tenantId), (unit) => unit.remove(unit.tenant, type, certificateId))
    expect(await ask(other, {}, own)).toMatchObject(DENIED)
  })
})

describe('a request', () => {
  test.each<[string, object, string]>([
    ['without a name', { credential_configuration_id: undefined }, 'invalid_credential_request'],
    ['with both names', { credential_identifier: IDENTITY }, 'invalid_credential_request'],
    ['with a list as name', { credential_configuration_id: [IDENTITY] }, 'invalid_credential_request'],
    [
      'with an identifier',
      { credential_configuration_id: undefined, credential_identifier: IDENTITY },
      'unknown_credential_identifier',
    ],
    [
      'for a configuration that was not offered',
      { credential_configuration_id: 'second' },
      'unknown_credential_configuration',
    ],
    ['for an unknown one', { credential_configuration_id: 'x' }, 'unknown_credential_configuration'],
    ['for a prototype', { credential_configuration_id: 'toString' }, 'unknown_credential_configuration'],
    ['for an encrypted response', { credential_response_encryption: { enc: 'A128GCM' } }, 'invalid_credential_request'],
  ])('%s is rejected', async (_, more, name) => {
    const wallet = await taken()
    expect(await ask(wallet, more)).toMatchObject(error(name))
    expect(await ask(wallet)).toMatchObject({ status: 200 })
  })

  test('with format beside the configuration is accepted, a list in place of a body is not', async () => {
    const wallet = await taken()
    expect(await ask(wallet, { format: 'vc+sd-jwt', vct: 'other', claims: {} })).toMatchObject({ status: 200 })
    for (const body of ['[]', '5', 'null', '{', '', `{"a":${'['.repeat(100)}${']'.repeat(100)}}`])
      expect(await issuer.postCredential(wallet.accessToken, body)).toMatchObject({ status: 400 })
  })

  test('with the database away is a 503 that the wallet may repeat with the same nonce', async () => {
    for (let at = 1; ; at++) {
      const wallet = await taken({ isRevocable: true })
      const request = await issuer.requestFor(wallet)
      const kind = FAULTS['times out'] as (typeof FAULTS)[string]
      const { result, injected } = await faults.inject(at, kind, () =>
        issuer.postCredential(wallet.accessToken, request),
      )
      if (!injected) break
      expect(result).toMatchObject({ status: 503 })
      expect(await issuer.now(wallet.session)).toMatchObject({ state: 'AccessTokenCreated' })
      expect(await issuer.postCredential(wallet.accessToken, request)).toMatchObject({ status: 200 })
    }
  })
})

describe('a credential', () => {
  test('has the header and claims of SD-JWT VC, and a status', async () => {
    const exp = Math.floor(Date.now() / 1000) + 30 * 86_400
    const wallet = await taken({
      isRevocable: true,
      credentials: [of(IDENTITY, { ...CLAIMS, exp }, { disclosureFrame: FRAME })],
    })
    const {
      credentials: [made],
    } = await issuer.obtain(wallet)
    const { keys } = (await issuer.open('getIssuerKeys', {})).body
    expect(decodeProtectedHeader(made.credential.split('~')[0])).toEqual({
      ...{ typ: 'dc+sd-jwt', alg: 'ES256', kid: keys[0].kid, x5c: [expect.any(String)] },
    })
    const { iat, exp: end, ...payload } = payloadOf(made)
    expect(payload).toEqual({
      ...{ iss: issuer.url, vct: CONFIGURATIONS[IDENTITY].vct, _sd_alg: 'sha-256', cnf: { jwk: wallet.key.jwk } },
      _sd: [expect.any(String), expect.any(String)],
      address: { country: 'DE', _sd: [expect.any(String)] },
      status: {
        status_list: { idx: expect.any(Number), uri: expect.stringMatching(`^${issuer.url}/status/[^/]{22}$`) },
      },
    })
    expect(end % 86_400).toBe(0)
    expect(end - exp).toBeLessThan(86_400)
    expect(iat).toBeLessThanOrEqual(Date.now() / 1000)
    expect(discloseClaims(parseSdJwt(made.credential))).toMatchObject(CLAIMS)
    expect(await issuer.now(wallet.session)).toMatchObject({ state: 'Completed', credentialStatus: 'valid' })
  })

  test('without proof types is bound to no key, whatever proofs come; not revocable, it has no status', async () => {
    const wallet = await taken({ credentials: [of('ticket', { seat: 5 })] })
    const { credentials } = await issuer.obtain(wallet, [newKey(), newKey()], 'ticket')
    expect(credentials).toHaveLength(1)
    const { iat: _, iss: __, ...payload } = payloadOf(credentials[0])
    expect(payload).toEqual({ vct: CONFIGURATIONS.ticket.format && 'https://credentials.example/ticket', seat: 5 })
    expect(await issuer.now(wallet.session)).not.toHaveProperty('credentialStatus')
  })

  test('of an issuer whose certificate does not name it has no iss', async () => {
    const { keyId } = await issuer.done('createCertificate', { body: { issuer: 'CN=Nameless' } })
    const wallet = await taken({ credentials: [of(IDENTITY, {}, { signerOptions: { method: 'x5c', keyId } })] })
    expect(payloadOf((await issuer.obtain(wallet)).credentials[0])).not.toHaveProperty('iss')
  })

  test('at a place that the tenant has chosen is for one key, and has that place each time', async () => {
    const own = await useIssuer(stage, 'Chosen', { batchCredentialIssuance: undefined })
    const place = { listId: 'mine', index: 7 }
    const offer = await own.offer({ credentials: [of(IDENTITY, CLAIMS, { statusListDetails: place })] })
    const wallet = await own.take(offer)
    for (const _ of [1, 2]) {
      const [made] = (await own.obtain(wallet)).credentials
      expect(payloadOf(made).status).toEqual({ status_list: { uri: `${own.url}/status/mine`, idx: 7 } })
    }
    await own.done('updateIssuer', {
      path: { issuerId: own.issuerId },
      body: { credentialConfigurationsSupported: CONFIGURATIONS, batchCredentialIssuance: { batchSize: 2 } },
    })
    const two = await own.requestFor(wallet, [newKey(), newKey()])
    expect(await own.postCredential(wallet.accessToken, two)).toMatchObject(error('invalid_proof'))
    expect(await own.now(wallet.session)).toMatchObject({ issuedCredentials: [{ count: 1 }, { count: 1 }] })
  })

  test('shares nothing with the others of its batch that others do not share', async () => {
    const keys = Array.from({ length: 10 }, () => newKey())
    const credentials = [of(IDENTITY, CLAIMS, { disclosureFrame: { ...FRAME, _sd_decoy: 3 } })]
    const one = await taken({ isRevocable: true, credentials })
    const other = await taken({ isRevocable: true, credentials })
    const batch = (await issuer.obtain(one, keys)).credentials
    const [alone] = (await issuer.obtain(other)).credentials
    const all: Json[] = [...batch, alone]
    const salts = all.flatMap(saltsOf)
    expect(new Set(salts).size).toBe(33)
    for (const salt of salts) expect(Buffer.from(salt, 'base64url')).toHaveLength(16)
    const payloads = all.map(payloadOf)
    const digests = payloads.flatMap(({ _sd, address }) => [..._sd, ...address._sd])
    expect(new Set(digests).size).toBe(11 * 6)
    for (const { _sd } of payloads) expect(_sd).toEqual(_sd.toSorted())
    expect(new Set(payloads.map(({ cnf }) => JSON.stringify(cnf))).size).toBe(11)
    const places = payloads.map(({ status }) => status.status_list.idx)
    expect(new Set(places).size).toBe(11)
    expect(places).not.toEqual(places.toSorted((a, b) => a - b))
    // All else is that of the other's: times, list, certificate.
    const rest = payloads.map(({ _sd, address, cnf, status, ...same }) =>
      JSON.stringify({ ...same, uri: status.status_list.uri }),
    )
    expect(new Set(rest).size).toBe(1)
    expect(new Set(all.map(({ credential }) => credential.split('.')[0])).size).toBe(1)
  })

  test('of the largest payload, nested as deeply as allowed, is read by our own verifier', async () => {
    const nested = (levels: number): unknown => (levels === 0 ? 'end' : { a: nested(levels - 1) })
    const payload = { deep: nested(14), text: 'ä'.repeat(31 * 1024), list: [1, [2], { a: 3 }] }
    const disclosureFrame = { _sd: ['deep', 'text', 'list'], list: { _sd: [0, 2], 2: { _sd: ['a'] } } }
    const wallet = await taken({ credentials: [of(IDENTITY, payload, { disclosureFrame })] })
    const { credentials } = await issuer.obtain(wallet, [newKey(), newKey()])
    for (const { credential } of credentials) expect(discloseClaims(parseSdJwt(credential))).toMatchObject(payload)
  })
})

describe('claims', () => {
  test('are in no record, event or log line, and their names are in the record', async () => {
    const wallet = await taken()
    const { credentials } = await issuer.obtain(wallet)
    const listed = await issuer.done('getIssuanceSessions', {})
    const record = await issuer.now(wallet.session)
    const stored = await transaction(String(issuer.caller.tenantId), (unit) => findSession(unit, wallet.session.id))
    expect(record.credentials).toMatchObject([{ claimNames: ['given_name', 'family_name', 'address'] }])
    const texts = JSON.stringify([record, listed, stored, lines])
    for (const value of ['Erika', 'Mustermann', 'Berlin', wallet.accessToken, credentials[0].credential.slice(0, 40)])
      expect(texts).not.toContain(value)
  })

  test('are deleted ten minutes after the token was given, and once all was accepted', async () => {
    const both = [of(IDENTITY, CLAIMS), of('second', CLAIMS)]
    const wallet = await taken({ credentials: both, expiresIn: 604_800 })
    const { notification_id } = await issuer.obtain(wallet)
    expect(await issuer.now(wallet.session)).toMatchObject({ state: 'CredentialsPartiallyIssued' })
    const accept = { notification_id, event: 'credential_accepted' }
    expect(await issuer.notify(wallet.accessToken, accept)).toMatchObject({ status: 204 })
    const last = await issuer.obtain(wallet, undefined, 'second')
    expect(await issuer.now(wallet.session)).toMatchObject({ state: 'Completed', notification: 'credential_accepted' })
    expect(await ask(wallet)).toMatchObject({ status: 200 })
    const { loadClaims } = await import('../../lib/openid4vci/claims.ts')
    const claims = () => transaction(String(issuer.caller.tenantId), (unit) => loadClaims(unit, wallet.session.id))
    const other = await taken({ expiresIn: 604_800 })
    const others = () => transaction(String(issuer.caller.tenantId), (unit) => loadClaims(unit, other.session.id))
    expect(await claims()).toHaveLength(2)
    expect(await issuer.notify(wallet.accessToken, { ...accept, notification_id: last.notification_id })).toMatchObject(
      { status: 204 },
    )
    expect(await claims()).toBeUndefined()
    expect(await ask(wallet)).toMatchObject(DENIED)
    passSeconds(600)
    expect(await others()).toBeUndefined()
    expect(await ask(other)).toMatchObject(NO_TOKEN)
  })
})

describe('a notification', () => {
  test.each<[string, object, string]>([
    ['without an event', { event: undefined }, 'invalid_notification_request'],
    ['with another event', { event: 'credential_stolen' }, 'invalid_notification_request'],
    ['with a list as event', { event: ['credential_accepted'] }, 'invalid_notification_request'],
    ['without an id', { notification_id: undefined }, 'invalid_notification_request'],
    ['with a number as id', { notification_id: 5 }, 'invalid_notification_request'],
    ['with an unknown id', { notification_id: 'A'.repeat(22) }, 'invalid_notification_id'],
  ])('%s is rejected, and changes nothing', async (_, more, name) => {
    const wallet = await taken()
    const { notification_id } = await issuer.obtain(wallet)
    const body = { notification_id, event: 'credential_accepted', ...more }
    expect(await issuer.notify(wallet.accessToken, body)).toMatchObject(error(name))
    expect(await issuer.now(wallet.session)).not.toHaveProperty('notification')
  })

  test('is accepted twice, not for the id of another token, and its text is stored nowhere', async () => {
    const [wallet, other] = [await taken(), await taken()]
    const { notification_id } = await issuer.obtain(wallet)
    const body = { notification_id, event: 'credential_deleted', event_description: 'a text of the wallet' }
    expect(await issuer.notify(other.accessToken, body)).toMatchObject(error('invalid_notification_id'))
    for (const _ of [1, 2]) expect(await issuer.notify(wallet.accessToken, body)).toMatchObject({ status: 204 })
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => issuer.notify(wallet.accessToken, { ...body, event: 'credential_accepted' })),
    )
    for (const { status } of replies) expect([204, 503]).toContain(status)
    const stored = await transaction(String(issuer.caller.tenantId), (unit) => findSession(unit, wallet.session.id))
    expect(stored).toMatchObject({ notification: 'credential_accepted' })
    expect(JSON.stringify([stored, lines])).not.toMatch(/a text of the wallet/)
    expect(JSON.stringify(stored)).not.toContain(notification_id)
    expect(bound().vct).toBe(stored?.credentials[0]?.vct)
  })
})

test('an issuer stays until the last of its revocable credentials ends, whichever was issued first', async () => {
  const own = await useIssuer(stage, 'Stays')
  const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * 86_400
  for (const days of [9, 20, 12])
    await own.obtain(await taken({ credentials: [of(IDENTITY, { exp: inDays(days) }, { isRevocable: true })] }, own))
  const { status, body } = await own.call('deleteIssuer', { path: { issuerId: own.issuerId } })
  expect({ status, until: body.message }).toEqual({
    status: 409,
    until: expect.stringContaining(new Date(Math.ceil(inDays(20) / 86_400) * 86_400_000).toISOString()),
  })
})
