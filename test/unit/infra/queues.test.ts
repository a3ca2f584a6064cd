/** The SQS of the local stage: on loopback only, and nothing in it is lost over restarts. */

import { once } from 'node:events'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs'
import { expect, onTestFinished, test } from 'vitest'
import { startQueues } from '../../../infra/local/queues.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'
import { CREDENTIALS, REGION } from '../../support/table/dynamo.ts'

const NAME = 'queue.fifo'

const start = async (dataDir: string | undefined) => {
  const queues = await startQueues(dataDir, REGION)
  const sqs = new SQSClient({
    endpoint: queues.endpoint,
    useQueueUrlAsEndpoint: false,
    region: REGION,
    credentials: CREDENTIALS,
  })
  await sqs.send(new CreateQueueCommand({ QueueName: NAME, Attributes: { FifoQueue: 'true' } }))
  const QueueUrl = `${queues.endpoint}/000000000000/${NAME}`
  return {
    endpoint: queues.endpoint,
    send: (MessageBody: string) => {
      const ids = { MessageGroupId: 'group', MessageDeduplicationId: MessageBody }
      return sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, ...ids }))
    },
    receive: async () => {
      const { Messages: [message] = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl }))
      return message
    },
    hide: (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
      sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout })),
    putBack: () => queues.putBack(sqs, { name: NAME, url: QueueUrl }),
    stop: async () => {
      sqs.destroy()
      await queues.stop()
    },
  }
}

const newFolder = async (): Promise<string> => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder[Symbol.asyncDispose]())
  return folder.path
}

test('other machines on the network cannot reach them', async () => {
  const queues = await start(undefined)
  onTestFinished(queues.stop)
  const port = Number(new URL(queues.endpoint).port)
  const others = Object.values(networkInterfaces()).flatMap((of = []) => of.filter(({ internal }) => !internal))
  // 127.0.0.2 is this machine, too, but not where they listen.
  for (const host of ['127.0.0.2', ...others.map(({ address }) => address)]) {
    const socket = connect({ host, port })
    const [error] = await once(socket, 'error')
    expect(error.code).toMatch(/^ECONNREFUSED|^EINVAL|^EHOSTUNREACH/)
  }
})

test('what was sent is there after a restart, in its order', async () => {
  const folder = await newFolder()
  const before = await start(folder)
  for (const body of ['one', 'two']) await before.send(body)
  await before.stop()

  const after = await start(folder)
  onTestFinished(after.stop)
  expect((await after.receive())?.Body).toBe('one')
})

test('what was received but not deleted before a restart is put back', async () => {
  const folder = await newFolder()
  const before = await start(folder)
  for (const body of ['one', 'two']) await before.send(body)
  const received = await before.receive()
  await before.hide(received?.ReceiptHandle, 3_600)
  await before.stop()

  const after = await start(folder)
  onTestFinished(after.stop)
  expect(await after.receive()).toBeUndefined()
  await after.putBack()
  expect((await after.receive())?.Body).toBe('one')
})

test('fauxqs 2.4.1 loses a message on disk that becomes visible immediately: not here', async () => {
  const queues = await start(await newFolder())
  onTestFinished(queues.stop)
  await queues.send('one')
  const received = await queues.receive()
  await queues.hide(received?.ReceiptHandle, 0)
  expect((await queues.receive())?.Body).toBe('one')
})
