/** Wallets that fetch messages of other wallets, ask for impossible numbers, repeat themselves or never fetch anything. */
import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { useFetchingWallet, V1, V2 } from '../support/wallets/fetching-wallet.ts'

const { stage, caller } = await useTenantAndWallet()

const startFetching = async () => {
  const fetching = await useFetchingWallet(stage, caller)
  const { ask, connectionId } = fetching
  const say = (content: string) => stage.call('sendMessage', { caller, path: { connectionId }, body: { content } })
  const waiting = async (): Promise<Json> => (await ask(`${V2}/status-request`)).message?.message_count
  const delivered = async (limit: unknown = 100): Promise<Json[]> =>
    ((await ask(`${V2}/delivery-request`, { limit })).message?.['~attach'] as Json[] | undefined) ?? []
  return { ...fetching, say, waiting, delivered }
}

type Fetching = Awaited<ReturnType<typeof startFetching>>

const deliveries = async ({ connectionId }: Fetching): Promise<string[]> =>
  (await stage.call('getBasicMessages', { caller, path: { connectionId } })).body.map(
    ({ metadata }: Json) => metadata['_agent/delivery'].state,
  )

/** The messages of a batch of v1. */
const batchOf = (message: Record<string, unknown> | undefined): Json[] => {
  const batch = message?.['messages~attach']
  return Array.isArray(batch) ? batch : []
}

const idsOf = (attachments: Json[]): string[] => attachments.map((one) => one['@id'])

test('a status has only known members', async () => {
  const alice = await startFetching()
  await alice.say('hello')
  const requests = {
    'status-request': {},
    'live-delivery-change': { live_delivery: false },
    'messages-received': { message_id_list: [] },
  }
  for (const [request, body] of Object.entries(requests)) {
    const { message } = await alice.ask(`${V2}/${request}`, body)
    const { '@id': _, '~thread': __, live_delivery: ___, ...said } = Object(message)
    expect(said).toEqual({ '@type': `${V2}/status`, message_count: 1 })
  }
})

describe("another connection's messages", () => {
  test('are neither counted, handed out nor removed, whatever ids are named', async () => {
    const [alice, mallory] = [await startFetching(), await startFetching()]
    await alice.say('for Alice')
    const [id] = idsOf(await alice.delivered())
    expect(await mallory.waiting()).toBe(0)
    expect(await mallory.delivered()).toEqual([])
    const { message } = await mallory.ask(`${V2}/messages-received`, { message_id_list: [id] })
    expect(message).toMatchObject({ '@type': `${V2}/status`, message_count: 0 })
    expect((await mallory.ask(`${V1}/batch-pickup`, { batch_size: 10 })).message?.['messages~attach']).toEqual([])
    expect(await alice.waiting()).toBe(1)
    expect(await deliveries(alice)).toEqual(['waiting-for-pickup'])
  })

  test('are not reached by naming its key', async () => {
    const [alice, mallory] = [await startFetching(), await startFetching()]
    await alice.say('for Alice')
    const { senderKey } = alice.route
    const key = senderKey?.publicKey.publicKey
    const { TypedArrayEncoder } = await import('@credo-ts/core')
    const recipient_key = TypedArrayEncoder.toBase58(key ?? new Uint8Array())
    const asked = await mallory.ask(`${V2}/delivery-request`, { limit: 10, recipient_key })
    expect(asked.message).toMatchObject({ '@type': `${V2}/status`, message_count: 0 })
    const own = await alice.ask(`${V2}/delivery-request`, { limit: 10, recipient_key })
    expect(own.message?.['~attach']).toHaveLength(1)
    const status = await alice.ask(`${V2}/status-request`, { recipient_key })
    expect(status.message).toMatchObject({ message_count: 1 })
  })

  test('an unknown sender and an anonymous sender get nothing', async () => {
    const alice = await startFetching()
    await alice.say('for Alice')
    const { endpoint, recipientKeys } = alice.route
    const request = {
      '@type': `${V2}/delivery-request`,
      '@id': randomUUID(),
      limit: 1,
      '~transport': { return_route: 'all' },
    }
    for (const senderKey of [undefined, await alice.raw.newKey()]) {
      const answer = await alice.raw.send(request, { endpoint, recipientKeys, ...(senderKey && { senderKey }) })
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.status).toBeLessThan(500)
    }
    expect(await alice.waiting()).toBe(1)
  })
})

