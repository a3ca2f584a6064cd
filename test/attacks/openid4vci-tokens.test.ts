/** Hostile requests for access tokens: codes and PINs guessed, raced, replayed, of third parties, and expired. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { GRANT_TYPE, type Offer, useIssuer } from '../support/openid/issuance.ts'
import type { Reply } from '../support/stage/in-process-stage.ts'
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
const BAD_GRANT = { status: 400, body: { error: 'invalid_grant' } }
const BAD_REQUEST = { status: 400, body: { error: 'invalid_request' } }
const NO_TOKEN = { status: 401, body: { error: 'invalid_token' } }

const ask = (offer: Pick<Offer, 'code' | 'pin'>, pin = offer.pin, more: Record<string, string> = {}) =>
  issuer.postToken(issuer.formOf({ ...offer, pin }, more))
const wrongPin = ({ pin }: Offer): string => (pin === '0000' ? '0001' : '0000')
const stateOf = async (offer: Offer) => (await issuer.now(offer.session)).state
/** Whether an access token still works: the request itself is not a good one. */
const isAlive = async ({ body }: Reply) =>
  (await issuer.postCredential(body.access_token, {})).body.error === 'invalid_credential_request'

describe('a code', () => {
  test('gives a token for ten minutes, to the second', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 1000) * 1000 })
    const given = await ask(await issuer.offer())
    expect(given).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 600 } })
    expect(given.headers['cache-control']).toBe('no-store')
    expect(given.body).not.toHaveProperty('authorization_details')
    passSeconds(599)
    expect(await isAlive(given)).toBe(true)
    passSeconds(1)
    expect(await isAlive(given)).toBe(false)
  })

  test.each<[string, (code: string, theirs: string) => string]>([
    ['with another character', (code) => code.slice(0, -2) + (code.at(-2) === 'A' ? 'B' : 'A') + code.slice(-1)],
    [
      'with other bits of the same bytes',
      (code) => code.slice(0, -1) + String.fromCharCode(code.charCodeAt(code.length - 1) + 1),
    ],
    ['that is cut', (code) => code.slice(0, -1)],
    ['without its MAC', (code) => `${code.split('.')[0]}.`],
    ['with the MAC of another session', (code, other) => `${code.split('.')[0]}.${other.split('.')[1]}`],
    ['of an unknown session', (code) => `${'A'.repeat(22)}.${code.split('.')[1]}`],
    ['that names a prototype', () => '__proto__'],
    ['of 64 KiB', (code) => code + 'A'.repeat(64 * 1024)],
  ])('%s gives none, and changes nothing', async (_, change) => {
    const [offer, other] = [await issuer.offer(), await issuer.offer()]
    expect(await ask({ ...offer, code: change(offer.code, other.code) })).toMatchObject(BAD_GRANT)
    expect(await stateOf(offer)).toBe('OfferCreated')
    expect(await ask(offer)).toMatchObject({ status: 200 })
  })

  test('of another issuer or tenant gives none there, and changes nothing', async () => {
    const [offer, theirs] = [await issuer.offer(), await foreign.offer()]
    const { certificateId } = issuer
    const { issuerId } = await issuer.done('createIssuer', {
      body: { certificateId, credentialConfigurationsSupported: {} },
    })
    expect(await ask(theirs)).toMatchObject(BAD_GRANT)
    for (const other of [issuerId, foreign.issuerId])
      expect(await issuer.postToken(issuer.formOf(offer), other)).toMatchObject(BAD_GRANT)
    expect(await issuer.postToken(issuer.formOf(offer), 'unknown')).toMatchObject({ ...BAD_REQUEST, status: 404 })
    expect(await ask(offer)).toMatchObject({ status: 200 })
  })

  test('gives none at the second at which the offer expires', async () => {
    const [early, late] = [await issuer.offer({ expiresIn: 60 }), await issuer.offer({ expiresIn: 60 })]
    passSeconds(58)
    expect(await ask(early)).toMatchObject({ status: 200 })
    passSeconds(2)
    expect(await ask(late)).toMatchObject(BAD_GRANT)
    expect(await stateOf(late)).toBe('OfferCreated')
  })

  test('gives one token to 20 at the same time', async () => {
    const offer = await issuer.offer({ pin: true })
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask(offer)))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, body } of replies.filter((one) => one.status !== 200))
      expect([400, 503]).toContain(status === 400 && body.error !== 'invalid_grant' ? body.error : status)
  })

  test('gives none once its session or issuer is deleted, and its token ends', async () => {
    const own = await useIssuer(stage, 'Ending')
    const [used, deleted, open] = [await own.offer(), await own.offer(), await own.offer()]
    const { accessToken } = await own.take(used)
    for (const { session } of [used, deleted])
      await own.done('deleteIssuanceSession', { path: { issuanceSessionId: session.id } })
    expect(await own.postToken(own.formOf(deleted))).toMatchObject(BAD_GRANT)
    expect(await own.postCredential(accessToken, {})).toMatchObject(NO_TOKEN)
    const wallet = await own.take(await own.offer())
    await own.done('deleteIssuer', { path: { issuerId: own.issuerId }, query: { keep: 'public' } })
    expect(await own.postToken(own.formOf(open))).toMatchObject(BAD_GRANT)
    expect(await own.postCredential(wallet.accessToken, await issuer.requestFor(wallet))).toMatchObject(NO_TOKEN)
    expect(await own.notify(wallet.accessToken, {})).toMatchObject(NO_TOKEN)
    expect(await own.open('requestNonce', {})).toMatchObject({ status: 404 })
    await own.done('deleteIssuer', { path: { issuerId: own.issuerId } })
    for (const operation of ['requestNonce', 'requestCredential', 'receiveNotification'])
      expect(await own.open(operation, { body: {} })).toMatchObject({ status: 404 })
  })

  test.each([
    ['another grant', { grant_type: 'authorization_code' }, 'unsupported_grant_type'],
    ['no code', { 'pre-authorized_code': '' }, 'invalid_request'],
    ['a PIN that was not asked for', { tx_code: '1234' }, 'invalid_request'],
    ['details that are not JSON', { authorization_details: '{' }, 'invalid_request'],
    ['details of another type', { authorization_details: '[{"type":"a"}]' }, 'invalid_request'],
    ['empty details', { authorization_details: '[]' }, 'invalid_request'],
    [
      'details of another configuration',
      { authorization_details: '[{"type":"openid_credential","credential_configuration_id":"second"}]' },
      'invalid_request',
    ],
  ])('with %s gives none, and changes nothing', async (_, form, error) => {
    const offer = await issuer.offer()
    expect(await ask(offer, undefined, form)).toMatchObject({ status: 400, body: { error } })
    expect(await ask(offer)).toMatchObject({ status: 200 })
  })
})

