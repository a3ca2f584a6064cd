/** What an invitation that another agent wrote cannot do to the agent that is given it. */
import { randomUUID } from 'node:crypto'
import { DidKey, JsonEncoder } from '@credo-ts/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTenant, offerBody, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { connectionOf, connectTenants, exchangesOf, settled, succeed } from '../support/tenants.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const stage = await useStage()
const victim = await createTenant(stage, 'Victim')
const friend = await createTenant(stage, 'Friend')
const mallory = await useWallet({ answerProofs: false })
const raw = new RawMessages(mallory)

/** JSON that no parser minds, and most that walk through it. */
const NESTED = Buffer.from(`{"@type":"x","@id":"${randomUUID()}","a":${'['.repeat(5000)}${']'.repeat(5000)}}`).toString(
  'base64',
)
const HANDSHAKES = ['https://didcomm.org/didexchange/1.1']
let didKey: string
let honest: Json

beforeEach(async () => {
  didKey = new DidKey(await raw.newKey()).did
  honest = {
    '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
    '@id': randomUUID(),
    label: 'Mallory',
    handshake_protocols: HANDSHAKES,
    services: [service()],
  }
})

const service = (serviceEndpoint = 'http://127.0.0.1:9999') => ({
  ...{ id: '#inline', type: 'did-communication', serviceEndpoint, recipientKeys: [didKey] },
})
const attach = (message: Json) => ({
  ...{ '@id': 'request-0', 'mime-type': 'application/json', data: { base64: JsonEncoder.toBase64(message) } },
})
const receive = (invitation: Json, more: object = {}) =>
  stage.call('receiveInvitation', { caller: victim, body: { invitation, ...more } })

/** Expects a rejection that leaves nothing behind. */
const expectRejected = async (invitation: Json, status = 422, more: object = {}) => {
  const before = await recordsInTable(stage)
  const answer = await receive(invitation, more)
  expect({ status: answer.status, error: answer.body.error }).toMatchObject({ status })
  expect(changesSince(before, await recordsInTable(stage))).toEqual([])
}

test('an honest invitation is accepted', async () => {
  expect((await receive(honest)).status).toBe(200)
})

