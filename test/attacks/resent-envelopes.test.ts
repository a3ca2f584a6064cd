/** Repeated messages: in another encoding, after the deletion of their record, by another sender, at another tenant's address. */
import { randomUUID } from 'node:crypto'
import type { DidCommEncryptedMessage } from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { connect, createTenant, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet, useWallet } from '../support/stage/use-stage.ts'
import { itemsOf } from '../support/table/items.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { inviteToConnect } from '../support/tenants.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const { stage, caller, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)
const connected = await connect(stage, wallet, caller)
const route = await raw.route(connected.walletConnectionId)

const heard = async (): Promise<string[]> => {
  const path = { ...caller, connectionId: connected.connectionId }
  return (await stage.call('tenantGetBasicMessages', { caller, path })).body.map(({ content }: Json) => content)
}

const basicMessage = (content: string, id: string = randomUUID()) => ({
  '@type': 'https://didcomm.org/basicmessage/1.0/message',
  '@id': id,
  content,
  sent_time: '2026-01-01T00:00:00.000Z',
})

const ping = (id: string = randomUUID()) => ({
  '@type': 'https://didcomm.org/trust_ping/1.0/ping',
  '@id': id,
  response_requested: true,
  '~transport': { return_route: 'all' },
})

/** The same bytes with other bits behind the last of them. */
const withOtherBits = (text: string): string => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const same = [...alphabet].map((last) => `${text.slice(0, -1)}${last}`)
  return (
    same.find((one) => one !== text && Buffer.from(one, 'base64url').equals(Buffer.from(text, 'base64url'))) ?? text
  )
}

test.each<[string, (envelope: DidCommEncryptedMessage) => DidCommEncryptedMessage]>([
  ['with padding', (one) => ({ ...one, tag: `${one.tag}==` })],
  ['with other unused bits', (one) => ({ ...one, tag: withOtherBits(one.tag) })],
  ['with another initialization vector', (one) => ({ ...one, iv: withOtherBits(one.iv) })],
])('an envelope that a third party resends %s has no second effect', async (name, rewrite) => {
  const content = `once, ${name}`
  const envelope = await raw.pack(basicMessage(content), route)
  await raw.postEnvelope(envelope, route.endpoint)
  const { status } = await raw.postEnvelope(rewrite(envelope), route.endpoint)
  expect(status).toBeLessThan(500)
  expect((await heard()).filter((one) => one === content)).toEqual([content])
})

/** A wallet of its own, which a test may cut off. */
const startOther = async () => {
  const other = await useWallet()
  const others = new RawMessages(other)
  const { connectionId, walletConnectionId } = await connect(stage, other, caller)
  return { raw: others, route: await others.route(walletConnectionId), connectionId }
}

/** What a message changes in the tenant's records and in what is shown of its invitations. */
const changesBy = async (act: () => Promise<unknown>) => {
  const before = await recordsInTable(stage)
  await act()
  return changesSince(before, await recordsInTable(stage))
}

describe('a message whose connection was deleted in between', () => {
  test.each<[string, () => object]>([
    ['without an answer', () => basicMessage('before the deletion')],
    ['with an answer by return route', () => ping()],
  ])('%s gets what it got the first time, in its envelope and in a new one, and changes nothing', async (_, of) => {
    const { raw, route, connectionId } = await startOther()
    const message = of()
    const envelope = await raw.pack(message, route)
    const first = await raw.postEnvelope(envelope, route.endpoint)
    expect(first.status).toBe(200)
    await stage.call('deleteConnection', { caller, path: { connectionId } })
    const again = [envelope, await raw.pack(message, route)]
    const changes = await changesBy(async () => {
      for (const one of again)
        expect(await raw.postEnvelope(one, route.endpoint)).toMatchObject({ status: 200, body: first.body })
    })
    expect(changes).toEqual([])
    // One that it has never sent before is rejected.
    expect((await raw.send(of(), route)).status).toBe(400)
  })
})

test.each<[string, Record<string, boolean>]>([
  ['an invitation', {}],
  ['an invitation for many', { multiUseInvitation: true }],
])('a request of %s that was deleted in between makes no second connection', async (_, kind) => {
  const { invitation, invitationDid, outOfBandId } = await inviteToConnect(stage, caller, kind)
  const senderKey = await raw.newKey()
  const to = { ...(await raw.routeToDid(invitationDid)), senderKey }
  const did = peerDidOf([senderKey], wallet.agent.didcomm.config.endpoints[0] ?? '')
  const request = didExchangeRequest(invitation['@id'], did)
  const envelope = await raw.pack(request, to)
  const first = await raw.postEnvelope(envelope, to.endpoint)
  expect(first.status).toBe(200)
  await stage.call('deleteOutOfBandRecord', { caller, path: { outOfBandId } })
  const again = [envelope, await raw.pack(request, to)]
  const changes = await changesBy(async () => {
    for (const one of again)
      expect(await raw.postEnvelope(one, to.endpoint)).toMatchObject({ status: 200, body: first.body })
  })
  expect(changes).toEqual([])
  const other = didExchangeRequest(invitation['@id'], did)
  expect(await changesBy(() => raw.send(other, to))).toEqual([])
})

