/** Problem reports: accepted from every connected agent, with effect on the sender's own exchange, and on no other. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { anonCredsRequest, type Connected, connect, offerBody, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { connectionOf, succeed } from '../support/tenants.ts'
import { didCommMessage, type Thread } from '../support/wallets/didcomm-messages.ts'
import { handMadeInvitation } from '../support/wallets/hand-made-invitation.ts'
import { didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'

const v1Body = { protocolVersion: 'v1', proofFormats: { indy: anonCredsRequest } }

const { stage, caller, wallet } = await useTenantAndWallet({ acceptOffers: false })
const raw = new RawMessages(wallet)

const report = (protocol: string, thread?: Thread): Json => ({
  ...didCommMessage(`${protocol}/problem-report`, thread),
  description: { code: 'no', en: 'not today' },
  '~transport': { return_route: 'all' },
})
const connectAgain = (body: object = requestBody): Promise<Connected> => connect(stage, wallet, caller, body)
const invite = async (body: object = requestBody): Promise<Json> =>
  (await stage.call('createRequest', { caller, body })).body
const proof = async ({ proofRecordId }: Json): Promise<Json> =>
  (await stage.call('tenantProofFormData', { caller, path: { ...caller, proofRecordId } })).body
const offerOn = async ({ connectionId }: Connected): Promise<Json> =>
  (await stage.call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })).body
const credential = async ({ id }: Json): Promise<Json> =>
  (await stage.call('getCredentialById', { caller, path: { credentialRecordId: id } })).body
const connectionNow = async (connectionId: string): Promise<Json> =>
  (await stage.call('getConnectionById', { caller, path: { connectionId } })).body
const invitationIdOf = (request: Json): string => request.outOfBandRecord.outOfBandInvitation['@id']

const ABANDONED = { state: 'abandoned', errorMessage: 'no: not today' }
/** Of a connection, as Credo writes it. */
const GIVEN_UP = { state: 'abandoned', errorMessage: 'no : not today' }

describe.each(['notification/1.0', 'report-problem/1.0', 'nothing/9.9'])('a report of %s', (protocol) => {
  test('on a thread of its own connection abandons the exchange, and is not answered', async () => {
    const connected = await connectAgain()
    const offer = await offerOn(connected)
    const sent = report(protocol, { thid: offer.threadId })
    expect(await raw.sendOn(connected.walletConnectionId, sent)).toEqual({ status: 200, body: '' })
    expect(await credential(offer)).toMatchObject(ABANDONED)
  })

  test('that names the request as its parent abandons the request', async () => {
    const connected = await connectAgain()
    const sent = report(protocol, { pthid: connected.request.proofRecordThId })
    expect(await raw.sendOn(connected.walletConnectionId, sent)).toEqual({ status: 200, body: '' })
    expect(await proof(connected.request)).toMatchObject({ ...ABANDONED, connectionId: connected.connectionId })
  })

  test('on no thread, or on one that is unknown, is accepted and has no effect', async () => {
    const { walletConnectionId } = await connectAgain()
    const before = await recordsInTable(stage)
    for (const thread of [undefined, { thid: randomUUID() }, { pthid: randomUUID() }])
      expect(await raw.sendOn(walletConnectionId, report(protocol, thread))).toEqual({ status: 200, body: '' })
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
  })
})

test.each([
  ['present-proof/2.0', requestBody],
  ['present-proof/1.0', v1Body],
])(
  "a report of %s without a parent thread, as ACA-Py writes it, is of the connection's invitation",
  async (protocol, body) => {
    const connected = await connectAgain(body)
    const sent = report(protocol, { thid: connected.request.proofRecordThId })
    expect(await raw.sendOn(connected.walletConnectionId, sent)).toEqual({ status: 200, body: '' })
    expect(await proof(connected.request)).toMatchObject({ ...ABANDONED, connectionId: connected.connectionId })
  },
)

test.each<[string, object, string]>([
  [
    'with the fields that RFC 0035 spells in lower case',
    { description: { code: 'no', en: 'not today' }, who_retries: 'none', impact: 'thread', where: 'me - edge' },
    'no: not today',
  ],
  ['with a text for its description', { description: 'not today' }, 'not today'],
  ['with an invalid code and description', { description: { code: 7, en: ['x'] } }, ''],
  ['that is very long', { description: { code: 'no', en: 'x'.repeat(5000) } }, `no: ${'x'.repeat(996)}`],
  [
    'that is cut within a character',
    { description: { code: 'no', en: `${'x'.repeat(995)}😀` } },
    `no: ${'x'.repeat(995)}�`,
  ],
  ['without a description', { description: null, noticed_time: 7 }, ''],
])('a report %s is accepted', async (_, fields, errorMessage) => {
  const connected = await connectAgain()
  const sent = report('present-proof/2.0', { thid: connected.request.proofRecordThId })
  expect((await raw.sendOn(connected.walletConnectionId, { ...sent, ...fields })).status).toBe(200)
  expect(await proof(connected.request)).toMatchObject({ state: 'abandoned', errorMessage })
})

