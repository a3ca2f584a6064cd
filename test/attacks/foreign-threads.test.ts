/** A thread belongs to its connection: messages of others on it change and create nothing, and its own messages still count. */
import { TypedArrayEncoder } from '@credo-ts/core'
import { DidCommAutoAcceptCredential } from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { FULL } from '../support/depth.ts'
import { connect, createTenant, offerBody, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { succeed } from '../support/tenants.ts'
import { type DidCommJson, didCommMessage, didCommMessages, type Thread } from '../support/wallets/didcomm-messages.ts'
import { handMadeInvitation } from '../support/wallets/hand-made-invitation.ts'
import { didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

/** Messages under way. */
const AT_ONCE = 4

/** Threads that others have begun, and on which the tenant has a turn: as holder, prover and responder, and as who was invited. */
const begun: Record<string, string> = {}

const startWallet = () => useWallet({ answerProofs: false, acceptOffers: false })

const stage = await useStage()
const caller = await createTenant(stage)
/** Her threads are attacked: a proof request and an offer that she has not answered yet. */
const alice = await startWallet()
const alices = await connect(stage, alice, caller)
const path = { connectionId: alices.connectionId }
const handshake = (await stage.call('getConnectionById', { caller, path })).body.threadId
const offer = (await stage.call('createOffer', { caller, body: offerBody(alices.connectionId, alice.did) })).body
/** An invitation that was not accepted. */
const unused = (await stage.call('createRequest', { caller, body: requestBody })).body

const OFFER = 'issue-credential/2.0/offer-credential'

/** What Alice begins, a question to her, and two invitations of another agent that the tenant has accepted. */
const beginThreads = async (): Promise<void> => {
  const raw = new RawMessages(alice)
  const say = async (type: string): Promise<string> => {
    const message = didCommMessage(type)
    expect((await raw.sendOn(alices.walletConnectionId, message)).status).toBe(200)
    return String(message['@id'])
  }
  const invited = async (more: Json): Promise<Json> => {
    const invitation = handMadeInvitation(await raw.newKey(), 'Bob', more)
    return succeed(stage, 'receiveInvitation', caller, { body: { invitation } })
  }
  begun.held = await say(OFFER)
  begun.shown = await say('present-proof/2.0/request-presentation')
  begun.asked = await say('questionanswer/1.0/question')
  const question = { question: 'Pay?', validResponses: [{ text: 'yes' }] }
  const path = { connectionId: alices.connectionId }
  begun.asking = (await stage.call('sendQuestion', { caller, path, body: question })).body.threadId
  const attached = didCommMessage(OFFER)
  await invited({ 'requests~attach': [{ '@id': 'offer', data: { json: attached } }] })
  begun.taken = String(attached['@id'])
  const { connectionRecord } = await invited({ handshake_protocols: ['https://didcomm.org/didexchange/1.1'] })
  begun.handshake = connectionRecord.threadId
}

await beginThreads()
const wallet = await startWallet()
/** She has a connection of her own, and knows every id. */
const mallory = new RawMessages(wallet)
const mallorys = await connect(stage, wallet, caller)

/** Sends messages, some at a time. Returns what they did to records, and what failed on our side. */
const effects = async (messages: DidCommJson[], route: Route, sender = mallory): Promise<unknown[]> => {
  const before = await recordsInTable(stage)
  const failed: unknown[] = []
  const left = [...messages]
  const send = async (): Promise<void> => {
    for (let message = left.shift(); message !== undefined; message = left.shift()) {
      const { status } = await sender.send(message, route)
      if (status >= 500) failed.push({ status, message })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, send))
  return [...failed, ...changesSince(before, await recordsInTable(stage))]
}

const alicesKey = async (): Promise<Route> => {
  const { recipientKeys, endpoint } = await new RawMessages(alice).route(alices.walletConnectionId)
  return { recipientKeys, endpoint }
}
const invitationKey = (): Promise<Route> => mallory.routeToDid(unused.invitationDid)
const mallorysOwn = (): Promise<Route> => mallory.route(mallorys.walletConnectionId)

const ROUTES: Record<string, () => Promise<Route>> = {
  "with her own key, to the key of Alice's connection": async () => ({
    ...(await mallorysOwn()),
    ...(await alicesKey()),
  }),
  "with a new key, to the key of Alice's connection": async () => ({
    ...(await alicesKey()),
    senderKey: await mallory.newKey(),
  }),
  "without a sender, to the key of Alice's connection": alicesKey,
  'with her own key, to the key of the invitation': async () => ({
    ...(await mallorysOwn()),
    ...(await invitationKey()),
  }),
  'without a sender, to the key of the invitation': invitationKey,
  'with a new key, to the key of the invitation that Alice has taken': async () => ({
    ...(await mallory.routeToDid(alices.request.invitationDid)),
    senderKey: await mallory.newKey(),
  }),
}

const THREADS: Record<string, () => string> = {
  'a proof request': () => alices.request.proofRecordThId,
  'an offer': () => offer.threadId,
  'the invitation that she has taken': () => alices.request.outOfBandRecord.outOfBandInvitation['@id'],
  'her handshake': () => handshake,
  'the request of an invitation that nobody has taken': () => unused.proofRecordThId,
  'an offer of hers': () => begun.held ?? '',
  'a proof request of hers': () => begun.shown ?? '',
  'a question of hers': () => begun.asked ?? '',
  'a question to her': () => begun.asking ?? '',
  'an offer in an invitation that was taken': () => begun.taken ?? '',
  'a handshake that was asked for': () => begun.handshake ?? '',
}

const EXCHANGES = [
  'a proof request',
  'the request of an invitation that was not accepted',
  'an offer of hers',
  'an offer in an invitation that was accepted',
]

/** Messages that exchanges are made of, and those that end them. */
const exchangeMessages = (thread?: Thread): DidCommJson[] =>
  didCommMessages(thread).filter((message) =>
    /present-proof|issue-credential|problem-report/.test(String(message['@type'])),
  )

const isReport = (message: DidCommJson): boolean => String(message['@type']).endsWith('problem-report')

/** Each message on each thread, or on every sixth one. */
const triedOn = (thread: string, messages: DidCommJson[]): DidCommJson[] =>
  messages.filter((_, at) => FULL || (at + Object.keys(THREADS).indexOf(thread)) % 6 === 0)

describe.each(Object.entries(THREADS))('on the thread of %s', (thread, threadOf) => {
  test('a message that bears its id has no effect', async () => {
    // A report would be accepted, and the others for its repetitions.
    const messages = exchangeMessages().filter((message) => !isReport(message))
    const bearing = triedOn(thread, messages).map((message) => ({ ...message, '@id': threadOf() }))
    expect(await effects(bearing, await mallorysOwn())).toEqual([])
  })

  test('nor has one that names it as its parent thread', async () => {
    expect(await effects(triedOn(thread, didCommMessages({ pthid: threadOf() })), await mallorysOwn())).toEqual([])
  })

  test('nor has one of any protocol', async () => {
    expect(await effects(triedOn(thread, didCommMessages({ thid: threadOf() })), await mallorysOwn())).toEqual([])
  })
})

/** Each route with each of them, or with one. */
const exchangesOn = (route: string): string[] =>
  EXCHANGES.filter((_, at) => FULL || at === Object.keys(ROUTES).indexOf(route) % EXCHANGES.length)

describe.each(Object.entries(ROUTES))('%s', (route, routeOf) => {
  test.each(exchangesOn(route))('no message has an effect on the thread of %s', async (name) => {
    const thid = THREADS[name]?.() ?? ''
    expect(await effects(exchangeMessages({ thid }), await routeOf())).toEqual([])
  })
})

/** Messages to the role that the tenant does not have in an exchange with Alice. */
const TO_THE_OTHER_ROLE: Record<string, RegExp> = {
  'a proof request': /present-proof.*(request-presentation|ack)$/,
  'a proof request of hers': /present-proof.*(propose-presentation|\/presentation)$/,
  'an offer': /issue-credential.*(offer|issue)-credential$/,
  'an offer of hers': /issue-credential.*(propose-credential|request-credential|ack)$/,
}

test.each(Object.entries(TO_THE_OTHER_ROLE))(
  'on the thread of %s, not even Alice may send messages of the other role',
  async (thread, types) => {
    const raw = new RawMessages(alice)
    const messages = didCommMessages({ thid: THREADS[thread]?.() ?? '' }).filter((message) =>
      types.test(String(message['@type'])),
    )
    expect(messages.length).toBeGreaterThan(2)
    expect(await effects(messages, await raw.route(alices.walletConnectionId), raw)).toEqual([])
  },
)

test('an unknown sender begins no exchange, even with a return address', async () => {
  const senderKey = await mallory.newKey()
  const service = {
    recipientKeys: [TypedArrayEncoder.toBase58(senderKey.publicKey.publicKey)],
    serviceEndpoint: 'http://127.0.0.1:1',
  }
  const messages = exchangeMessages().map((message) => ({ ...message, '~service': service }))
  expect(await effects(messages, { ...(await invitationKey()), senderKey })).toEqual([])
  expect(await effects(messages, { ...(await alicesKey()), senderKey })).toEqual([])
})

test('the receiver of an unaccepted invitation may not propose something else', async () => {
  const messages = exchangeMessages({ thid: unused.proofRecordThId }).filter(({ '@type': type }) =>
    /propose|offer|request|ack/.test(String(type)),
  )
  expect(await effects(messages, { ...(await invitationKey()), senderKey: await mallory.newKey() })).toEqual([])
})

test('nor may she answer it with a key of her connection', async () => {
  const thread = { thid: unused.proofRecordThId, pthid: unused.outOfBandRecord.outOfBandInvitation['@id'] }
  const route = { ...(await mallorysOwn()), ...(await invitationKey()) }
  expect(await effects(exchangeMessages(thread), route)).toEqual([])
})

test('nor may a connection with the DID of such an invitation begin an exchange by it', async () => {
  const body = { ...requestBody, invitationDid: mallorys.request.invitationDid }
  const { outOfBandRecord } = await succeed(stage, 'createRequest', caller, { body })
  const messages = exchangeMessages({ pthid: outOfBandRecord.outOfBandInvitation['@id'] }).filter(
    (message) => !isReport(message),
  )
  expect(await effects(messages, await mallorysOwn())).toEqual([])
})

test('no connection is made on the thread of an exchange that has none', async () => {
  const senderKey = await mallory.newKey()
  const request = didExchangeRequest(
    unused.outOfBandRecord.outOfBandInvitation['@id'],
    peerDidOf([senderKey], 'http://127.0.0.1:1'),
  )
  Object.assign(request['~thread'], { thid: unused.proofRecordThId })
  expect(await effects([request], { ...(await invitationKey()), senderKey })).toEqual([])
})

test('a connection with another tenant reaches nothing of this one', async () => {
  const other = await createTenant(stage, 'Globex')
  const wallet = await startWallet()
  const { walletConnectionId } = await connect(stage, wallet, other)
  const route = await new RawMessages(wallet).route(walletConnectionId)
  const attacks = Object.entries(THREADS).map(([thread, threadOf]) =>
    triedOn(thread, exchangeMessages({ thid: threadOf() })),
  )
  const before = await recordsInTable(stage)
  for (const message of attacks.flat()) await new RawMessages(wallet).send(message, route)
  const changes = changesSince(before, await recordsInTable(stage))
  expect(changes.filter((change) => change.startsWith(caller.tenantId))).toEqual([])
  const endpoint = route.endpoint.replace(other.tenantId, caller.tenantId)
  expect(
    await effects(exchangeMessages({ thid: alices.request.proofRecordThId }).slice(0, 1), {
      ...(await mallorysOwn()),
      endpoint,
    }),
  ).toEqual([])
})

test('then Alice takes her offer, and her presentation is verified', async () => {
  const { credentials } = alice.agent.didcomm
  const [offered] = await credentials.getAll()
  await credentials.acceptOffer({
    credentialExchangeRecordId: offered?.id ?? '',
    autoAcceptCredential: DidCommAutoAcceptCredential.Always,
  })
  await waitFor('the degree', async () => (await alice.credentials()).length > 0)
  const [asked] = await alice.proofs()
  expect(await alice.answerProof(asked?.id ?? '')).toBe(true)
  const path = { ...caller, proofRecordId: alices.request.proofRecordId }
  const proof = await waitFor('the proof to be done', async () => {
    const { body } = await stage.call('tenantProofFormData', { caller, path })
    return body.state === 'done' && body
  })
  expect(proof).toMatchObject({ isVerified: true, connectionId: alices.connectionId })
})
