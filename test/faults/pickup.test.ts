/** Messages that wait to be fetched: crashes, expiry, and very large queues. */
import { isDeepStrictEqual } from 'node:util'
import { BatchWriteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { expect, onTestFinished, test, vi } from 'vitest'
import { pickupMessage, queueItem, usageItem } from '../../lib/pickup/pickup-item.ts'
import { createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { itemsOf } from '../support/table/items.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { TransactionConflicts } from '../support/table/transaction-conflicts.ts'
import { useFetchingWallet, V1, V2 } from '../support/wallets/fetching-wallet.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { OrganizationEndpoints, trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
const receiver = await stopAtEnd(startFaultyReceiver())
const faults = new StoreFaults(stage.serviceClient)
const conflicts = new TransactionConflicts(stage.serviceClient)
const caller = await createTenant(stage)
stage.line.run()

const startFetching = () => useFetchingWallet(stage, caller)

/** The ids of the messages in a delivery of v2. */
const idsOf = (message: Record<string, unknown> | undefined): string[] => {
  const attached = message?.['~attach']
  return Array.isArray(attached) ? attached.map((one) => one['@id']) : []
}

const hears = (wallet: Wallet, contents: string[]) =>
  waitFor('what was fetched', async () =>
    isDeepStrictEqual(
      (await wallet.messages()).map(({ content }) => content),
      contents,
    ),
  )

const say = (connectionId: string, content: string) =>
  stage.call('sendMessage', { caller, path: { connectionId }, body: { content } })

const deliveries = async (connectionId: string): Promise<Json[]> =>
  (await stage.call('getBasicMessages', { caller, path: { connectionId } })).body.map(
    ({ metadata }: Json) => metadata['_agent/delivery'],
  )

test.each(Object.entries(FAULTS))(
  'where a request to the table %s, a batch is handed out completely or not at all, and a repeated request gets it in the end',
  async (_, kind) => {
    const { pack, post, connectionId } = await startFetching()
    let at = 0
    for (let injected = true; injected; ) {
      at += 1
      await say(connectionId, `message ${at}`)
      const envelope = await pack(`${V1}/batch-pickup`, { batch_size: 10 })
      let hit = false
      stage.onEnvelope(async (handle) => {
        const run = await faults.inject(at, kind, handle)
        hit = run.injected
        return run.result
      })
      const first = await post(envelope)
      stage.onEnvelope((handle) => handle())
      injected = hit
      const again = first.status === 200 ? first : await post(envelope)
      expect(again.message?.['messages~attach']).toHaveLength(1)
      expect((await post(envelope)).body).toEqual(again.body)
      expect((await deliveries(connectionId)).map(({ state }) => state)).toEqual(Array(at).fill('delivered'))
    }
    expect(at).toBeGreaterThan(kind.worked ? 1 : 4)
  },
)

test('a batch whose function has timed out stays in its queue, because the answer reaches no wallet', async () => {
  const { pack, ask, connectionId } = await startFetching()
  await say(connectionId, 'one')
  const body = JSON.stringify(await pack(`${V1}/batch-pickup`, { batch_size: 10 }))
  const { receiveDidcomm } = await import('../../functions/receive-didcomm.ts')
  const answered = Promise.withResolvers<void>()
  const { requestHandler } = stage.serviceClient.config
  const handle = requestHandler.handle.bind(requestHandler)
  requestHandler.handle = async (...request) => {
    await answered.promise
    return handle(...request)
  }
  const headers = { 'content-type': 'application/didcomm-envelope-enc' }
  const event = { headers, pathParameters: { tenantId: caller.tenantId }, body, requestContext: {} }
  const context = { getRemainingTimeInMillis: () => 250 }
  expect(await receiveDidcomm(Object(event), Object(context))).toMatchObject({ statusCode: 503 })
  answered.resolve()
  requestHandler.handle = handle
  expect((await ask(`${V1}/batch-pickup`, { batch_size: 10 })).message?.['messages~attach']).toHaveLength(1)
})

test('requests to the table: a message to a wallet that fetches, and each request of such a wallet', async () => {
  const { ask, connectionId } = await startFetching()
  await say(connectionId, 'the first makes the job')
  const sent = await faults.count(() => say(connectionId, 'hello'))
  // The last one counts the waiting messages.
  expect(sent.commands.length).toBeLessThanOrEqual(5)
  const counts: Record<string, number> = {}
  let name = ''
  stage.onEnvelope(async (handle) => {
    const { result, commands } = await faults.count(handle)
    counts[name] = commands.length
    return result
  })
  const counted = async (type: string, body: object = {}) => {
    name = type
    return (await ask(type, body)).message
  }
  await counted(`${V2}/status-request`)
  const delivered = await counted(`${V2}/delivery-request`, { limit: 10 })
  const message_id_list = idsOf(delivered)
  await counted(`${V2}/messages-received`, { message_id_list })
  await say(connectionId, 'hello again')
  await counted(`${V1}/batch-pickup`, { batch_size: 10 })
  stage.onEnvelope((handle) => handle())
  for (const count of Object.values(counts)) expect(count).toBeLessThanOrEqual(6)
  const list = await faults.count(() => stage.call('getBasicMessages', { caller, path: { connectionId } }))
  expect(list.commands).toHaveLength(2)
})

/** The job of a queue runs now. */
const runExpiry = async (connectionId: string): Promise<void> => {
  const { runJob } = await import('../../lib/jobs/run.ts')
  const { pickupExpiryJob } = await import('../../lib/pickup/expiry-job.ts')
  const job = { ...tenant(), type: 'pickup-expiry', id: connectionId } as const
  await stage.line.guard.run('runJobs', () => runJob(job, pickupExpiryJob))
}

const tenant = () => ({ tenant: caller.tenantId })

/** Log lines from now on with messages that were given up. */
const countGivenUp = async () => {
  const { settings } = await import('../../lib/settings.ts')
  const level = settings().LOG_LEVEL
  settings().LOG_LEVEL = 'info'
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(line))
  onTestFinished(() => {
    settings().LOG_LEVEL = level
    log.mockRestore()
  })
  return () => lines.flatMap((line) => JSON.parse(line).MessagesGivenUp ?? [])
}

const inDays = (days: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 24 * 60 * 60_000 })
}

