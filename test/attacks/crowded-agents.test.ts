/** What a message costs an agent that has stored a lot, in years or by a hostile wallet: it reads as much as in a new one. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OF_UNFINISHED_HANDSHAKE } from '../../lib/records/handshake-expiry.ts'
import {
  connectionRecords,
  credentialRecords,
  outOfBandRecords,
  questionAnswerRecords,
} from '../../lib/records/kinds.ts'
import { rotationBetween } from '../../lib/records/pending-rotations.ts'
import { tagPartition } from '../../lib/store/index-entries.ts'
import { entryAddress } from '../../lib/store/keys.ts'
import { type NewRecord, toEntryItem } from '../../lib/store/stored-record.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { connect, createTenant, issueDegree } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet, useWallet } from '../support/stage/use-stage.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { connectTenants, inviteToConnect, settled, succeed } from '../support/tenants.ts'
import { storeDids } from '../support/wallets/dids-of-key.ts'
import { connectionRequest, didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'

const NOWHERE = 'http://127.0.0.1:1'
const MANY = 300

/** Two indexes of at most 100 entries, with their records, and what a message reads in a new agent. */
const MAX_ITEMS = 2 * 100 + 20

const { stage, caller, wallet } = await useTenantAndWallet()
const raw = new RawMessages(wallet)
const mallory = await useWallet()

let itemsRead = 0
let requests = 0
withOpenStack(stage.serviceClient).middlewareStack.add(
  (next) => async (parameters) => {
    const answer = await next(parameters)
    const { Items = [], Responses = {}, Item }: Json = answer.output
    requests += 1
    itemsRead += [...Items, ...Object.values(Responses).flat(), ...(Item ? [Item] : [])].length
    return answer
  },
  { step: 'initialize' },
)
afterAll(async () => {
  expect(await checkTable(stage.client, stage.table)).toEqual([])
})
/** Runs `act` and expects it to read few items, whatever the result. */
const expectCheap = async <T>(act: () => Promise<T>, maxItems = MAX_ITEMS): Promise<T> => {
  await settled(stage)
  itemsRead = 0
  const result = await act()
  expect(itemsRead).toBeLessThan(maxItems)
  return result
}

/** Stores records like this one, each with fields of its own: newer ones, or older by as many seconds. Returns their ids. */
const crowd = async (
  tenant: string,
  { type }: { type: string },
  id: string,
  fieldsOf: (number: number) => object,
  olderBy = 0,
): Promise<string[]> => {
  const like = await transaction(tenant, (unit) => unit.read(tenant, type, id))
  const others = Array.from({ length: MANY }, (_, number): NewRecord => {
    const { value, tags } = structuredClone({ value: like?.value ?? {}, tags: like?.tags ?? {} })
    const createdAt = new Date(Date.now() - olderBy * 1000 + number).toISOString()
    const own = { ...fieldsOf(number), id: randomUUID(), createdAt }
    return { tenant, type, id: own.id, value: { ...value, ...own }, tags: { ...tags, ...own } }
  })
  for (let from = 0; from < MANY; from += 10)
    await transaction(tenant, async (unit) => {
      for (const record of others.slice(from, from + 10)) unit.insert(record)
    })
  return others.map((one) => one.id)
}

const message = (type: string, more: object = {}): Json => ({
  '@type': `https://didcomm.org/${type}`,
  '@id': randomUUID(),
  ...more,
})
const ping = () => message('trust_ping/1.0/ping', { response_requested: false })
const report = (thread: object) =>
  message('connections/1.0/problem-report', { '~thread': thread, description: { code: 'no', en: 'no' } })
const say = (content: string, more: object = {}) =>
  message('basicmessage/1.0/message', { content, sent_time: '2026-01-01T00:00:00.000Z', ...more })

type Tenant = Awaited<ReturnType<typeof createTenant>>

const publicDidOf = async (tenant: Tenant): Promise<string> =>
  (await succeed(stage, 'createDid', tenant, { body: { method: 'peer', numAlgo: 2 } })).did

