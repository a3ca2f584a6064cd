/** Connections by the operations alone: accepted by a call, pinged, ended by either side, and found by their fields. */
import { randomUUID } from 'node:crypto'
import {
  DidCommEventTypes,
  type DidCommMessageSentEvent,
  DidCommTrustPingEventTypes,
  type DidCommTrustPingReceivedEvent,
  OutboundMessageSendStatus,
} from '@credo-ts/didcomm'
import { describe, expect, test } from 'vitest'
import { connect, createTenant, offerBody, requestBody } from '../support/scenes.ts'
import type { Json, OperationName } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import {
  connectionOf,
  connectTenants,
  type InvitationOptions,
  inviteToConnect,
  settled,
  takeInvitation,
} from '../support/tenants.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const { stage, caller, wallet } = await useTenantAndWallet()
const other = await createTenant(stage, 'Globex')

const act = (operation: OperationName, connectionId: string, { as = caller, body }: Json = {}) =>
  stage.call(operation, { caller: as, path: { connectionId }, ...(body && { body }) })
const connectionNow = (connectionId: string, as = caller) => act('getConnectionById', connectionId, { as })
const stateOf = async (connectionId: string, as = caller) => (await connectionNow(connectionId, as)).body.state
const invite = (options?: InvitationOptions) => inviteToConnect(stage, caller, options)

/** A wallet's connection and ours, which waits to be accepted. */
const requested = async (peer = wallet) => {
  const { invitationUrl, outOfBandId } = await invite({ autoAcceptConnection: false })
  const walletConnectionId = (await peer.receive(invitationUrl)) ?? ''
  const { id } = await connectionOf(stage, caller, outOfBandId, 'request-received')
  return { connectionId: id as string, walletConnectionId, outOfBandId }
}

describe('a request that waits', () => {
  test.each(['didexchange', 'connections'] as const)('is accepted by a call: %s', async (handshake) => {
    const peer = await Wallet.start({ handshake })
    const { connectionId, walletConnectionId } = await requested(peer)
    const { status, body } = await act('acceptConnectionRequest', connectionId)
    expect({ status, state: body.state }).toEqual({ status: 200, state: 'response-sent' })
    await waitFor('the connection', async () => (await stateOf(connectionId)) === 'completed')
    await peer.sendMessage(walletConnectionId, 'hello')
    await peer.stop()
  })

  test('is accepted once: after that both operations are a 409 that says the state', async () => {
    const { connectionId } = await requested()
    expect((await act('acceptConnectionRequest', connectionId)).status).toBe(200)
    await waitFor('the connection', async () => (await stateOf(connectionId)) === 'completed')
    for (const operation of ['acceptConnectionRequest', 'acceptConnectionResponse'] as const) {
      const { status, body } = await act(operation, connectionId)
      expect({ status, message: body.message }).toEqual({
        status: 409,
        message: expect.stringContaining('its state is completed'),
      })
    }
  })

  test('cannot be accepted once its invitation was deleted', async () => {
    const { connectionId, outOfBandId } = await requested()
    await stage.call('deleteOutOfBandRecord', { caller, path: { outOfBandId } })
    expect((await act('acceptConnectionRequest', connectionId)).status).toBe(409)
  })

  test('is sent nothing before it is accepted', async () => {
    const { connectionId } = await requested()
    expect((await act('sendPing', connectionId)).status).toBe(409)
    expect((await act('sendMessage', connectionId, { body: { content: 'too early' } })).status).toBe(409)
  })

  test('is only deleted, and the wallet is not notified', async () => {
    const { connectionId } = await requested()
    const before = wallet.envelopes.length
    expect(await act('deleteConnection', connectionId)).toMatchObject({ status: 204, body: undefined })
    expect((await connectionNow(connectionId)).status).toBe(404)
    await settled(stage)
    expect(wallet.envelopes.length).toBe(before)
  })
})

test('a response that waits is accepted by a call, once', async () => {
  const { invitationUrl, outOfBandId } = await invite()
  const connectionId = await takeInvitation(stage, other, invitationUrl, { autoAcceptConnection: false })
  await waitFor('the response', async () => (await stateOf(connectionId, other)) === 'response-received')
  expect((await act('acceptConnectionRequest', connectionId, { as: other })).status).toBe(409)
  const accepted = await act('acceptConnectionResponse', connectionId, { as: other })
  expect(accepted).toMatchObject({ status: 200, body: { state: 'completed' } })
  await connectionOf(stage, caller, outOfBandId, 'completed')
  expect((await act('acceptConnectionResponse', connectionId, { as: other })).status).toBe(409)
})

