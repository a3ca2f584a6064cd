/** An invitation that was deleted ends the handshakes for it that are under way, whatever their wallets send. */
import { DidCommDocumentService } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { inTenant } from '../support/anoncreds/world.ts'
import { connect, createTenant, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { connectionOf, succeed } from '../support/tenants.ts'
import { didCommMessage, didCommMessages, type Thread } from '../support/wallets/didcomm-messages.ts'
import { connectionRequest, didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'

const NOWHERE = 'http://127.0.0.1:1'

const stage = await useStage({ delivers: false })
const caller = await createTenant(stage)
const wallet = await useWallet()
const raw = new RawMessages(wallet)
const watched = new StoreFaults(stage.serviceClient)
let requests = 0
stage.onEnvelope(async (handle) => {
  const { result, commands } = await watched.count(handle)
  requests = commands.length
  return result
})

interface Requested {
  outOfBandId: string
  connection: Json
  /** The way of the connection. */
  route: Route
  thread: Thread
}

/** Requests a connection, which the agent accepts by itself. */
const requested = async (protocol: string, body: Json = requestBody): Promise<Requested> => {
  const operation = body === requestBody ? 'createRequest' : 'createInvitation'
  const { invitation, outOfBandRecord } = await succeed(stage, operation, caller, { body })
  const senderKey = await raw.newKey()
  const id = invitation['@id']
  const request =
    protocol === 'connections'
      ? connectionRequest(id, [senderKey], NOWHERE)
      : didExchangeRequest(id, peerDidOf([senderKey], NOWHERE))
  const toInviter = { ...(await raw.routeToDid(invitation.services[0])), senderKey }
  expect((await raw.send(request, toInviter)).status).toBe(200)
  const state = body.autoAcceptConnection === false ? 'request-received' : 'response-sent'
  const connection = await connectionOf(stage, caller, outOfBandRecord.id, state)
  const [service] = await inTenant(caller.tenantId, ({ context }) =>
    context
      .resolve(DidCommDocumentService)
      .resolveServicesFromDid(context, connection.did ?? '')
      .catch(() => []),
  )
  return {
    outOfBandId: outOfBandRecord.id,
    connection,
    route: { ...toInviter, ...(service && { recipientKeys: service.recipientKeys }) },
    thread: { thid: request['@id'], pthid: id },
  }
}

const withdraw = ({ outOfBandId }: Pick<Requested, 'outOfBandId'>) =>
  succeed(stage, 'deleteOutOfBandRecord', caller, { path: { outOfBandId } })

test.each(['didexchange', 'connections'])(
  'no message of %s or any other protocol completes or ends it',
  async (protocol) => {
    const handshake = await requested(protocol)
    const { connection, route, thread } = handshake
    await withdraw(handshake)
    const before = await recordsInTable(stage)
    const ends = [
      { ...didCommMessage('did-rotate/1.0/rotate'), to_did: peerDidOf([await raw.newKey()], NOWHERE) },
      didCommMessage('did-rotate/1.0/hangup'),
    ]
    for (const message of [...didCommMessages(), ...didCommMessages(thread), ...ends])
      expect({ ...message, ...(await raw.send(message, route)) }).toMatchObject({ status: 400 })
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
    const path = { connectionId: connection.id }
    expect(await succeed(stage, 'getConnectionById', caller, { path })).toEqual(connection)
  },
)

test.each(['didexchange', 'connections'])('a request of %s that waits cannot be accepted', async (protocol) => {
  const handshake = await requested(protocol, { multiUseInvitation: true, autoAcceptConnection: false })
  await withdraw(handshake)
  const path = { connectionId: handshake.connection.id }
  expect((await stage.call('acceptConnectionRequest', { caller, path, body: {} })).status).toBe(409)
})

test('requests to a DID end with its record, also where a later one has made it again', async () => {
  const { did } = await succeed(stage, 'createDid', caller, { body: { method: 'peer', numAlgo: 2 } })
  const ask = async () => {
    const senderKey = await raw.newKey()
    const request = didExchangeRequest(did, peerDidOf([senderKey], NOWHERE))
    expect((await raw.send(request, { ...(await raw.routeToDid(did)), senderKey })).status).toBe(200)
    return (await succeed(stage, 'getConnections', caller)).find(({ threadId }: Json) => threadId === request['@id'])
  }
  const accept = ({ id: connectionId }: Json) =>
    stage.call('acceptConnectionRequest', { caller, path: { connectionId }, body: {} })
  const withdrawn = await ask()
  await withdraw(withdrawn)
  expect((await accept(withdrawn)).status).toBe(409)
  const later = await ask()
  expect(later.outOfBandId).toBe(withdrawn.outOfBandId)
  expect((await accept(withdrawn)).status).toBe(409)
  expect((await accept(later)).status).toBe(200)
})

test('it costs a request to the table, until the connection is completed', async () => {
  const { outOfBandId, route } = await requested('didexchange', { multiUseInvitation: true })
  const counted = async () => {
    expect((await raw.send(didCommMessage('basicmessage/1.0/message'), route)).status).toBe(200)
    return requests
  }
  // Two queries, the invitation's record and the transaction.
  expect(await counted()).toBeLessThanOrEqual(4)
  await connectionOf(stage, caller, outOfBandId)
  await withdraw({ outOfBandId })
  expect(await counted()).toBeLessThanOrEqual(2)
})

test('a connection that was completed continues without its invitation', async () => {
  stage.line.run()
  const { walletConnectionId, request } = await connect(stage, wallet, caller)
  await withdraw({ outOfBandId: request.outOfBandRecord.id })
  expect((await raw.sendOn(walletConnectionId, didCommMessage('trust_ping/1.0/ping'))).status).toBe(200)
})
