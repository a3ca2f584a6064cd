/** Wallets that ask for another credential than the one that they were offered: nothing but the offer is ever signed. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import '../../lib/agent/compose.ts'
import { currentAgent } from '../../lib/agent/credo/current.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { connect, createTenant, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const ISSUE = 'https://didcomm.org/issue-credential/2.0'
const DETAIL = 'aries/ld-proof-vc-detail@v1.0'
const STRANGER = 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
const MODES = ['always', 'contentApproved', 'never'] as const

const stage = await useStage()
const wallet = await useWallet({ acceptOffers: false })
const raw = new RawMessages(wallet)
const caller = await createTenant(stage)
const connection = await connect(stage, wallet, caller)
/** The DID that the tenant issues with, as in its first offer. */
const issuerOfTenant = async (): Promise<string> => {
  await stage.call('createOffer', { caller, body: offerBody(connection.connectionId, wallet.did) })
  const { id } = await waitFor('the offer', async () => (await wallet.credentialExchanges())[0])
  const { offer: formats } = await wallet.agent.didcomm.credentials.getFormatData(id)
  return String(formats?.jsonld?.credential.issuer)
}
const issuer = await issuerOfTenant()

interface Offered {
  id: string
  thid: string
  /** What the wallet is offered: a credential and its options. */
  detail: Json
}

const offer = async (mode: string = 'always', credentialSubject?: object, context?: object): Promise<Offered> => {
  const body = offerBody(connection.connectionId, wallet.did)
  const { credential, options } = body.credentialFormats.jsonld
  const contexts = context && { '@context': [...credential['@context'], context] }
  const detail = {
    credential: { ...credential, ...contexts, issuer, ...(credentialSubject !== undefined && { credentialSubject }) },
    options,
  }
  const { body: record } = await stage.call('createOffer', {
    caller,
    body: { ...body, autoAcceptCredential: mode, credentialFormats: { jsonld: detail } },
  })
  return { id: record.id, thid: record.threadId, detail }
}

const base64 = (data: unknown) => ({
  base64: Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)).toString('base64'),
})

const requestOf = (thid: string, detail: unknown, more: object = {}) => ({
  '@type': `${ISSUE}/request-credential`,
  '@id': randomUUID(),
  '~thread': { thid },
  '~transport': { return_route: 'all' },
  formats: [{ attach_id: 'a', format: DETAIL }],
  'requests~attach': [{ '@id': 'a', 'mime-type': 'application/json', data: base64(detail) }],
  ...more,
})

const send = (message: object) => raw.sendOn(connection.walletConnectionId, message)
const record = async ({ id }: { id: string }): Promise<Json> =>
  (await stage.call('getCredentialById', { caller, path: { credentialRecordId: id } })).body

const issued = ({ message }: { message?: Json }): Json => {
  expect(message?.['@type']).toBe(`${ISSUE}/issue-credential`)
  return JSON.parse(Buffer.from(message['credentials~attach'][0].data.base64, 'base64').toString())
}

/** The exchange is abandoned, and the wallet gets a problem report. */
const expectAbandoned = async (offered: Offered, answer: { status: number; message?: Json }) => {
  expect(answer).toMatchObject({
    status: 200,
    message: {
      '@type': `${ISSUE}/problem-report`,
      '~thread': { thid: offered.thid },
      description: { code: 'issuance-abandoned' },
    },
  })
  expect(await record(offered)).toMatchObject({ state: 'abandoned', errorMessage: expect.stringContaining('offer') })
}

const withCredential = (more: object) => (detail: Json) => ({
  ...detail,
  credential: { ...detail.credential, ...more },
})
const withSubject = (more: object) => (detail: Json) =>
  withCredential({ credentialSubject: { ...detail.credential.credentialSubject, ...more } })(detail)
const withOptions = (more: object) => (detail: Json) => ({ ...detail, options: { ...detail.options, ...more } })

describe.each(MODES)('with autoAcceptCredential %s', (mode) => {
  test('a request for another credential is abandoned with a problem report', async () => {
    const offered = await offer(mode)
    await expectAbandoned(
      offered,
      await send(requestOf(offered.thid, withSubject({ degree: 'Doctor' })(offered.detail))),
    )
  })
})