test('one without an id is stored under the id of its content, once', async () => {
  const { '@id': _, ...unnamed } = honest
  const { status, body } = await receive(unnamed)
  expect(status).toBe(200)
  expect(body.outOfBandRecord.outOfBandInvitation['@id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/)
  await expectRejected(unnamed, 409)
  expect((await receive({ ...unnamed, label: 'Another' })).status).toBe(200)
})

describe('is rejected, and nothing is written', () => {
  test.each<[string, (invitation: Json) => Json]>([
    ['a thousand services', () => ({ services: Array.from({ length: 1000 }, () => service()) })],
    ['a thousand keys', () => ({ services: [{ ...service(), recipientKeys: Array(1000).fill(didKey) }] })],
    ['a thousand DIDs', () => ({ services: Array.from({ length: 1000 }, (_, n) => `did:web:a${n}.example`) })],
    ['no service', () => ({ services: [] })],
    [
      'a key of another kind',
      () => ({ services: [{ ...service(), recipientKeys: [didKey.replace('z6Mk', 'z6LS')] }] }),
    ],
    ['an invalid key', () => ({ services: [{ ...service(), recipientKeys: [`did:key:z6Mk${'1'.repeat(44)}`] }] })],
    ['an endpoint inside', () => ({ services: [service('http://10.0.0.1/didcomm')] })],
    ['an endpoint of the cloud', () => ({ services: [service('http://169.254.169.254/latest')] })],
    ['an endpoint inside beside another', () => ({ services: [service(), service('http://192.168.0.1')] })],
    ['an endpoint that is no web address', () => ({ services: [service('didcomm:transport/queue')] })],
    ['a DID that does not resolve', () => ({ services: ['did:web:nothing.invalid'] })],
    ['a DID of an unknown method', () => ({ services: ['did:example:x'] })],
    ['a DID without an identifier', () => ({ services: [didKey] })],
    [
      'a DID whose document others have',
      () => ({ services: ['did:peer:1zQmZMygzYqNwU6Uhmewx5Xepf2VLp5S4HLSwwgf2aiKZuwa'] }),
    ],
    ['a DID whose document is malformed', () => ({ services: ['did:peer:2.Vz6Mkxxxxxx.Seyxx'] })],
    ['envelopes of other profiles alone', () => ({ accept: ['didcomm/aip2;env=rfc587', 'didcomm/v2'] })],
    ['an invalid id', () => ({ '@id': 'a b\nc' })],
    ['a huge id', () => ({ '@id': 'x'.repeat(10_000) })],
    ['no handshake and no request', () => ({ handshake_protocols: [] })],
    ['an unknown handshake', () => ({ handshake_protocols: ['https://example.org/x/1.0'] })],
    ['a thousand handshakes', () => ({ handshake_protocols: Array(1000).fill('https://didcomm.org/didexchange/1.1') })],
    ['a thousand requests', () => ({ 'requests~attach': Array.from({ length: 1000 }, () => attach({})) })],
    ['a request that is no message', () => ({ 'requests~attach': [attach([])] })],
    ['a request that is not JSON', () => ({ 'requests~attach': [{ data: { base64: '%%%' } }] })],
    ['a request without content', () => ({ 'requests~attach': [{ data: {} }] })],
    ['a request behind a link', () => ({ 'requests~attach': [{ data: { links: ['http://10.0.0.1'] } }] })],
    ['a request that is nested without end', () => ({ 'requests~attach': [{ data: { base64: NESTED } }] })],
  ])('%s', async (_, alter) => {
    await expectRejected({ ...honest, ...alter(honest) })
  })

  test('an invitation of more bytes than a body may have', async () => {
    await expectRejected({ ...honest, 'requests~attach': [attach({ a: 'x'.repeat(256 * 1024) })] }, 413)
  })
})

const REQUEST = 'https://didcomm.org/present-proof/2.0/request-presentation'
const proofRequest = (more: object = {}) => ({
  '@type': REQUEST,
  '@id': randomUUID(),
  will_confirm: true,
  present_multiple: false,
  formats: [{ attach_id: 'a', format: 'dif/presentation-exchange/definitions@v1.0' }],
  'request_presentations~attach': [
    {
      '@id': 'a',
      'mime-type': 'application/json',
      data: {
        json: {
          options: { challenge: randomUUID(), domain: 'x' },
          presentation_definition: requestBody.proofFormats.presentationExchange.presentationDefinition,
        },
      },
    },
  ],
  ...more,
})

/** From an unreachable sender: no handshake. */
const connectionless = (message: Json) => {
  const { handshake_protocols: _, ...invitation } = honest
  return { ...invitation, 'requests~attach': [attach(message)] }
}

describe('an attached message', () => {
  test('that asks for a proof is accepted', async () => {
    const message = proofRequest()
    const answer = await receive(connectionless(message))
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 })
    expect(await exchangesOf(victim, 'ProofRecord', message['@id'])).toHaveLength(1)
  })

  test('of another invitation is rejected', async () => {
    await expectRejected(connectionless(proofRequest({ '~thread': { pthid: randomUUID() } })))
  })

  const threads = {
    ProofRecord: async () => {
      const asked = await succeed(stage, 'createRequest', friend, { body: requestBody })
      await succeed(stage, 'receiveInvitation', victim, { body: { invitation: asked.invitation } })
      return asked.proofRecordThId
    },
    CredentialRecord: async () => {
      const { inviters } = await connectTenants(stage, friend, victim)
      const body = offerBody(inviters.id, 'did:example:subject')
      return (await succeed(stage, 'createOffer', friend, { body })).threadId
    },
  }

  test.each(['ProofRecord', 'CredentialRecord'] as const)(
    "on the thread of another agent's exchange is rejected, and harms that exchange in nothing: a %s",
    async (type) => {
      const threadId = await threads[type]()
      await waitFor('the exchange', async () => (await exchangesOf(victim, type, threadId)).length === 1)
      await settled(stage)
      await expectRejected(connectionless(proofRequest({ '~thread': { thid: threadId } })))
      await expectRejected(connectionless(proofRequest({ '@id': threadId })))
      expect(await exchangesOf(victim, type, threadId)).toHaveLength(1)
    },
  )

  test.each([
    ['a hang-up', 'https://didcomm.org/did-rotate/1.0/hangup', {}],
    ['a rotation', 'https://didcomm.org/did-rotate/1.0/rotate', { to_did: 'did:example:mallory' }],
    [
      'a message',
      'https://didcomm.org/basicmessage/1.0/message',
      { content: 'Pay Mallory', sent_time: '2026-01-01T00:00:00Z' },
    ],
    ['a problem report', 'https://didcomm.org/notification/1.0/problem-report', { description: { code: 'x' } }],
    ['a credential', 'https://didcomm.org/issue-credential/2.0/issue-credential', {}],
    ['a presentation', 'https://didcomm.org/present-proof/2.0/presentation', {}],
    ['what is no type', 'nonsense', {}],
  ])('that is %s is nothing that an invitation brings', async (_, type, more) => {
    await expectRejected(connectionless({ '@type': type, '@id': randomUUID(), ...more }))
  })

  test.each([
    [
      'a message',
      'https://didcomm.org/basicmessage/1.0/message',
      { content: 'Pay Mallory', sent_time: '2026-01-01T00:00:00Z' },
    ],
    ['a hang-up', 'https://didcomm.org/did-rotate/1.0/hangup', {}],
  ])("is not attributed to a friend, although the invitation names the friend's DID: %s", async (_, type, more) => {
    const { invited, invitees } = await connectTenants(stage, friend, victim)
    const invitation = {
      ...honest,
      services: [invited.invitationDid],
      'requests~attach': [attach({ '@type': type, '@id': randomUUID(), ...more })],
    }
    expect((await receive(invitation, { reuseConnection: true })).status).toBe(200)
    await settled(stage)
    const path = { connectionId: invitees.id, tenantId: victim.tenantId }
    expect(await succeed(stage, 'tenantGetBasicMessages', {}, { path })).toEqual([])
    expect(await succeed(stage, 'getConnectionById', victim, { path: { connectionId: invitees.id } })).toMatchObject({
      state: 'completed',
      theirDid: invitees.theirDid,
    })
  })

  test.each([
    ['members that shadow methods', { toJSON: 1, getDataAsJson: 'x', setThread: {}, formats: 'x' }],
    ['formats that are missing', { formats: [] }],
    ['unknown formats', { formats: [{ attach_id: 'a', format: 'x@y' }] }],
    ['attachments that are missing', { 'request_presentations~attach': [] }],
    ['attachments without data', { 'request_presentations~attach': [{ '@id': 'a' }] }],
  ])('with %s is rejected, and is never an internal error', async (_, more) => {
    await expectRejected(connectionless(proofRequest(more)))
  })

  test('that cannot be handled does not keep the handshake from its end', async () => {
    const asked = await succeed(stage, 'createRequest', friend, { body: requestBody })
    const [attachment] = asked.invitation['requests~attach']
    const message = JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString())
    const odd = attach({ ...message, formats: [{ attach_id: 'none', format: 'x@y' }] })
    const invitation = { ...asked.invitation, 'requests~attach': [odd] }
    const { body } = await receive(invitation)
    await connectionOf(stage, victim, body.outOfBandRecord.id)
    await connectionOf(stage, friend, asked.outOfBandRecord.id)
  })
})

