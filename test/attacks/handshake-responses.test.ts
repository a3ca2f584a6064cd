/** A response to this agent's request (Aries RFC 0023, 0160) is its sender's: it must not name another agent's key. */
import { DidDocument, DidKey, DidsApi, JsonTransformer } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionService,
  type DidCommMessage,
  type DidCommOutOfBandRecord,
  DidCommRoutingService,
  DidExchangeProtocol,
} from '@credo-ts/didcomm'
import { describe, expect, test, vi } from 'vitest'
import { verkeyOf } from '../../lib/agent/keys/index.ts'
import { base58Time } from '../support/base58-time.ts'
import { processorTime } from '../support/processor-time.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { connectionOf, settled, succeed } from '../support/tenants.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const stage = await useStage()
const victim = await createTenant(stage, 'Victim')
const mallory = await useWallet({ answerProofs: false })
const raw = new RawMessages(mallory)

type Respond = (
  asked: DidCommConnectionRecord,
  invitation: DidCommOutOfBandRecord,
  key: Json,
) => Promise<DidCommMessage>

const routingBy = (recipientKey: Json) => ({ endpoints: ['http://127.0.0.1:9999'], routingKeys: [], recipientKey })

/** Of the specification of did:peer, method 1: not of an agent here. */
const BY_DOCUMENT = 'did:peer:1zQmZMygzYqNwU6Uhmewx5Xepf2VLp5S4HLSwwgf2aiKZuwa'

/** Responses that name a key, by Credo, signed by the key of the invitation as they must be. */
const RESPONSES: Record<string, Respond> = {
  didexchange: (asked, invitation, key) =>
    mallory.agent.context
      .resolve(DidExchangeProtocol)
      .createResponse(mallory.agent.context, asked, invitation, routingBy(key)),
  // Credo answers with a DID of the method that it was asked with.
  'didexchange with an attached document': (asked, invitation, key) => {
    asked.theirDid = BY_DOCUMENT
    return mallory.agent.context
      .resolve(DidExchangeProtocol)
      .createResponse(mallory.agent.context, asked, invitation, routingBy(key))
  },
  connections: async (asked, invitation, key) =>
    (
      await mallory.agent.context
        .resolve(DidCommConnectionService)
        .createResponse(mallory.agent.context, asked, invitation, routingBy(key))
    ).message,
}