describe('an id that was used before', () => {
  test('by another sender takes nothing from either: each gets its own answer', async () => {
    const mallory = await startOther()
    const id = randomUUID()
    const own = await raw.send(ping(id), route)
    const theirs = await mallory.raw.send(ping(id), mallory.route)
    for (const { message } of [own, theirs]) expect(message).toMatchObject({ '~thread': { thid: id } })
    expect(theirs.body).not.toBe(own.body)
    await mallory.raw.send(basicMessage('by Mallory', `${id}-1`), mallory.route)
    await raw.send(basicMessage('by the owner', `${id}-1`), route)
    expect((await heard()).filter((one) => /^by/.test(one))).toEqual(['by the owner'])
  })

  test('by an anonymous sender gets no answer', async () => {
    const id = randomUUID()
    const own = await raw.send(ping(id), route)
    expect(own.body).not.toBe('')
    const { senderKey: _, ...anonymous } = route
    const answer = await raw.send(ping(id), anonymous)
    expect(answer.message).toBeUndefined()
    expect(answer.status).toBeLessThan(500)
  })

  test('by the same sender for something else has no effect', async () => {
    const id = randomUUID()
    for (const content of ['the first words', 'other words']) await raw.send(basicMessage(content, id), route)
    expect((await heard()).filter((one) => one.endsWith('words'))).toEqual(['the first words'])
    const first = await raw.send(ping(id), route)
    expect(first).toMatchObject({ status: 200, body: '' })
  })
})

test.each<[string, unknown]>([
  ['none', undefined],
  ['one that is not text', 7],
  ['an empty one', ''],
  ['one that no agent writes', 'a b c d e f g h'],
  ['one that is too long', 'x'.repeat(10_000)],
])('a message whose id is %s is rejected each time, and leaves nothing', async (_, id) => {
  const { '@id': __, ...message } = basicMessage('without an id')
  const envelope = await raw.pack({ ...message, ...(id !== undefined && { '@id': id }) }, route)
  const items = await itemsOf(stage, caller.tenantId)
  for (let time = 0; time < 2; time++) expect((await raw.postEnvelope(envelope, route.endpoint)).status).toBe(400)
  expect(await itemsOf(stage, caller.tenantId)).toEqual(items)
})

test('a report of an unknown thread is accepted once, and stays without effect', async () => {
  const report = didCommMessage('report-problem/1.0/problem-report', { thid: randomUUID() })
  const envelope = await raw.pack(report, route)
  expect(
    await changesBy(async () => {
      for (let time = 0; time < 2; time++)
        expect(await raw.postEnvelope(envelope, route.endpoint)).toMatchObject({ status: 200, body: '' })
    }),
  ).toEqual([])
})

test('an envelope for two tenants is handled once by each, and reveals nothing of one to the other', async () => {
  const other = await createTenant(stage, 'Globex')
  const [ours, theirs] = await Promise.all(
    [caller, other].map((one) => inviteToConnect(stage, one, { multiUseInvitation: true })),
  )
  const senderKey = await raw.newKey()
  const routes = await Promise.all([ours, theirs].map((one) => raw.routeToDid(one?.invitationDid ?? '')))
  const recipientKeys = routes.flatMap((one) => one.recipientKeys)
  const message = didExchangeRequest(
    ours?.invitation['@id'],
    peerDidOf([senderKey], wallet.agent.didcomm.config.endpoints[0] ?? ''),
  )
  const envelope = await raw.pack(message, { recipientKeys, senderKey })
  const connectionsOf = async (of: object) => (await stage.call('getConnections', { caller: of })).body.length
  const before = await connectionsOf(caller)
  const answers = await Promise.all([...routes, ...routes].map(({ endpoint }) => raw.postEnvelope(envelope, endpoint)))
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400])
  expect([await connectionsOf(caller), await connectionsOf(other)]).toEqual([before + 1, 0])
})

test('an invitation that several wallets answer at the same time makes one connection', async () => {
  const { body: request } = await stage.call('createRequest', { caller, body: requestBody })
  const invited = await raw.routeToDid(request.invitationDid)
  const requests = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const key = await raw.newKey()
      const message = didExchangeRequest(
        request.invitation['@id'],
        peerDidOf([key], wallet.agent.didcomm.config.endpoints[0] ?? ''),
      )
      return raw.pack(message, { ...invited, senderKey: key })
    }),
  )
  const answers = await Promise.all(requests.map((envelope) => raw.postEnvelope(envelope, invited.endpoint)))
  for (const { status } of answers) expect(status).toBeLessThan(500)
  const query = { outOfBandId: request.outOfBandRecord.id }
  expect((await stage.call('getConnections', { caller, query })).body).toHaveLength(1)
})