describe('where a DID of the agent has many connections', async () => {
  const invitee = await createTenant(stage)
  const did = await publicDidOf(invitee)
  let connectionId: string
  let route: Route
  let later: Route
  let stranger: Route

  const heard = async (): Promise<string[]> =>
    (await succeed(stage, 'tenantGetBasicMessages', invitee, { path: { ...invitee, connectionId } })).map(
      ({ content }: Json) => content,
    )

  const connected = async (to: Wallet): Promise<{ connectionId: string; route: Route }> => {
    const { id, outOfBandInvitation } = await to.agent.didcomm.oob.createInvitation()
    const body = { invitation: outOfBandInvitation.toJSON(), ourDid: did }
    const { connectionRecord } = await succeed(stage, 'receiveInvitation', invitee, { body })
    const walletConnection = await waitFor('the connection', async () => {
      const [one] = await to.agent.didcomm.connections.findAllByOutOfBandId(id)
      return one?.state === 'completed' && one
    })
    return { connectionId: connectionRecord.id, route: await new RawMessages(to).route(walletConnection.id) }
  }

  beforeAll(async () => {
    ;({ connectionId, route } = await connected(wallet))
    ;({ route: later } = await connected(mallory))
    stranger = { ...route, senderKey: await raw.newKey() }
    await crowd(invitee.tenantId, connectionRecords, connectionId, (number) => ({
      threadId: randomUUID(),
      theirDid: `did:example:${number}`,
    }))
  })

  test.each([
    ['ping', ping],
    ['hang-up', () => message('did-rotate/1.0/hangup')],
    ['problem report', () => report({ thid: randomUUID() })],
  ])('a %s of an unknown sender reads none of them', async (_, made) => {
    expect((await expectCheap(() => raw.send(made(), stranger), 10)).status).toBe(400)
  })

  test('a message of a key with fifty DIDs looks up four of them', async () => {
    const senderKey = await raw.newKey()
    await storeDids(invitee, senderKey, 50)
    for (const thread of [{}, { '~thread': { thid: randomUUID(), pthid: randomUUID() } }]) {
      await settled(stage)
      requests = 0
      expect((await raw.send({ ...ping(), ...thread }, { ...route, senderKey })).status).toBe(400)
      expect(requests).toBeLessThanOrEqual(8)
    }
  })

  test('a message of the oldest one is heard, though its key has other DIDs of handshakes under way', async () => {
    const { senderKey = await raw.newKey() } = route
    await storeDids(invitee, senderKey, 10, { [OF_UNFINISHED_HANDSHAKE]: true })
    expect((await expectCheap(() => raw.send(say('still here'), route))).status).toBe(200)
    expect(await heard()).toEqual(['still here'])
  })

  test('the other agent of the oldest one rotates its DID, and hangs up', async () => {
    const senderKey = await raw.newKey()
    const toDid = peerDidOf([senderKey], 'http://127.0.0.1:1024')
    const rotation = () => message('did-rotate/1.0/rotate', { to_did: toDid })
    // Somebody who has connected later names the same DID, of which he has no key.
    expect((await new RawMessages(mallory).send(rotation(), later)).status).toBe(200)
    expect((await raw.send(rotation(), route)).status).toBe(200)
    const rotated = { ...route, senderKey }
    expect((await raw.send(say('it is me'), rotated)).status).toBe(200)
    expect(await heard()).toEqual(['still here', 'it is me'])
    for (let time = 0; time < 2; time++)
      expect((await expectCheap(() => raw.send(message('did-rotate/1.0/hangup'), rotated))).status).toBe(200)
    const path = { connectionId }
    expect((await succeed(stage, 'getConnectionById', invitee, { path })).state).toBe('abandoned')
  })
})

describe('a rotation to a DID to which many others rotate', async () => {
  const heard = async (prepare: (tracked: { connectionId: string; fingerprint: string }) => Promise<unknown>) => {
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    const route = await raw.route(walletConnectionId)
    const senderKey = await raw.newKey()
    const toDid = peerDidOf([senderKey], 'http://127.0.0.1:1024')
    expect((await raw.send(message('did-rotate/1.0/rotate', { to_did: toDid }), route)).status).toBe(200)
    await prepare({ connectionId, fingerprint: senderKey.fingerprint })
    expect((await expectCheap(() => raw.send(say('it is me'), { ...route, senderKey }))).status).toBe(200)
    expect((await succeed(stage, 'getConnectionById', caller, { path: { connectionId } })).theirDid).toBe(toDid)
  }

  test('takes effect', () =>
    heard(({ connectionId }) =>
      crowd(caller.tenantId, connectionRecords, connectionId, (number) => ({ did: `did:example:ours${number}` }), 1000),
    ))

  test('takes effect, also where its entry of an earlier version names the new key alone', () =>
    heard(({ connectionId, fingerprint }) =>
      transaction(caller.tenantId, async (unit) => {
        const record = await unit.read(caller.tenantId, connectionRecords.type, connectionId)
        if (record === undefined) throw new Error('there is no connection')
        const listOf = (of: string) => tagPartition(caller.tenantId, connectionRecords, 'rotating', of)
        const addressIn = (of: string) => entryAddress(listOf(of), record.value.createdAt, connectionId)
        unit.delete(addressIn(rotationBetween(fingerprint, String(record.value.did))))
        unit.create(toEntryItem(addressIn(fingerprint), record, false))
      }),
    ))
})