describe('a PIN', () => {
  test.each<[string, (pin: string) => string]>([
    ['with a blank before it', (pin) => ` ${pin}`],
    ['with a blank behind it', (pin) => `${pin} `],
    ['with a zero before it', (pin) => `0${pin}`],
    ['as a number with a fraction', (pin) => `${pin}.0`],
    ['in full-width digits', (pin) => pin.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)))],
    ['of 64 KiB', (pin) => pin + '0'.repeat(64 * 1024)],
  ])('%s is wrong, and counted', async (_, change) => {
    const offer = await issuer.offer({ pin: true })
    for (let tries = 0; tries < 4; tries++) expect(await ask(offer, change(String(offer.pin)))).toMatchObject(BAD_GRANT)
    expect(await ask(offer)).toMatchObject({ status: 200 })
    const other = await issuer.offer({ pin: true })
    for (let tries = 0; tries < 5; tries++) await ask(other, change(String(other.pin)))
    expect(await ask(other)).toMatchObject(BAD_GRANT)
    expect(await issuer.now(other.session)).toMatchObject({ state: 'Error', errorMessage: 'the PIN was wrong 5 times' })
  })

  test('that is missing is not counted', async () => {
    const offer = await issuer.offer({ pin: true })
    for (let tries = 0; tries < 6; tries++)
      expect(await ask({ code: offer.code, pin: undefined })).toMatchObject(BAD_REQUEST)
    expect(await ask(offer)).toMatchObject({ status: 200 })
  })

  test('is guessed at most five times by 20 concurrent callers, however often that is repeated', async () => {
    const offer = await issuer.offer({ pin: true })
    const guesses = Array.from({ length: 20 }, (_, guess) => String(9000 + guess)).filter(
      (guess) => guess !== offer.pin,
    )
    for (let round = 0; round < 3; round++) {
      const replies = await Promise.all(guesses.map((guess) => ask(offer, guess)))
      for (const { status } of replies) expect([400, 503]).toContain(status)
    }
    expect(await ask(offer)).toMatchObject(BAD_GRANT)
  })

  test('of another session, or with its code, does not count for this one', async () => {
    const [offer, other] = [await issuer.offer({ pin: true }), await issuer.offer({ pin: true })]
    if (offer.pin !== other.pin) expect(await ask(offer, other.pin)).toMatchObject(BAD_GRANT)
    for (let tries = 0; tries < 5; tries++) await ask(other, wrongPin(other))
    expect(await ask(offer)).toMatchObject({ status: 200 })
  })

  test('is shown nowhere: not in the record, the list, the page of the offer, or the log', async () => {
    const offer = await issuer.offer({ pin: true })
    const path = { issuanceSessionId: offer.session.id, issuerId: issuer.issuerId }
    const read = await issuer.open('getCredentialOffer', { path })
    await ask(offer, wrongPin(offer))
    const { body } = await ask(offer)
    const listed = await issuer.done('getIssuanceSessions', {})
    const texts = JSON.stringify([await issuer.now(offer.session), listed, lines])
    for (const secret of [`"${offer.pin}"`, offer.code, offer.code.split('.')[1], body.access_token])
      expect(texts).not.toContain(secret)
    expect(JSON.stringify(read.body)).not.toContain(`"${offer.pin}"`)
  })
})