test.each<[string, (detail: Json) => unknown]>([
  ['a claim more', withSubject({ honours: true })],
  [
    'a claim less',
    (detail) => withCredential({ credentialSubject: { id: detail.credential.credentialSubject.id } })(detail),
  ],
  ['another subject', withSubject({ id: STRANGER })],
  [
    'a subject more',
    (detail) => withCredential({ credentialSubject: [detail.credential.credentialSubject, { id: STRANGER }] })(detail),
  ],
  ['another issuer', withCredential({ issuer: STRANGER })],
  ['another date of issuance', withCredential({ issuanceDate: '2020-01-01T00:00:00Z' })],
  ['an invalid date', withCredential({ issuanceDate: 'yesterday' })],
  ['an expiry', withCredential({ expirationDate: '2099-01-01T00:00:00Z' })],
  ['an id', withCredential({ id: 'urn:uuid:1' })],
  ['a type more', (detail) => withCredential({ type: [...detail.credential.type, 'DoctorCredential'] })(detail)],
  ['types in another order', (detail) => withCredential({ type: detail.credential.type.toReversed() })(detail)],
  [
    'a context more, which gives a claim another meaning',
    (detail) =>
      withCredential({ '@context': [...detail.credential['@context'], { degree: 'https://example.org/honour' }] })(
        detail,
      ),
  ],
  ['a context in the subject', withSubject({ '@context': { degree: 'https://example.org/honour' } })],
  ['a status', withCredential({ credentialStatus: { id: 'https://example.org/1', type: 'None' } })],
  ['a proof of its own', withCredential({ proof: { type: 'Ed25519Signature2018' } })],
  ['another type of proof', withOptions({ proofType: 'JsonWebSignature2020' })],
  ['another purpose', withOptions({ proofPurpose: 'authentication' })],
  ['a challenge', withOptions({ challenge: 'c' })],
  ['a domain', withOptions({ domain: 'example.org' })],
  ['a date of the proof', withOptions({ created: '2020-01-01T00:00:00Z' })],
  ['a status to be made', withOptions({ credentialStatus: { type: 'None' } })],
  ['a verification method', withOptions({ verificationMethod: `${STRANGER}#key` })],
  ['a field beside the credential', (detail) => ({ ...detail, more: true })],
  ['no credential', ({ options }) => ({ options })],
  ['no options', ({ credential }) => ({ credential })],
  ['no object', () => [1]],
  ['no JSON', () => '{'],
  ['a prototype', (detail) => JSON.stringify(detail).replace('{', '{"__proto__":{"credential":{}},')],
  [
    'a prototype of the subject',
    (detail) => JSON.stringify(detail).replace('"degree"', '"__proto__":{"id":"x"},"degree"'),
  ],
])('a request with %s is abandoned', async (_, alter) => {
  const offered = await offer()
  await expectAbandoned(offered, await send(requestOf(offered.thid, alter(offered.detail))))
})

describe('of several attachments', () => {
  const twice = (one: unknown, other: unknown, ids: [string, string]) => ({
    formats: ids.map((attach_id) => ({ attach_id, format: DETAIL })),
    'requests~attach': [one, other].map((data, index) => ({ '@id': ids[index], data: base64(data) })),
  })

  test.each<[string, [string, string]]>([
    ['with the same id', ['a', 'a']],
    ['with ids of their own', ['a', 'b']],
  ])('%s, none but the offer is signed', async (_, ids) => {
    for (const first of ['offered', 'altered']) {
      const offered = await offer()
      const altered = withSubject({ degree: 'Doctor' })(offered.detail)
      const pair = first === 'offered' ? [offered.detail, altered] : [altered, offered.detail]
      const answer = await send(requestOf(offered.thid, {}, twice(pair[0], pair[1], ids)))
      if (first === 'altered') await expectAbandoned(offered, answer)
      else expect(issued(answer).credentialSubject).toEqual({ id: wallet.did, degree: 'Bachelor' })
    }
  })

  test('one with different base64 and JSON is read in one way', async () => {
    const offered = await offer()
    const altered = withSubject({ degree: 'Doctor' })(offered.detail)
    const data = { ...base64(offered.detail), json: altered }
    const answer = await send(requestOf(offered.thid, {}, { 'requests~attach': [{ '@id': 'a', data }] }))
    expect(issued(answer).credentialSubject.degree).toBe('Bachelor')
  })

  test('one that is altered as JSON is abandoned', async () => {
    const offered = await offer()
    const data = { json: withSubject({ degree: 'Doctor' })(offered.detail) }
    await expectAbandoned(
      offered,
      await send(requestOf(offered.thid, {}, { 'requests~attach': [{ '@id': 'a', data }] })),
    )
  })
})

test('a request for another kind of credential is abandoned', async () => {
  const offered = await offer()
  const formats = [{ attach_id: 'a', format: 'hlindy/cred-req@v2.0' }]
  await expectAbandoned(offered, await send(requestOf(offered.thid, offered.detail, { formats })))
})