describe('the id of another invitation', () => {
  test("is no way into this agent's own invitation", async () => {
    const own = await succeed(stage, 'createInvitation', victim)
    await expectRejected({ ...honest, '@id': own.invitation['@id'] })
    await expectRejected(own.invitation)
    const path = { outOfBandId: own.outOfBandRecord.id }
    expect(await succeed(stage, 'getOutOfBandRecordById', victim, { path })).toEqual(own.outOfBandRecord)
  })

  test('is rejected, and the invitation that was received first continues', async () => {
    const invited = await succeed(stage, 'createInvitation', friend)
    const { body } = await receive(invited.invitation, { autoAcceptInvitation: false })
    await expectRejected({ ...honest, '@id': invited.invitation['@id'] }, 409)
    await succeed(stage, 'acceptInvitation', victim, { path: { outOfBandId: body.outOfBandRecord.id } })
    await connectionOf(stage, victim, body.outOfBandRecord.id)
  })
})

test("an invitation to the agent's own endpoint makes no connection", async () => {
  const { outOfBandRecord } = (
    await receive({ ...honest, services: [service(`${stage.publicUrl}/didcomm/${victim.tenantId}`)] })
  ).body
  await settled(stage)
  const [connection] = await succeed(stage, 'getConnections', victim, { query: { outOfBandId: outOfBandRecord.id } })
  expect(connection.state).toBe('request-sent')
})

test('invitations of one tenant are nothing to another', async () => {
  const { outOfBandRecord } = await succeed(stage, 'createInvitation', friend)
  const path = { outOfBandId: outOfBandRecord.id }
  for (const operation of ['getOutOfBandRecordById', 'deleteOutOfBandRecord', 'acceptInvitation'] as const)
    expect(await stage.call(operation, { caller: victim, path })).toMatchObject({ status: 404 })
})