describe('what a wallet asks for', () => {
  let alice: Fetching
  const WAITING = ['waiting-for-pickup', 'waiting-for-pickup']

  beforeAll(async () => {
    alice = await startFetching()
    for (const content of ['one', 'two']) await alice.say(content)
  })

  // Nothing of this removes a message.
  afterEach(async () => {
    expect(await alice.waiting()).toBe(2)
    expect(await deliveries(alice)).toEqual(WAITING)
  })

  test.each([1e9, 30, 31, Number.MAX_SAFE_INTEGER, 1e308])('a limit of %d is a batch', async (limit) => {
    expect(await alice.delivered(limit)).toHaveLength(2)
  })

  test.each([
    ['delivery-request of v2', `${V2}/delivery-request`, 'limit'],
    ['batch-pickup of v1', `${V1}/batch-pickup`, 'batch_size'],
  ])('a %s for less than one message, or for no number, takes nothing', async (_, type, field) => {
    for (const number of [0, -1, -1e9]) {
      const { status, message } = await alice.ask(type, { [field]: number })
      expect({ status, message }).toMatchObject({
        status: 200,
        message: {
          '@type': 'https://didcomm.org/notification/1.0/problem-report',
          description: { code: 'e.msg.invalid-limit' },
        },
      })
    }
    for (const number of [null, '1', 1.5, {}, undefined]) {
      const { status } = await alice.ask(type, { [field]: number })
      expect(status).toBeLessThan(500)
    }
  })

  test.each(['x', '0OIl', 'did:key:z6Mk', 'z'.repeat(1000)])('a key "%s" is nobody’s', async (recipient_key) => {
    for (const [type, body] of [
      ['status-request', {}],
      ['delivery-request', { limit: 1 }],
    ] as const) {
      const { status, message } = await alice.ask(`${V2}/${type}`, { ...body, recipient_key })
      expect(status).toBeLessThan(500)
      expect(message?.['~attach']).toBeUndefined()
    }
  })

  test.each([
    [[null]],
    [[{}]],
    [[['x']]],
    [[[randomUUID()]]],
    [['x', '', '-', '~']],
    [['../..', '%00']],
    [[1e9]],
    [[]],
  ])('receipts for %j remove nothing', async (message_id_list) => {
    const { status, message } = await alice.ask(`${V2}/messages-received`, { message_id_list })
    expect({ status, count: message?.message_count }).toEqual({ status: 200, count: 2 })
  })

  test('receipts for thousands of made up ids cost no more requests than one for one of them', async () => {
    const watched = new StoreFaults(stage.serviceClient)
    const requests: number[] = []
    stage.onEnvelope(async (handle) => {
      const { result, commands } = await watched.count(handle)
      requests.push(commands.length)
      return result
    })
    for (const length of [1, 3000]) {
      const message_id_list = Array.from({ length }, () => randomUUID())
      const { status, message } = await alice.ask(`${V2}/messages-received`, { message_id_list })
      expect({ status, count: message?.message_count }).toEqual({ status: 200, count: 2 })
    }
    const [one = 0, thousands] = requests
    expect(one).toBeGreaterThan(0)
    expect(thousands).toBe(one)
  })

  test('without return route nothing is removed', async () => {
    const request = { '@type': `${V1}/batch-pickup`, '@id': randomUUID(), batch_size: 10 }
    const { status } = await alice.raw.send(request, alice.route)
    expect(status).toBeLessThan(500)
  })

  test('live delivery is answered by the problem report of the protocol, and turning it off by a status', async () => {
    const id = randomUUID()
    const { message } = await alice.ask(`${V2}/live-delivery-change`, { '@id': id, live_delivery: true })
    expect(message).toMatchObject({
      '@type': 'https://didcomm.org/notification/1.0/problem-report',
      '~thread': { pthid: id },
      description: { code: 'e.m.live-mode-not-supported', en: 'Connection does not support Live Delivery' },
    })
    const off = await alice.ask(`${V2}/live-delivery-change`, { live_delivery: false })
    expect(off.message).toMatchObject({ '@type': `${V2}/status`, live_delivery: false, message_count: 2 })
  })

  test.each([
    [`${V1}/batch`, { 'messages~attach': [{ id: randomUUID(), message: {} }] }],
    [`${V2}/delivery`, { '~attach': [{ '@id': 'a', data: { json: {} } }] }],
    [`${V2}/status`, { message_count: 5 }],
  ])('%s, which this agent does not request, is rejected', async (type, body) => {
    const { status, message } = await alice.ask(type, body)
    expect(status).toBeLessThan(500)
    expect(String(message?.['@type'] ?? 'problem-report')).toContain('problem-report')
  })
})