test('a message that was not fetched within 14 days has failed, with an event, and later messages stay in the queue', async () => {
  onTestFinished(() => void vi.useRealTimers())
  const { orgId } = await OrganizationEndpoints.register({ stage, receiver, issuer }, caller.tenantId)
  const { wallet, connectionId, walletConnectionId } = await startFetching()
  const { body: first } = await say(connectionId, 'never fetched')
  inDays(13)
  await say(connectionId, 'fetched late')
  await runExpiry(connectionId)
  expect(await deliveries(connectionId)).toEqual(Array(2).fill({ state: 'waiting-for-pickup', attempts: 0 }))
  inDays(2)
  const counted = await countGivenUp()
  await runExpiry(connectionId)
  expect(counted()).toEqual([1])
  const failed = { state: 'failed', attempts: 0, lastError: 'the other agent did not fetch it within 14 days' }
  expect(await deliveries(connectionId)).toEqual([failed, { state: 'waiting-for-pickup', attempts: 0 }])
  await wallet.pickUp(walletConnectionId)
  vi.useRealTimers()
  await hears(wallet, ['fetched late'])
  // Not verified: they were signed in what is the future again.
  const told = await waitFor('the events', async () => {
    const bodies: Json[] = receiver.received
      .filter(({ path }) => path === `/${orgId}/webhook`)
      .map(({ body }) => JSON.parse(body))
    const heard = bodies.filter(({ data }) => data.record.id === first.id)
    return heard.length === 2 && heard
  })
  expect(told.map(({ type }) => type)).toEqual(['basic_message.sent', 'basic_message.failed'])
  expect(told[1].data.record.metadata).toEqual({ '_agent/delivery': failed })
})

test('messages to different wallets conflict nowhere', async () => {
  const connected = [await startFetching(), await startFetching(), await startFetching()]
  for (const { connectionId } of connected) await say(connectionId, 'the first makes the job')
  const inShares = connected.map(({ connectionId }) => usageItem.addressOf({ ...tenant(), connectionId }).pk)
  const { conflicting, written } = await conflicts.watch(async () => {
    await Promise.all(connected.map(({ connectionId }) => say(connectionId, 'at once')))
  })
  expect(conflicting).toEqual([])
  expect(written.filter((address) => inShares.some((share) => address.startsWith(`${share} `)))).toEqual([])
})

test('the items that are left in the table are consistent', async () => {
  onTestFinished(() => void vi.useRealTimers())
  // Requests that failed after their commit were not counted.
  const { countUsage } = await import('../../lib/pickup/usage.ts')
  const queues = (await itemsOf(stage, `${caller.tenantId}|pickup|`)).filter(queueItem.is).map(queueItem.decode)
  for (const queue of queues) await countUsage(queue, Date.now() + 100 * 24 * 60 * 60_000)
  await stage.line.pause()
  await stage.line.settle()
  stage.line.run()
  expect(await checkTable(stage.client, stage.table)).toEqual([])
})

test('10,000 messages that wait are handed out batch by batch, each by as many requests as the first', async () => {
  const { ask, connectionId } = await startFetching()
  await say(connectionId, 'the first')
  const createdAt = new Date().toISOString()
  const idOf = (number: number) => `0fffffff-ffff-7000-8000-${String(number).padStart(12, '0')}`
  const messages = Array.from({ length: 9_999 }, (_, number) =>
    pickupMessage.encode({
      ...{ ...tenant(), connectionId, id: idOf(number), payload: '{"ciphertext":"x"}', recipients: [], createdAt },
    }),
  )
  const requests = Array.from({ length: 400 }, (_, index) =>
    messages.slice(index * 25, index * 25 + 25).map((Item) => ({ PutRequest: { Item } })),
  )
  for (let index = 0; index < requests.length; index += 8)
    await Promise.all(
      requests
        .slice(index, index + 8)
        .map((batch) => stage.client.send(new BatchWriteItemCommand({ RequestItems: { [stage.table]: batch } }))),
    )
  const queue = { ...tenant(), connectionId, messages: 10_000, bytes: 200_000 }
  await stage.client.send(new PutItemCommand({ TableName: stage.table, Item: queueItem.encode(queue) }))

  expect((await say(connectionId, 'one too many')).status).toBe(409)
  const commands: string[][] = []
  stage.onEnvelope(async (handle) => {
    const run = await faults.count(handle)
    commands.push(run.commands)
    return run.result
  })
  const { message } = await ask(`${V2}/delivery-request`, { limit: 10_000 })
  const message_id_list = idsOf(message)
  expect(message_id_list).toHaveLength(30)
  const { message: status } = await ask(`${V2}/messages-received`, { message_id_list })
  expect(status?.message_count).toBe(9_970)
  expect((await ask(`${V1}/batch-pickup`, { batch_size: 10_000 })).message?.['messages~attach']).toHaveLength(30)
  stage.onEnvelope((handle) => handle())
  for (const made of commands) expect(made.length).toBeLessThanOrEqual(6)
})