test('a request that came with the invitation is handled when the response is accepted', async () => {
  const { body: asked } = await stage.call('createRequest', { caller, body: requestBody })
  const connectionId = await takeInvitation(stage, other, asked.invitationUrl, { autoAcceptConnection: false })
  await waitFor('the response', async () => (await stateOf(connectionId, other)) === 'response-received')
  const proofs = async () =>
    (await stage.call('getProofs', { caller: other, query: { threadId: asked.proofRecordThId } })).body
  expect(await proofs()).toEqual([])
  expect((await act('acceptConnectionResponse', connectionId, { as: other })).status).toBe(200)
  expect(await proofs()).toMatchObject([{ state: 'request-received', connectionId }])
})

describe('a ping', () => {
  test('reaches the wallet with its comment, and is answered', async () => {
    const peer = await Wallet.start({ answerProofs: false })
    const { connectionId } = await connect(stage, peer, caller)
    const pings: Json[] = []
    peer.agent.events.on<DidCommTrustPingReceivedEvent>(
      DidCommTrustPingEventTypes.DidCommTrustPingReceivedEvent,
      ({ payload }) => {
        pings.push(payload.message.toJSON())
      },
    )
    const answers: string[] = []
    peer.agent.events.on<DidCommMessageSentEvent>(DidCommEventTypes.DidCommMessageSent, ({ payload }) => {
      const { type } = payload.message.message
      if (type.endsWith('trust_ping/1.0/ping_response')) answers.push(payload.status)
    })
    const { status, body } = await act('sendPing', connectionId, { body: { comment: 'still there?' } })
    expect({ status, body }).toMatchObject({ status: 200, body: { id: connectionId, state: 'completed' } })
    await waitFor('the answer', () => answers.length === 1)
    expect(answers).toEqual([OutboundMessageSendStatus.SentToTransport])
    expect(pings).toMatchObject([{ comment: 'still there?', response_requested: true }])
    await act('sendPing', connectionId, { body: { responseRequested: false } })
    await waitFor('the ping', () => pings.length === 2)
    expect(pings.at(-1)).toMatchObject({ response_requested: false })
    // The wallet handles a message to its end before it takes the next one.
    await act('sendPing', connectionId, { body: {} })
    await waitFor('another answer', () => answers.length === 2)
    expect(pings).toHaveLength(3)
    await peer.stop()
  })

  test.each([{ comment: '' }, { comment: 5 }, { responseRequested: 'yes' }, { more: 1 }])(
    '%j is a 422',
    async (body) => {
      expect((await act('sendPing', randomUUID(), { body })).status).toBe(422)
    },
  )
})

describe('a connection that is deleted', () => {
  test('is hung up: the other tenant’s record shows it, and calls that would send are a 409', async () => {
    const { invitationUrl, outOfBandId } = await invite()
    const otherConnectionId = await takeInvitation(stage, other, invitationUrl)
    const { id } = await connectionOf(stage, caller, outOfBandId, 'completed')
    await waitFor('their side', async () => (await stateOf(otherConnectionId, other)) === 'completed')
    expect((await act('deleteConnection', id)).status).toBe(204)
    expect((await act('deleteConnection', id)).status).toBe(404)
    await waitFor('the hang-up', async () => (await stateOf(otherConnectionId, other)) === 'abandoned')
    const { body } = await connectionNow(otherConnectionId, other)
    expect(body.theirDid).toBeUndefined()
    const offer = offerBody(otherConnectionId, wallet.did)
    expect((await act('sendMessage', otherConnectionId, { as: other, body: { content: 'hello?' } })).status).toBe(409)
    expect((await act('sendPing', otherConnectionId, { as: other })).status).toBe(409)
    expect((await stage.call('createOffer', { caller: other, body: offer })).status).toBe(409)
    expect((await act('deleteConnection', otherConnectionId, { as: other })).status).toBe(204)
  })

  test('is hung up after the messages sent before, and keeps its exchanges', async () => {
    const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
    await act('sendMessage', connectionId, { body: { content: 'goodbye' } })
    expect((await act('deleteConnection', connectionId)).status).toBe(204)
    await waitFor('the hang-up', async () => {
      const { theirDid } = await wallet.agent.didcomm.connections.getById(walletConnectionId)
      return theirDid === undefined
    })
    expect((await wallet.messages(walletConnectionId)).map(({ content }) => content)).toEqual(['goodbye'])
    const path = { ...caller, proofRecordId: request.proofRecordId }
    expect((await stage.call('tenantProofFormData', { caller, path })).status).toBe(200)
  })

  test('receives nothing more, and nothing is written', async () => {
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    const raw = new RawMessages(wallet)
    const route = await raw.route(walletConnectionId)
    await act('deleteConnection', connectionId)
    const ping = { '@type': 'https://didcomm.org/trust_ping/1.0/ping', '@id': randomUUID() }
    expect((await raw.send(ping, route)).status).toBe(400)
  })

  test('of a wallet that cannot be notified is still deleted', async () => {
    const silent = await Wallet.start({ endpoint: false, answerProofs: false })
    const { connectionId } = await connect(stage, silent, caller)
    expect((await act('deleteConnection', connectionId)).status).toBe(204)
    await silent.stop()
  })
})