describe('what a wallet repeats', () => {
  test('the same envelope of v1 gets the same batch, and nothing that was sent since', async () => {
    const alice = await startFetching()
    for (const content of ['one', 'two']) await alice.say(content)
    const envelope = await alice.pack(`${V1}/batch-pickup`, { batch_size: 10 })
    const first = await alice.post(envelope)
    expect(first.message?.['messages~attach']).toHaveLength(2)
    await alice.say('three')
    expect((await alice.post(envelope)).message).toEqual(first.message)
    expect(await deliveries(alice)).toEqual(['delivered', 'delivered', 'waiting-for-pickup'])
  })

  test('also a batch that is too large for one item of the table', async () => {
    const alice = await startFetching()
    for (const content of ['a', 'b', 'c', 'd']) expect((await alice.say(content.repeat(85_000))).status).toBe(200)
    const envelope = await alice.pack(`${V1}/batch-pickup`, { batch_size: 10 })
    const first = await alice.post(envelope)
    const batch = batchOf(first.message)
    expect(JSON.stringify(batch).length).toBeGreaterThan(400 * 1024)
    expect(batch).toHaveLength(4)
    expect((await alice.post(envelope)).body).toEqual(first.body)
    expect(await alice.waiting()).toBe(0)
  })

  test('the same envelopes at the same time hand each message out once', async () => {
    const alice = await startFetching()
    for (let number = 0; number < 5; number++) await alice.say(`message ${number}`)
    const envelopes = await Promise.all(
      Array.from({ length: 4 }, () => alice.pack(`${V1}/batch-pickup`, { batch_size: 3 })),
    )
    const answers = await Promise.all([...envelopes, ...envelopes].map((envelope) => alice.post(envelope)))
    const batches = answers.map(({ message }) => batchOf(message).map(({ id }) => id))
    expect(batches.slice(0, 4)).toEqual(batches.slice(4))
    const handedOut = batches.slice(0, 4).flat()
    expect(handedOut).toHaveLength(5)
    expect(new Set(handedOut).size).toBe(5)
    expect(await alice.waiting()).toBe(0)
  })

  test.each([
    ['status-request', {}],
    ['delivery-request', { limit: 10 }],
  ])('the same envelope of a %s of v2 is answered by what waits then', async (name, body) => {
    const alice = await startFetching()
    await alice.say('one')
    const envelope = await alice.pack(`${V2}/${name}`, body)
    const messages = async () => {
      const { message } = await alice.post(envelope)
      return message?.message_count ?? Object(message?.['~attach']).length
    }
    expect(await messages()).toBe(1)
    await alice.say('two')
    expect(await messages()).toBe(2)
  })

  test('v2: requests at the same time get the same messages, and receipts at the same time remove them once', async () => {
    const alice = await startFetching()
    for (let number = 0; number < 5; number++) await alice.say(`message ${number}`)
    const all = await Promise.all(Array.from({ length: 4 }, () => alice.delivered(5)))
    expect(new Set(all.map((one) => String(idsOf(one)))).size).toBe(1)
    const message_id_list = idsOf(all[0] ?? [])
    await alice.say('six')
    const receipts = await Promise.all(
      Array.from({ length: 4 }, () => alice.ask(`${V2}/messages-received`, { message_id_list })),
    )
    for (const { status, message } of receipts)
      expect({ status, count: message?.message_count }).toEqual({ status: 200, count: 1 })
    expect((await alice.delivered()).length).toBe(1)
    expect(await deliveries(alice)).toEqual([...Array(5).fill('delivered'), 'waiting-for-pickup'])
  })
})

test('a wallet that never fetches: its queue is full at some time, which its sender learns, and continues when there is room', async () => {
  const alice = await startFetching()
  let last = { status: 200, body: {} as Json }
  let taken = 0
  // Some megabytes: the number of messages has a bound of its own.
  for (; taken < 200 && last.status === 200; taken++) last = await alice.say('x'.repeat(85_000))
  expect(last).toMatchObject({ status: 409, body: { error: 'Conflict' } })
  expect(last.body.message).toContain('wait until it fetches them')
  const offer = { caller, body: offerBody(alice.connectionId, alice.wallet.did) }
  expect((await stage.call('createOffer', offer)).status).toBe(200)
  const messages = await alice.delivered()
  expect(JSON.stringify(messages).length).toBeLessThan(5 * 1024 * 1024)
  await alice.ask(`${V2}/messages-received`, { message_id_list: idsOf(messages) })
  expect((await alice.say('there is room')).status).toBe(200)
})

test('messages that are sent at the same time all wait, once each', async () => {
  const alice = await startFetching()
  await alice.say('first')
  const contents = Array.from({ length: 20 }, (_, number) => `message ${number}`)
  const sent = await Promise.all(contents.map((content) => alice.say(content)))
  expect(sent.map(({ status }) => status)).toEqual(contents.map(() => 200))
  expect(await alice.waiting()).toBe(21)
})

test('a wallet cannot fill its queue by its own messages, whose answers it does not wait for', async () => {
  const alice = await startFetching()
  const ping = () => ({
    '@type': 'https://didcomm.org/trust_ping/1.0/ping',
    '@id': randomUUID(),
    response_requested: true,
  })
  const statuses: number[] = []
  for (let number = 0; number < 110; number++) statuses.push((await alice.raw.send(ping(), alice.route)).status)
  expect(statuses.slice(0, 100)).toEqual(Array(100).fill(200))
  expect(statuses.slice(100)).toEqual(Array(10).fill(409))
  expect(await alice.waiting()).toBe(100)
  expect((await alice.say('still')).status).toBe(200)
})
