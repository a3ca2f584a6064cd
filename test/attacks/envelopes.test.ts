/** Envelopes and messages that were corrupted on purpose: whatever an unknown sender sends is a 400, or is handled; it is never a 5xx. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { corrupted, oddValue } from '../support/api/odd-values.ts'
import { FULL } from '../support/depth.ts'
import { connect, createTenant, requestBody } from '../support/scenes.ts'
import type { Reply } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { didCommMessage, didCommMessages } from '../support/wallets/didcomm-messages.ts'
import { handMade } from '../support/wallets/hand-made-envelope.ts'
import { headerOf, RawMessages, withHeader } from '../wallet/raw-messages.ts'

const RUNS = FULL ? 300 : 60
const HEADERS = { 'content-type': 'application/didcomm-envelope-enc' }

const stage = await useStage()
const wallet = await useWallet()
const raw = new RawMessages(wallet)
/** Acme's endpoint, and the invitation with it. */
const path = await createTenant(stage)
const { body } = await stage.call('createRequest', { caller: path, body: requestBody })
const route = await raw.routeToDid(body.invitationDid)
const kid = route.recipientKeys[0]?.legacyKeyId ?? ''
const pthid = body.invitation['@id']

const receive = (envelope: unknown, at: Record<string, string> = path): Promise<Reply> =>
  stage.call('receiveDidcomm', { path: at, body: envelope, headers: HEADERS })

const ping = () => ({
  '@type': 'https://didcomm.org/trust_ping/1.0/ping',
  '@id': randomUUID(),
  response_requested: true,
  '~transport': { return_route: 'all' },
})

const expectClientError = ({ status, body }: Reply): void => {
  expect(status, JSON.stringify(body)).toBeGreaterThanOrEqual(400)
  expect(status, JSON.stringify(body)).toBeLessThan(500)
}

describe('corrupted', () => {
  test('parts of an envelope are a 4xx', async () => {
    const envelope = await raw.pack(ping(), route)
    await fc.assert(
      fc.asyncProperty(fc.oneof(corrupted(envelope), oddValue), async (body) => {
        expectClientError(await receive(body ?? 'null'))
      }),
      { numRuns: RUNS },
    )
  })

  test('members of its header are a 400', async () => {
    const envelope = await raw.pack(ping(), { ...route, senderKey: await raw.newKey() })
    await fc.assert(
      fc.asyncProperty(corrupted(headerOf(envelope)), async (header) => {
        expect((await receive(withHeader(envelope, header))).status).toBe(400)
      }),
      { numRuns: RUNS },
    )
  })
})

/** Messages that an unknown sender may send without a connection. */
const MESSAGES = [
  ...didCommMessages(),
  { ...didCommMessage('did-rotate/1.0/rotate'), to_did: 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX' },
  didCommMessage('did-rotate/1.0/hangup'),
].map((message) => [String(message['@type']), message] as const)

const THREADS = fc.constantFrom('none', 'its own', 'the invitation')

describe('a message of an unknown sender, valid or corrupted, is no 5xx', () => {
  test.each(MESSAGES)('%s', async (_, whole) => {
    const senderKey = await raw.newKey()
    const messages = fc.oneof({ weight: 1, arbitrary: fc.constant(whole) }, { weight: 4, arbitrary: corrupted(whole) })
    await fc.assert(
      fc.asyncProperty(messages, THREADS, fc.boolean(), async (message, thread, anonymous) => {
        const threads = { none: {}, 'its own': { thid: randomUUID() }, 'the invitation': { thid: randomUUID(), pthid } }
        const said =
          typeof message === 'object' ? { ...message, '@id': randomUUID(), '~thread': threads[thread] } : message
        const envelope = anonymous ? handMade({ kid, plaintext: said }) : await raw.pack(said, { ...route, senderKey })
        const { status, body } = await receive(envelope)
        expect(status, JSON.stringify(body)).toBeLessThan(500)
      }),
      { numRuns: FULL ? 15 : 6 },
    )
  })
})

test("an envelope for one tenant's key is a 400 at another's door, and at the base agent's", async () => {
  const envelope = await raw.pack(ping(), route)
  expect((await receive(envelope, await createTenant(stage))).status).toBe(400)
  expect((await receive(envelope, {})).status).toBe(400)
})

test('and the agent works afterwards: a wallet connects, and its ping is answered', async () => {
  const { walletConnectionId } = await connect(stage, wallet, path)
  expect(await raw.sendOn(walletConnectionId, ping())).toMatchObject({
    status: 200,
    message: { '@id': expect.any(String) },
  })
})
