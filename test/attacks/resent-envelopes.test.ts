/** Envelopes that somebody resends in another writing, and an invitation that several wallets answer at the same time. */
import { randomUUID } from 'node:crypto'
import type { DidCommEncryptedMessage } from '@credo-ts/didcomm'
import { expect, test } from 'vitest'
import { connect, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
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
])('an envelope that somebody resends %s has no second effect', async (name, rewrite) => {
  const content = `once, ${name}`
  const message = {
    '@type': 'https://didcomm.org/basicmessage/1.0/message',
    '@id': randomUUID(),
    content,
    sent_time: '2026-01-01T00:00:00.000Z',
  }
  const envelope = await raw.pack(message, route)
  await raw.postEnvelope(envelope, route.endpoint)
  const { status } = await raw.postEnvelope(rewrite(envelope), route.endpoint)
  expect(status).toBeLessThan(500)
  expect((await heard()).filter((one) => one === content)).toEqual([content])
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
