/** From the commit of a message to its POST: the wake-up that the function sends itself, the queue, lease and read. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Context, SQSEvent } from 'aws-lambda'
import { awsCall } from '../../infra/local/aws-call.ts'
import { runQueueMapping } from '../../infra/local/queue-mapping.ts'
import { quantile, rounded } from '../support/bench/quantile.ts'
import { printTable } from '../support/bench/table.ts'
import { startDeliveryQueues } from '../support/delivery/queues.ts'
import { REGION } from '../support/table/dynamo.ts'
import '../support/environment.ts'

const WARM_UP = 50
const MESSAGES = 300
const TARGET_MS = 4

const context = { getRemainingTimeInMillis: () => 30_000 } as Context

/** A wallet that accepts everything, and tells when the head of each POST arrived. */
const startWallet = async () => {
  let arrived: (at: number) => void = () => undefined
  const server = createServer((request, response) => {
    arrived(performance.now())
    request.resume().on('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    next: () => new Promise<number>((resolve) => (arrived = resolve)),
    stop: () => server.close(),
  }
}

export const measureDelivery = async (): Promise<void> => {
  const queues = await startDeliveryQueues()
  const { startTable } = await import('../unit/store/started-table.ts')
  const table = await startTable()
  const { deliver } = await import('../../functions/deliver.ts')
  const { deliverSlowly } = await import('../../functions/deliver-slowly.ts')
  const { wakeNow } = await import('../../lib/outbox/wake-ups/queues.ts')
  const { transact } = await import('../../lib/store/write.ts')
  const { connectionTo } = await import('../simulation/traffic.ts')
  const sqs = awsCall(queues.endpoint, 'sqs', REGION)
  const stopping = new AbortController()
  const consume = (queueUrl: string, handle: typeof deliver) =>
    runQueueMapping(
      {
        ...{ sqs, queueUrl, queueArn: `arn:aws:sqs:${REGION}:000000000000:queue` },
        event: { arn: { Ref: 'Queue' }, batchSize: 1, functionResponseType: 'ReportBatchItemFailures' },
        invoke: (event) => handle(event as SQSEvent, context),
      },
      stopping.signal,
    ).catch(() => undefined)
  const consumers = [consume(queues.urls.wakeUps, deliver), consume(queues.urls.slowWakeUps, deliverSlowly)]
  const wallet = await startWallet()

  const samples: number[] = []
  for (let message = 0; message < WARM_UP + MESSAGES; message++) {
    const arrival = wallet.next()
    const to = connectionTo(wallet.origin, randomUUID(), randomUUID())
    const items = to.items('{}', Date.now(), 1)
    await transact(items.map((put) => ({ put })))
    const committedAt = performance.now()
    await wakeNow({ lane: to.lane, itemId: items[0]?.sk?.S ?? '', firstTo: to.destination })
    const arrivedAt = await arrival
    if (message >= WARM_UP) samples.push(arrivedAt - committedAt)
  }
  printTable(
    'From the commit of a message to its POST, one after the other, table and queue on this machine',
    ['messages', 'p50, ms', 'p90, ms', 'p99, ms'],
    [[samples.length, ...[0.5, 0.9, 0.99].map((share) => rounded(quantile(samples, share)))]],
    [`Target: p50 of at most ${TARGET_MS} ms.`],
  )
  stopping.abort()
  await Promise.all(consumers)
  wallet.stop()
  await table.stop()
  await queues.stop()
}