describe('a code that was used', () => {
  test.each([true, false])('ends its token where it is repeated rightly (with a PIN: %s)', async (pin) => {
    const offer = await issuer.offer({ pin })
    const given = await ask(offer)
    expect(await isAlive(given)).toBe(true)
    expect(await ask(offer)).toMatchObject(BAD_GRANT)
    expect(await isAlive(given)).toBe(false)
    expect(await stateOf(offer)).toBe('Error')
    expect(await ask(offer)).toMatchObject(BAD_GRANT)
  })

  test('is invalid_grant whatever its PIN; from the fifth wrong one on nothing ends its token', async () => {
    const offer = await issuer.offer({ pin: true })
    await ask(offer, wrongPin(offer))
    const given = await ask(offer)
    expect(await ask({ code: offer.code, pin: undefined })).toMatchObject(BAD_GRANT)
    for (let tries = 2; tries < 5; tries++) expect(await ask(offer, wrongPin(offer))).toMatchObject(BAD_GRANT)
    for (const guess of [offer.pin, wrongPin(offer), undefined])
      expect(await ask({ code: offer.code, pin: guess })).toMatchObject(BAD_GRANT)
    expect(await isAlive(given)).toBe(true)
    expect(await stateOf(offer)).toBe('AccessTokenCreated')
  })

  test('does nothing once its token has expired', async () => {
    const offer = await issuer.offer()
    await ask(offer)
    passSeconds(600)
    expect(await ask(offer)).toMatchObject(BAD_GRANT)
    expect(await stateOf(offer)).toBe('AccessTokenCreated')
  })
})

test('with the database away it is a 503, and nothing was written', async () => {
  for (let at = 1; ; at++) {
    const offer = await issuer.offer({ pin: true })
    const kind = FAULTS['times out'] as (typeof FAULTS)[string]
    const { result, injected } = await faults.inject(at, kind, () => ask(offer))
    if (!injected) break
    expect(result).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
    expect(await stateOf(offer)).toBe('OfferCreated')
    expect(await ask(offer)).toMatchObject({ status: 200 })
  }
})

test('authorization_details get identifiers, which are those of the token only', async () => {
  const credentials = ['identity', 'ticket'].map((id) => ({ credentialSupportedId: id, payload: { name: 'Ada' } }))
  const offer = await issuer.offer({ credentials })
  const details = [{ type: 'openid_credential', credential_configuration_id: 'ticket' }]
  const { body } = await ask(offer, undefined, { authorization_details: JSON.stringify(details) })
  expect(body.authorization_details).toEqual([{ ...details[0], credential_identifiers: ['ticket'] }])
  const by = (id: string) => issuer.postCredential(body.access_token, { credential_identifier: id })
  expect(await by('identity')).toMatchObject({ status: 400, body: { error: 'unknown_credential_identifier' } })
  expect(await by('ticket')).toMatchObject({ status: 200 })
  expect(GRANT_TYPE in offer.content.grants).toBe(true)
})
