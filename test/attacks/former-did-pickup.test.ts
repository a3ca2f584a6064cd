/** A key of a DID that a wallet without an endpoint has given up: its owner can no longer fetch messages (Aries RFC 0794). */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { connect } from '../support/scenes.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { peerDidOf } from '../wallet/handshake-requests.ts'
import { RawMessages, type Route } from '../wallet/raw-messages.ts'

const { stage, wallet, caller } = await useTenantAndWallet({ endpoint: false })
const raw = new RawMessages(wallet)
const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
const former = await raw.route(walletConnectionId)
const senderKey = await raw.newKey()
const current = { ...former, senderKey }
const rotate = { '@type': 'https://didcomm.org/did-rotate/1.0/rotate', '@id': randomUUID() }
await raw.send({ ...rotate, to_did: peerDidOf([senderKey], 'didcomm:transport/queue') }, former)

const ask = (type: string, route: Route, body: object = {}) =>
  raw.send({ ...didCommMessage(type), ...body, '~transport': { return_route: 'all' } }, route)

await ask('trust_ping/1.0/ping', current)

const waiting = async () => (await ask('messagepickup/2.0/status-request', current)).message?.message_count

test('a former DID neither fetches nor removes what waits', async () => {
  await stage.call('sendMessage', { caller, path: { connectionId }, body: { content: 'for the new DID' } })
  const before = await waiting()
  const [{ '@id': id } = {}] = ((await ask('messagepickup/2.0/delivery-request', current)).message?.['~attach'] ??
    []) as { '@id'?: string }[]
  expect(id).toEqual(expect.any(String))
  const received = { ...didCommMessage('messagepickup/2.0/status-request'), message_id_list: [id] }
  const statuses = [
    await ask('messagepickup/1.0/batch-pickup', former),
    await ask('messagepickup/2.0/status-request', former),
    await ask('messagepickup/2.0/delivery-request', former),
    await raw.send({ ...received, '@type': 'https://didcomm.org/messagepickup/2.0/messages-received' }, former),
  ].map(({ status }) => status)
  expect(statuses).toEqual([400, 400, 400, 400])
  expect(await waiting()).toBe(before)
})