test.each<[string, object]>([
  ['without its attachment', { formats: [{ attach_id: 'b', format: DETAIL }] }],
  ['without any format', { formats: [] }],
])('a request %s changes nothing', async (_, more) => {
  const offered = await offer()
  expect((await send(requestOf(offered.thid, offered.detail, more))).status).toBe(400)
  expect((await record(offered)).state).toBe('offer-sent')
})

describe('the one permitted difference', () => {
  test.each(['always', 'contentApproved'])('an id that the offer leaves out, with %s', async (mode) => {
    const offered = await offer(mode, { degree: 'Bachelor' })
    const answer = await send(requestOf(offered.thid, withSubject({ id: wallet.did })(offered.detail)))
    expect(issued(answer)).toMatchObject({
      credentialSubject: { id: wallet.did, degree: 'Bachelor' },
      proof: { proofPurpose: 'assertionMethod' },
    })
  })

  test('is for every subject of its own', async () => {
    const offered = await offer('always', [{ degree: 'Bachelor' }, { id: STRANGER, degree: 'Master' }])
    const [first, second] = offered.detail.credential.credentialSubject
    const credentialSubject = [{ ...first, id: wallet.did }, second]
    const answer = await send(requestOf(offered.thid, withCredential({ credentialSubject })(offered.detail)))
    expect(issued(answer).credentialSubject).toEqual([
      { id: wallet.did, degree: 'Bachelor' },
      { id: STRANGER, degree: 'Master' },
    ])
  })

  test.each<[string, unknown]>([
    ['no text', { '@id': 'did:x:y' }],
    ['a list', ['did:x:y']],
    ['empty', ''],
    ['a blank node', '_:b0'],
    ['relative', 'wallet'],
    ['more than a URI, as it would be signed', 'did:x:y><https://example.org/degree>"Doctor"'],
    ['in two lines', 'did:x:y\n'],
  ])('is no id that is %s', async (_, id) => {
    const offered = await offer('always', { degree: 'Bachelor' })
    await expectAbandoned(offered, await send(requestOf(offered.thid, withSubject({ id })(offered.detail))))
  })

  test('is no id that is too long, with which the message is rejected', async () => {
    const offered = await offer('always', { degree: 'Bachelor' })
    const id = `did:x:${'y'.repeat(5000)}`
    const { status } = await send(requestOf(offered.thid, withSubject({ id })(offered.detail)))
    expect(status).toBe(400)
    expect((await record(offered)).state).toBe('offer-sent')
  })

  test('comes with nothing else', async () => {
    const offered = await offer('always', { degree: 'Bachelor' })
    const altered = withSubject({ id: wallet.did, degree: 'Doctor' })(offered.detail)
    await expectAbandoned(offered, await send(requestOf(offered.thid, altered)))
  })

  test.each<[string, object[], object]>([
    ['another subject', [{ degree: 'Bachelor' }, { id: STRANGER, degree: 'Master' }], { id: STRANGER }],
    ['a thing that a claim is about', [{ degree: { id: 'urn:x:thesis', degree: 'Doctor' } }], { id: 'urn:x:thesis' }],
    ['a subject that has no id either', [{ degree: 'Bachelor' }, { degree: 'Master' }], { id: 'did:x:y' }],
  ])('is no id of %s: two of the offer would become one', async (_, subjects, more) => {
    const offered = await offer('always', subjects)
    const credentialSubject = subjects.map((subject) => ({ ...more, ...subject }))
    await expectAbandoned(
      offered,
      await send(requestOf(offered.thid, withCredential({ credentialSubject })(offered.detail))),
    )
  })

  test.each<[string, string, string]>([
    ['a prefix of the contexts', 'urn:x:thesis', 'x:thesis'],
    ['its full name', 'x:thesis', 'urn:x:thesis'],
  ])('is no id that the offer has, by %s', async (_, id, another) => {
    const subject = { degree: { id, degree: 'Doctor' } }
    const offered = await offer('always', subject, { x: 'urn:x:' })
    await expectAbandoned(offered, await send(requestOf(offered.thid, withSubject({ id: another })(offered.detail))))
  })

  test.each<[string, object, object]>([
    ['has one by another name', { identifier: STRANGER, degree: 'Bachelor' }, { identifier: '@id' }],
    ['is a list', { '@list': [{ degree: 'Bachelor' }] }, {}],
  ])('is no id of a subject that %s', async (_, subject, context) => {
    const offered = await offer('always', subject, context)
    await expectAbandoned(offered, await send(requestOf(offered.thid, withSubject({ id: wallet.did })(offered.detail))))
  })

  test('is not that the offer named the subject in another way', async () => {
    const offered = await offer('always', { '@id': STRANGER, degree: 'Bachelor' })
    await expectAbandoned(offered, await send(requestOf(offered.thid, withSubject({ id: wallet.did })(offered.detail))))
  })
})