test.each(['w.msg.fields-ignored', 'fields-ignored-due-to-version-mismatch', 'version-with-degraded-features'])(
  'the warning %s is accepted, and the exchange and the connection continue',
  async (code) => {
    const connected = await connectAgain()
    const { threadId } = await connectionNow(connected.connectionId)
    const before = await recordsInTable(stage)
    for (const sent of [
      report('present-proof/2.0', { thid: connected.request.proofRecordThId }),
      report('report-problem/1.0', { pthid: connected.request.proofRecordThId }),
      report('didexchange/1.1', { thid: threadId }),
    ]) {
      const warning = { ...sent, description: { code, en: 'nothing to worry about' } }
      expect(await raw.sendOn(connected.walletConnectionId, warning)).toEqual({ status: 200, body: '' })
    }
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
  },
)

test('a finished exchange is unchanged', async () => {
  const connected = await connectAgain()
  const thread = { thid: connected.request.proofRecordThId }
  await raw.sendOn(connected.walletConnectionId, report('present-proof/2.0', thread))
  const again = { ...report('notification/1.0', thread), description: { code: 'yes', en: 'changed my mind' } }
  expect((await raw.sendOn(connected.walletConnectionId, again)).status).toBe(200)
  expect(await proof(connected.request)).toMatchObject(ABANDONED)
})

test('a report of another connection is accepted, and changes nothing', async () => {
  const [theirs, own] = [await connectAgain(), await connectAgain()]
  const offer = await offerOn(theirs)
  const before = await recordsInTable(stage)
  for (const thid of [offer.threadId, theirs.request.proofRecordThId])
    for (const protocol of ['notification/1.0', 'present-proof/2.0', 'issue-credential/2.0'])
      expect((await raw.sendOn(own.walletConnectionId, report(protocol, { thid }))).status).toBe(200)
  expect(changesSince(before, await recordsInTable(stage))).toEqual([])
})

describe('an invitation that was not accepted', () => {
  const reports = ({ proofRecordThId: thid, ...request }: Json): Json[] =>
    ['present-proof/1.0', 'present-proof/2.0', 'notification/1.0'].flatMap((protocol) => [
      report(protocol, { thid, pthid: invitationIdOf(request) }),
      report(protocol, { thid }),
    ])

  test.each([
    ['v1', v1Body],
    ['v2', requestBody],
  ])('is not abandoned by a report without a sender (%s)', async (_, body) => {
    const request = await invite(body)
    const before = await recordsInTable(stage)
    for (const sent of reports(request))
      expect((await raw.send(sent, await raw.routeToDid(request.invitationDid))).status).toBe(400)
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
  })

  test('is declined by a wallet that has it, and makes no connection afterwards', async () => {
    const request = await invite()
    const way = { ...(await raw.routeToDid(request.invitationDid)), senderKey: await raw.newKey() }
    const [sent] = reports(request).slice(3)
    expect((await raw.send(sent, way)).status).toBe(200)
    expect(await proof(request)).toMatchObject(ABANDONED)
    const senderKey = await raw.newKey()
    const handshake = didExchangeRequest(invitationIdOf(request), peerDidOf([senderKey], 'http://127.0.0.1:1'))
    expect((await raw.send(handshake, { ...way, senderKey })).status).toBe(400)
  })
})

