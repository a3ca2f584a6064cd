/** A request for a connection takes the invitation that it was sent to and no other, and harms no other wallet's connection. */
import { beforeEach, describe, expect, test } from 'vitest'
import { connect, createTenant, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { connectionRequest, didExchangeRequest, peerDidOf, type RawKey } from '../wallet/handshake-requests.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

/** The endpoint of hand-made DIDs; nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1'

/** An invitation that was not accepted; one for each test. */
let unused: Json
let other: Json
let key: RawKey

const invitationIdOf = (request: Json): string => request.outOfBandRecord.outOfBandInvitation['@id']
const keyOf = async (request: Json): Promise<Route> => ({
  ...(await mallory.routeToDid(request.invitationDid)),
  senderKey: key,
})
const invite = async (): Promise<Json> => (await stage.call('createRequest', { caller, body: requestBody })).body

const stage = await useStage()
const caller = await createTenant(stage)
const alice = await useWallet({ answerProofs: false })
const alices = await connect(stage, alice, caller)
const wallet = await useWallet({ answerProofs: false })
/** Has no connection; her keys are new ones. */
const mallory = new RawMessages(wallet)
beforeEach(async () => {
  unused = await invite()
  other = await invite()
  key = await mallory.newKey()
})

/** What a message does to records; [] is nothing. */
const effects = async (message: Json, route: Route): Promise<unknown[]> => {
  const before = await recordsInTable(stage)
  const { status } = await mallory.send(message, route)
  const changes = changesSince(before, await recordsInTable(stage))
  return status >= 500 ? [status, ...changes] : changes
}

/** Messages arrive in both directions. */
const expectAliceToTalk = async (content: string): Promise<void> => {
  const { connectionId, walletConnectionId } = alices
  await alice.sendMessage(walletConnectionId, content)
  const { body: messages } = await stage.call('tenantGetBasicMessages', { caller, path: { ...caller, connectionId } })
  expect(messages.at(-1)).toMatchObject({ content, role: 'receiver' })
  await stage.call('sendMessage', { caller, path: { connectionId }, body: { content } })
  await waitFor('the answer', async () =>
    (await alice.messages(walletConnectionId)).some(
      (message) => message.role === 'receiver' && message.content === content,
    ),
  )
}

const aliceRoute = async (): Promise<Route & { senderKey: RawKey }> => {
  const route = await new RawMessages(alice).route(alices.walletConnectionId)
  if (route.senderKey === undefined) throw new Error('Alice has no key')
  return { ...route, senderKey: route.senderKey }
}

/** Each kind of request, by a sender who is reached nowhere. */
const REQUESTS: Record<string, (invitation: string, keys: RawKey[]) => Json> = {
  'did-exchange': (invitation, keys) => didExchangeRequest(invitation, peerDidOf(keys, NOWHERE)),
  connections: (invitation, keys) => connectionRequest(invitation, keys, NOWHERE),
}

describe.each(Object.entries(REQUESTS))('a request of %s', (_, requestOf) => {
  test('is answered where it is sent to the key of its invitation', async () => {
    expect(await effects(requestOf(invitationIdOf(unused), [key]), await keyOf(unused))).not.toEqual([])
  })

  test('has no effect where it is sent to the key of another invitation', async () => {
    expect(await effects(requestOf(invitationIdOf(unused), [key]), await keyOf(other))).toEqual([])
  })

  test('has no effect where it is sent to the key of a connection', async () => {
    const route = { ...(await aliceRoute()), senderKey: key }
    expect(await effects(requestOf(invitationIdOf(unused), [key]), route)).toEqual([])
  })

  test('has no effect where another wallet has accepted the invitation', async () => {
    expect(await effects(requestOf(invitationIdOf(alices.request), [key]), await keyOf(alices.request))).toEqual([])
  })

  test('has no effect where it names the DID of a connection, or of another invitation than it is sent to, as if that were public', async () => {
    const { body: connection } = await stage.call('getConnectionById', {
      caller,
      path: { connectionId: alices.connectionId },
    })
    const toConnection = { ...(await aliceRoute()), senderKey: key }
    expect(await effects(requestOf(unused.invitationDid, [key]), await keyOf(other))).toEqual([])
    expect(await effects(requestOf(connection.did, [key]), toConnection)).toEqual([])
  })

  test("does not cut off another wallet by a document that also names that wallet's key", async () => {
    const { senderKey } = await aliceRoute()
    await mallory.send(requestOf(invitationIdOf(unused), [key, senderKey]), await keyOf(unused))
    await expectAliceToTalk('and still here')
  })

  test('does not lock out the owner of a key that its document also names', async () => {
    const later = await mallory.newKey()
    await mallory.send(requestOf(invitationIdOf(unused), [key, later]), await keyOf(unused))
    const request = requestOf(invitationIdOf(other), [later])
    expect(await effects(request, { ...(await keyOf(other)), senderKey: later })).not.toEqual([])
  })
})

test('a request of connections takes the invitation that it names; without a name one whose key has no other', async () => {
  const request: Json = connectionRequest(invitationIdOf(unused), [key], NOWHERE)
  delete request['~thread']
  await stage.call('createRequest', { caller, body: { ...requestBody, invitationDid: other.invitationDid } })
  expect(await effects(request, await keyOf(other))).toEqual([])
  expect(await effects(request, await keyOf(unused))).not.toEqual([])
  const named = connectionRequest(invitationIdOf(other), [key], NOWHERE)
  expect(await effects(named, await keyOf(other))).not.toEqual([])
})

describe('on an older connection', () => {
  const reuse = (request: Json) => didCommMessage('out-of-band/1.1/handshake-reuse', { pthid: invitationIdOf(request) })
  const presentation = (request: Json) =>
    didCommMessage('present-proof/2.0/presentation', { thid: request.proofRecordThId, pthid: invitationIdOf(request) })
  const sendAsAlice = (message: Json) => new RawMessages(alice).sendOn(alices.walletConnectionId, message)

  test.each<[string, (request: Json) => Json]>([
    ['accepted by a reuse', reuse],
    ['answered', presentation],
  ])('an invitation by another DID cannot be %s', async (_, messageFor) => {
    const before = await recordsInTable(stage)
    expect((await sendAsAlice(messageFor(unused))).status).toBe(400)
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
  })

  test('one by the same DID can be answered once, by its connection only', async () => {
    const body = { ...requestBody, invitationDid: alices.request.invitationDid }
    const { body: request } = await stage.call('createRequest', { caller, body })
    expect((await sendAsAlice(presentation(request))).status).toBe(200)
    const path = { ...caller, proofRecordId: request.proofRecordId }
    const { body: proof } = await stage.call('tenantProofFormData', { caller, path })
    expect(proof).toMatchObject({ connectionId: alices.connectionId, state: 'abandoned' })
    expect(
      await effects(didExchangeRequest(invitationIdOf(request), peerDidOf([key], NOWHERE)), await keyOf(request)),
    ).toEqual([])
  })
})