describe('where a DID of the agent has many invitations', async () => {
  test.each([
    ['that it was created for', async (inviter: Tenant) => (await inviteToConnect(stage, inviter)).invitationDid],
    ['that it is public for', publicDidOf],
  ])('%s, a request for a connection reads few of them', async (_, didFor) => {
    const inviter = await createTenant(stage)
    const did = await didFor(inviter)
    const invite = () => succeed(stage, 'createInvitation', inviter, { body: { invitationDid: did } })
    const invited = await invite()
    await crowd(inviter.tenantId, outOfBandRecords, invited.outOfBandRecord.id, () => {
      const invitationId = randomUUID()
      return {
        invitationId,
        outOfBandInvitation: { ...invited.outOfBandRecord.outOfBandInvitation, '@id': invitationId },
      }
    })
    const senderKey = await raw.newKey()
    const route = { ...(await raw.routeToDid(did)), senderKey }
    const { '~thread': _named, ...request } = connectionRequest('', [senderKey], NOWHERE)
    expect((await expectCheap(() => raw.send(request, route))).status).toBe(400)
    const implicit = didExchangeRequest(did, peerDidOf([senderKey], NOWHERE))
    expect((await expectCheap(() => raw.send(implicit, route))).status).toBe(200)
  })
})

test('an invitation by a DID with which there are many connections is answered by reuse of the newest one', async () => {
  const [inviter, invitee] = [await createTenant(stage), await createTenant(stage)]
  const invitationDid = await publicDidOf(inviter)
  const { invitees } = await connectTenants(stage, inviter, invitee, { invitation: { invitationDid } })
  await crowd(invitee.tenantId, connectionRecords, invitees.id, (number) => ({ did: `did:example:${number}` }), 1000)
  const { invitation } = await succeed(stage, 'createInvitation', inviter, { body: { invitationDid } })
  const body = { invitation, reuseConnection: true }
  const received = await expectCheap(() => succeed(stage, 'receiveInvitation', invitee, { body }))
  expect(received.connectionRecord.id).toBe(invitees.id)
})

describe('a wallet that has given one id', () => {
  test.each([
    ['handshakes', 400],
    ['questions', 200],
  ])('to many %s has few of them read by each message on that thread', async (what, status) => {
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    const thid = randomUUID()
    const crowdOf: Record<string, () => Promise<unknown>> = {
      handshakes: () =>
        crowd(caller.tenantId, connectionRecords, connectionId, (number) => ({
          threadId: thid,
          did: `did:example:ours${number}`,
          theirDid: `did:example:theirs${number}`,
        })),
      questions: async () => {
        const question = { '@id': thid, question_text: 'Yes?', valid_responses: [{ text: 'yes' }] }
        await raw.sendOn(walletConnectionId, message('questionanswer/1.0/question', question))
        const [{ id }] = await succeed(stage, 'getQuestionAnswers', caller, { query: { threadId: thid } })
        await crowd(caller.tenantId, questionAnswerRecords, id, () => ({ connectionId: randomUUID() }), 1000)
      },
    }
    await crowdOf[what]?.()
    for (const thread of [{ thid }, { pthid: thid }]) {
      const sent = () => raw.sendOn(walletConnectionId, say('on a thread', { '~thread': thread }))
      expect((await expectCheap(sent)).status).toBe(status)
    }
  })
})

test('a revocation of a credential is noted, however many exchanges its connection has', async () => {
  const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
  const { id } = await issueDegree(stage, wallet, connectionId, caller)
  const registry = 'did:example:issuer/registry'
  const revocable = (index: string) => ({
    ...{ anonCredsRevocationRegistryId: registry, anonCredsCredentialRevocationId: index },
    threadId: randomUUID(),
  })
  const made = await crowd(caller.tenantId, credentialRecords, id, (number) => revocable(String(number)))
  const [credentialRecordId = ''] = made
  const notification = { revocation_format: 'anoncreds', credential_id: `${registry}::0` }
  const notify = () => raw.sendOn(walletConnectionId, message('revocation_notification/2.0/revoke', notification))
  expect((await expectCheap(notify, 10)).status).toBe(200)
  const exchange = await succeed(stage, 'getCredentialById', caller, { path: { credentialRecordId } })
  expect(exchange.revocationNotification).toBeDefined()
})