describe('a handshake', () => {
  const withoutSender = ({ senderKey: _, ...route }: Route): Route => route

  const PROTOCOLS = ['connections/1.0', 'connection/1.0', 'didexchange/1.1']

  test.each([...PROTOCOLS, 'notification/1.0'])(
    'that is complete is not undone by a report of %s without a sender',
    async (protocol) => {
      const { connectionId, walletConnectionId } = await connectAgain()
      const before = await connectionNow(connectionId)
      const route = withoutSender(await raw.route(walletConnectionId))
      expect((await raw.send(report(protocol, { thid: before.threadId }), route)).status).toBe(400)
      expect((await raw.send(report(protocol), route)).status).toBe(400)
      expect(await connectionNow(connectionId)).toEqual(before)
    },
  )

  test.each(PROTOCOLS)('that is complete is given up by a report of %s of its own wallet', async (protocol) => {
    const { connectionId, walletConnectionId } = await connectAgain()
    expect((await raw.sendOn(walletConnectionId, report(protocol))).status).toBe(200)
    expect(await connectionNow(connectionId)).toMatchObject(GIVEN_UP)
  })

  test('that is complete is not undone by a report of no protocol on its thread, or of another handshake', async () => {
    const { connectionId, walletConnectionId } = await connectAgain()
    const before = await connectionNow(connectionId)
    for (const sent of [
      report('notification/1.0', { thid: before.threadId }),
      report('didexchange/1.1', { thid: randomUUID() }),
      report('didexchange/1.1', { pthid: randomUUID() }),
    ])
      expect((await raw.sendOn(walletConnectionId, sent)).status).toBe(200)
    expect(await connectionNow(connectionId)).toEqual(before)
  })

  test.each(['didexchange/1.1', 'notification/1.0'])(
    'that is not complete is abandoned by a report of %s of who has asked for it only',
    async (protocol) => {
      const request = await invite()
      const senderKey = await raw.newKey()
      const way = { ...(await raw.routeToDid(request.invitationDid)), senderKey }
      const asked = didExchangeRequest(invitationIdOf(request), peerDidOf([senderKey], 'http://127.0.0.1:1'))
      await raw.send(asked, way)
      const query = { outOfBandId: request.outOfBandRecord.id }
      const [connection] = (await stage.call('getConnections', { caller, query })).body
      expect(connection.state).toBe('response-sent')

      const own = { ...(await raw.routeToDid(connection.did)), senderKey }
      const sent = report(protocol, { thid: asked['@id'], pthid: invitationIdOf(request) })
      await raw.send(sent, { ...own, senderKey: await raw.newKey() })
      await raw.send(sent, withoutSender(own))
      expect((await connectionNow(connection.id)).state).toBe('response-sent')
      expect((await raw.send(sent, own)).status).toBe(200)
      expect(await connectionNow(connection.id)).toMatchObject(GIVEN_UP)
    },
  )

  test.each([...PROTOCOLS, 'notification/1.0'])(
    'that the tenant has asked for is abandoned by a report of %s of its inviter only',
    async (protocol) => {
      const senderKey = await raw.newKey()
      const invitation = handMadeInvitation(senderKey, 'Inviter', {
        handshake_protocols: ['https://didcomm.org/didexchange/1.1'],
      })
      const { connectionRecord: asked } = await succeed(stage, 'receiveInvitation', caller, { body: { invitation } })
      const way = await raw.routeToDid(asked.did)
      const sent = report(protocol, { thid: asked.threadId, pthid: invitation['@id'] })
      for (const key of [await raw.newKey(), undefined])
        expect((await raw.send(sent, { ...way, ...(key && { senderKey: key }) })).status).toBe(400)
      expect((await raw.send(report(protocol, { thid: randomUUID() }), { ...way, senderKey })).status).toBe(400)
      // Otherwise the inviter would know that both DIDs are of one agent.
      const elsewhere = await raw.routeToDid((await invite()).invitationDid)
      expect((await raw.send(sent, { ...elsewhere, senderKey })).status).toBe(400)
      expect((await connectionNow(asked.id)).state).toBe('request-sent')
      expect(await raw.send(sent, { ...way, senderKey })).toEqual({ status: 200, body: '' })
      expect(await connectionNow(asked.id)).toMatchObject(GIVEN_UP)
    },
  )

  test('whose response the tenant has not accepted yet is abandoned by a report of who has sent it', async () => {
    // Of an invitation for many each connection has a key of its own.
    const { outOfBandInvitation, id } = await wallet.agent.didcomm.oob.createInvitation({ multiUseInvitation: true })
    const body = { invitation: outOfBandInvitation.toJSON(), autoAcceptConnection: false }
    const { outOfBandRecord } = await succeed(stage, 'receiveInvitation', caller, { body })
    const asked = await connectionOf(stage, caller, outOfBandRecord.id, 'response-received')
    const [made] = await wallet.agent.didcomm.connections.findAllByOutOfBandId(id)
    await raw.sendOn(made?.id ?? '', report('didexchange/1.1', { thid: asked.threadId }))
    expect(await connectionNow(asked.id)).toMatchObject(GIVEN_UP)
  })

  test('is not ended twice: a complete for a completed connection changes nothing', async () => {
    const { connectionId, walletConnectionId, request } = await connectAgain()
    const { threadId } = await connectionNow(connectionId)
    const before = await recordsInTable(stage)
    const complete = didCommMessage('didexchange/1.1/complete', { thid: threadId, pthid: invitationIdOf(request) })
    expect((await raw.sendOn(walletConnectionId, complete)).status).toBe(200)
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
    const other = didCommMessage('didexchange/1.1/complete', { thid: randomUUID(), pthid: invitationIdOf(request) })
    expect((await raw.sendOn(walletConnectionId, other)).status).toBe(400)
  })
})
