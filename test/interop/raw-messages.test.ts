/** Raw messages of a wallet to the agent: what the attack tests rely on. */
import { expect, test } from 'vitest'
import { connect, createTenant } from '../support/scenes.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { headerOf, RawMessages, withHeader } from '../wallet/raw-messages.ts'

const stage = await useStage()
const wallet = await useWallet()
const raw = new RawMessages(wallet)
const connected = await connect(stage, wallet, await createTenant(stage))

const ping = (id: string) => ({
  '@type': 'https://didcomm.org/trust_ping/1.0/ping',
  '@id': id,
  response_requested: true,
  '~transport': { return_route: 'all' },
})

test('any JSON goes out on a connection, and the answer by return route is opened', async () => {
  const answer = await raw.sendOn(connected.walletConnectionId, ping('a-ping-by-hand'))
  expect(answer).toMatchObject({ status: 200, message: { '~thread': { thid: 'a-ping-by-hand' } } })
})

test('a message is packed without a sender, or from a key that nobody knows', async () => {
  const { senderKey, ...anonymous } = await raw.route(connected.walletConnectionId)
  expect(headerOf(await raw.pack(ping('anonymous'), anonymous))).toMatchObject({ alg: 'Anoncrypt' })
  const stranger = { ...anonymous, senderKey: await raw.newKey() }
  expect(headerOf(await raw.pack(ping('stranger'), stranger))).toMatchObject({ alg: 'Authcrypt' })
  expect(senderKey?.fingerprint).not.toBe(stranger.senderKey.fingerprint)
})

test('an envelope whose header was altered is refused', async () => {
  const route = await raw.route(connected.walletConnectionId)
  const envelope = await raw.pack(ping('altered'), route)
  const header = headerOf(envelope)
  expect((await raw.postEnvelope(withHeader(envelope, { ...header, more: 1 }), route.endpoint)).status).toBe(400)
})