describe('when the wallet hangs up', () => {
  test('the record says so, an event is sent, and calls that would send are a 409', async () => {
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    const { theirDid } = (await connectionNow(connectionId)).body
    await wallet.agent.didcomm.connections.hangup({ connectionId: walletConnectionId })
    const { body } = await connectionNow(connectionId)
    expect(body).toMatchObject({ state: 'abandoned', previousTheirDids: [theirDid], _tags: { state: 'abandoned' } })
    expect(body.theirDid).toBeUndefined()
    for (const operation of ['sendPing', 'acceptConnectionRequest'] as const)
      expect((await act(operation, connectionId)).status).toBe(409)
    expect((await act('sendMessage', connectionId, { body: { content: 'hello?' } })).status).toBe(409)
  })
})

describe('connections are found', () => {
  test('by alias, label, either DID, state and invitation, and by all of them combined', async () => {
    const peer = await Wallet.start({ label: 'Ada’s phone', answerProofs: false })
    const { invitationUrl, outOfBandId } = await invite({ alias: 'Ada' })
    await peer.receive(invitationUrl)
    const connection = await connectionOf(stage, caller, outOfBandId, 'completed')
    const filters = {
      outOfBandId,
      alias: 'Ada',
      state: 'completed',
      myDid: connection.did,
      theirDid: connection.theirDid,
      theirLabel: 'Ada’s phone',
    }
    const ids = async (query: Record<string, string>) => {
      const { body } = await stage.call('getConnections', { caller, query })
      return body.map(({ id }: Json) => id)
    }
    for (const [name, value] of Object.entries(filters)) expect(await ids({ [name]: value })).toContain(connection.id)
    expect(await ids(filters)).toEqual([connection.id])
    for (const name of ['alias', 'myDid', 'theirLabel'] as const) {
      const changed = { ...filters, [name]: `${filters[name]}x` }
      expect(await ids(changed)).toEqual([])
      expect(await ids({ [name]: changed[name] })).toEqual([])
    }
    expect((await stage.call('getConnections', { caller: other, query: { alias: 'Ada' } })).body).toEqual([])
    await peer.stop()
  })
})

test('a request of createRequest is accepted automatically, as before', async () => {
  const { body } = await stage.call('createRequest', { caller, body: requestBody })
  await wallet.connect(body.invitationUrl)
})

test.each([
  ['characters of three bytes', '€'.repeat(65_000)],
  ['characters that JSON escapes', '"'.repeat(97_500)],
  ['control characters', '\u0001'.repeat(32_500)],
])('the longest message of %s that an agent sends is one that it accepts', async (_, content) => {
  const { invitees, connectionId } = await connectTenants(stage, caller, other)
  const body = (text: string) => ({ as: caller, body: { content: text } })
  expect((await act('sendMessage', connectionId, body(`${content}${content[0]}`))).status).toBe(422)
  expect((await act('sendMessage', connectionId, body(content))).status).toBe(200)
  await waitFor('the message', async () => {
    const { body: messages } = await act('getBasicMessages', invitees.id, { as: other })
    return messages.some((message: Json) => message.content === content)
  })
})