describe.each(Object.entries(RESPONSES))('by %s', (name, respond) => {
  const [protocol] = name.split(' ')

  /** The victim asks for a connection, and waits for the response. */
  const asked = async () => {
    const { agent } = mallory
    const { recipientKey, ...routing } = await agent.context.resolve(DidCommRoutingService).getRouting(agent.context)
    const invitation = await agent.didcomm.oob.createInvitation({
      label: 'Mallory',
      autoAcceptConnection: false,
      handshakeProtocols: [`https://didcomm.org/${protocol}/1.x` as never],
      routing: { recipientKey, ...routing },
    })
    const body = { invitation: invitation.outOfBandInvitation.toJSON() }
    const { outOfBandRecord } = await succeed(stage, 'receiveInvitation', victim, { body })
    const connection = await waitFor('the request', async () =>
      (await mallory.connections()).find(({ outOfBandId }) => outOfBandId === invitation.id),
    )
    await settled(stage)
    const route = await raw.routeToDid(connection.theirDid ?? '')
    return { invitation, connection, route, outOfBandRecord, invitationKey: recipientKey }
  }

  test('with the key that it is packed with completes the connection', async () => {
    const { invitation, connection, route, outOfBandRecord } = await asked()
    const senderKey = await raw.newKey()
    const message = await respond(connection, invitation, senderKey)
    expect((await raw.send(message.toJSON(), { ...route, senderKey })).status).toBe(200)
    await connectionOf(stage, victim, outOfBandRecord.id)
  })

  test('with the key of another agent is rejected, and writes nothing', async () => {
    const { invitation, connection, route, outOfBandRecord } = await asked()
    const message = await respond(connection, invitation, await raw.newKey())
    const before = await recordsInTable(stage)
    expect((await raw.send(message.toJSON(), { ...route, senderKey: await raw.newKey() })).status).toBe(400)
    expect(changesSince(before, await recordsInTable(stage))).toEqual([])
    await connectionOf(stage, victim, outOfBandRecord.id, 'request-sent')
  })

  if (name === 'didexchange')
    test('with a DID URL of its own is rejected, and writes nothing', async () => {
      const { invitation, connection, route, invitationKey } = await asked()
      const senderKey = await raw.newKey()
      const { context } = mallory.agent
      const message: Json = (await respond(connection, invitation, senderKey)).toJSON()
      message.did = `${message.did}?x=1`
      // Private in Credo.
      const handshake: Json = context.resolve(DidExchangeProtocol)
      const signed = await handshake.createSignedAttachment(context, message.did, [invitationKey])
      message['did_rotate~attach'] = JsonTransformer.toJSON(signed)
      const before = await recordsInTable(stage)
      expect((await raw.send(message, { ...route, senderKey })).status).toBe(400)
      expect(changesSince(before, await recordsInTable(stage))).toEqual([])
    })

  // Credo stores no DID other than did:peer, and would find no connection by the key of one.
  if (name === 'didexchange')
    test('with a DID that is no did:peer completes the connection, on which its owner is heard', async () => {
      const { invitation, connection, route, outOfBandRecord, invitationKey } = await asked()
      const senderKey = await raw.newKey()
      const { context } = mallory.agent
      const message: Json = (await respond(connection, invitation, senderKey)).toJSON()
      message.did = new DidKey(senderKey).did
      // Private in Credo.
      const handshake: Json = context.resolve(DidExchangeProtocol)
      const signed = await handshake.createSignedAttachment(context, message.did, [invitationKey])
      message['did_rotate~attach'] = JsonTransformer.toJSON(signed)
      expect((await raw.send(message, { ...route, senderKey })).status).toBe(200)
      const { id, theirDid } = await connectionOf(stage, victim, outOfBandRecord.id)
      expect(theirDid).toBe(message.did)
      expect((await raw.send(didCommMessage('basicmessage/1.0/message'), { ...route, senderKey })).status).toBe(200)
      const [received] = await succeed(stage, 'getBasicMessages', victim, { path: { connectionId: id } })
      expect(received).toMatchObject({ content: 'hello' })
    })

  // In connections/1.0 no DID names the document: test/attacks/handshakes.test.ts names the other key there.
  if (protocol === 'didexchange')
    test('with the key of another agent beside its own is rejected, and writes nothing', async () => {
      const { invitation, connection, route, outOfBandRecord } = await asked()
      const [senderKey, other] = [await raw.newKey(), await raw.newKey()]
      const { create } = DidsApi.prototype
      vi.spyOn(DidsApi.prototype, 'create').mockImplementationOnce(function (this: DidsApi, options: Json) {
        const document = options.didDocument.toJSON()
        document.authentication.push({ ...document.authentication[0], id: '#other', publicKeyBase58: verkeyOf(other) })
        document.service[0].recipientKeys.push('#other')
        return create.call(this, { ...options, didDocument: JsonTransformer.fromJSON(document, DidDocument) })
      })
      const message = await respond(connection, invitation, senderKey)
      const before = await recordsInTable(stage)
      expect((await raw.send(message.toJSON(), { ...route, senderKey })).status).toBe(400)
      expect(changesSince(before, await recordsInTable(stage))).toEqual([])
      await connectionOf(stage, victim, outOfBandRecord.id, 'request-sent')
    })

  // The signed part of connections/1.0 is the only document that is in base64 and no attachment.
  if (protocol !== 'connections') return

  /** A response whose signed document is changed, and signed again. */
  const respondWith = async (change: (document: Json) => void) => {
    const { invitation, connection, route, outOfBandRecord, invitationKey } = await asked()
    const senderKey = await raw.newKey()
    const message = (await respond(connection, invitation, senderKey)).toJSON()
    const { sig_data: text } = message['connection~sig'] as Json
    const signed = Buffer.from(text, 'base64')
    const document = JSON.parse(signed.subarray(8).toString())
    change(document)
    const data = Buffer.concat([signed.subarray(0, 8), Buffer.from(JSON.stringify(document))])
    const { signature } = await mallory.agent.kms.sign({ algorithm: 'EdDSA', data, keyId: invitationKey.keyId })
    Object.assign(message['connection~sig'] as Json, {
      sig_data: data.toString('base64url'),
      signature: Buffer.from(signature).toString('base64url'),
    })
    return { send: () => raw.send(message, { ...route, senderKey }), outOfBandRecord }
  }

  // Base58 takes quadratic time.
  test('with a long key in its signed document is rejected immediately', async () => {
    const { send, outOfBandRecord } = await respondWith(({ DIDDoc: { publicKey } }) =>
      publicKey.push({ ...publicKey[0], publicKeyBase58: 'z'.repeat(80_000) }),
    )
    const spent = processorTime()
    expect((await send()).status).toBe(400)
    expect(spent()).toBeLessThan(base58Time())
    await connectionOf(stage, victim, outOfBandRecord.id, 'request-sent')
  })

  test('with null in its signed document, where members are optional, is accepted', async () => {
    const { send, outOfBandRecord } = await respondWith(({ DIDDoc: { publicKey, service } }) => {
      Object.assign(publicKey[0], { publicKeyPem: null })
      Object.assign(service[0], { routingKeys: null, priority: null, accept: null })
    })
    expect((await send()).status).toBe(200)
    const { id: connectionId } = await connectionOf(stage, victim, outOfBandRecord.id)
    await succeed(stage, 'sendMessage', victim, { path: { connectionId }, body: { content: 'hello' } })
  })
})