test('the default purpose may be left out', async () => {
  const offered = await offer()
  const { proofPurpose: _, ...options } = offered.detail.options
  expect(issued(await send(requestOf(offered.thid, { ...offered.detail, options }))).proof.proofPurpose).toBe(
    'assertionMethod',
  )
})

describe('a second request on a thread', () => {
  test('after the credential gets no other one', async () => {
    const offered = await offer()
    issued(await send(requestOf(offered.thid, offered.detail)))
    for (const detail of [withSubject({ degree: 'Doctor' })(offered.detail), offered.detail]) {
      const again = await send(requestOf(offered.thid, detail))
      expect(again).toMatchObject({ status: 400 })
      expect((await record(offered)).state).toBe('credential-issued')
    }
  })

  test('does not replace the one that waits for the tenant', async () => {
    const offered = await offer('never')
    expect(await send(requestOf(offered.thid, offered.detail))).toEqual({ status: 200, body: '' })
    expect((await send(requestOf(offered.thid, withSubject({ degree: 'Doctor' })(offered.detail)))).status).toBe(400)
    expect((await record(offered)).state).toBe('request-received')
  })

  test('does not revive an exchange that was abandoned', async () => {
    const offered = await offer()
    await expectAbandoned(offered, await send(requestOf(offered.thid, withOptions({ domain: 'x' })(offered.detail))))
    expect((await send(requestOf(offered.thid, offered.detail))).status).toBe(400)
    expect((await record(offered)).state).toBe('abandoned')
  })
})

test('an acknowledgement ends an exchange only where its status is OK (Aries RFC 0015)', async () => {
  const offered = await offer()
  issued(await send(requestOf(offered.thid, offered.detail)))
  const acknowledge = (status: string) =>
    send({ ...{ '@type': `${ISSUE}/ack`, '@id': randomUUID(), '~thread': { thid: offered.thid } }, status })
  for (const status of ['PENDING', 'FAIL']) {
    await acknowledge(status)
    expect((await record(offered)).state).toBe('credential-issued')
  }
  await acknowledge('OK')
  expect((await record(offered)).state).toBe('done')
})

test('a request that answers no offer is rejected with a problem report', async () => {
  const { detail } = await offer()
  const thid = randomUUID()
  expect(await send(requestOf(thid, detail))).toMatchObject({
    status: 200,
    message: { '@type': `${ISSUE}/problem-report`, '~thread': { thid }, description: { code: 'issuance-abandoned' } },
  })
})

test('what waits for the tenant is accepted as it was offered', async () => {
  const offered = await offer('never', { degree: 'Bachelor' })
  await send(requestOf(offered.thid, withSubject({ id: wallet.did })(offered.detail)))
  await transaction(caller.tenantId ?? '', async () => {
    const { didcomm } = await currentAgent()
    await didcomm.credentials.acceptRequest({ credentialExchangeRecordId: offered.id })
    const { credential } = await didcomm.credentials.getFormatData(offered.id)
    expect(credential?.jsonld).toMatchObject({ credentialSubject: { id: wallet.did, degree: 'Bachelor' }, issuer })
  })
  expect((await record(offered)).state).toBe('credential-issued')
})

describe('a proposal', () => {
  const proposalOf = (thid: string | undefined, detail: unknown) => ({
    '@type': `${ISSUE}/propose-credential`,
    '@id': randomUUID(),
    ...(thid !== undefined && { '~thread': { thid } }),
    '~transport': { return_route: 'all' },
    formats: [{ attach_id: 'a', format: DETAIL }],
    'filters~attach': [{ '@id': 'a', data: base64(detail) }],
  })

  test.each(MODES)('that answers an offer is not offered by itself, with autoAcceptCredential %s', async (mode) => {
    for (const alter of [withSubject({ degree: 'Doctor' }), (same: Json) => same]) {
      const offered = await offer(mode)
      expect(await send(proposalOf(offered.thid, alter(offered.detail)))).toEqual({ status: 200, body: '' })
      expect((await record(offered)).state).toBe('proposal-received')
      expect((await send(requestOf(offered.thid, alter(offered.detail)))).status).toBe(400)
    }
  })

  test('out of nothing is not offered by itself', async () => {
    const { detail } = await offer()
    expect(await send(proposalOf(undefined, detail))).toEqual({ status: 200, body: '' })
  })
})
