/** A FIFO queue by a virtual clock: groups in order, ids taken once in five minutes, hidden messages, dead letters; SQS in miniature. */
import type { SQSRecord } from 'aws-lambda'
import { sqs } from '../../lib/delivery/queue.ts'
import type { VirtualTime } from './virtual-time.ts'

interface Entry {
  MessageGroupId: string
  MessageDeduplicationId: string
  MessageBody: string
}

interface Message extends Entry {
  handle: string
  receipts: number
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html */
const TAKEN_ONCE_MS = 5 * 60 * 1000

export class VirtualQueue {
  /** What was received more often than it may be. */
  readonly dead: string[] = []
  readonly #time: VirtualTime
  readonly #mostReceipts: number
  /** The first of a group blocks the others from its receipt until it is deleted. */
  readonly #groups = new Map<string, Message[]>()
  /** Groups whose first message can be received. */
  readonly #ready = new Set<string>()
  readonly #blocked = new Map<string, Message>()
  readonly #seen = new Map<string, number>()
  #handles = 0

  constructor(time: VirtualTime, mostReceipts: number) {
    this.#time = time
    this.#mostReceipts = mostReceipts
  }

  /** Takes the place of SQS for what the service sends to this URL. */
  receiveFrom(url: string): void {
    sqs().middlewareStack.add(
      (next) => async (args) => {
        const input = args.input as { QueueUrl?: string; Entries?: Entry[] }
        if (input.QueueUrl !== url || input.Entries === undefined) return next(args)
        for (const entry of input.Entries) this.#send(entry)
        return { response: {}, output: { $metadata: {}, Failed: [] } as never }
      },
      { step: 'initialize' },
    )
  }

  /** Messages that are not deleted, hidden ones too. */
  get size(): number {
    return Array.from(this.#groups.values(), ({ length }) => length).reduce((sum, length) => sum + length, 0)
  }

  /** The first message of a group that waits for nothing; undefined where there is none. */
  receive(): SQSRecord | undefined {
    for (const handle of this.#time.takeDue()) this.#unblock(handle)
    for (const group of this.#ready) {
      this.#ready.delete(group)
      const [message] = this.#groups.get(group) ?? []
      if (message === undefined) continue
      message.receipts += 1
      message.handle = `${++this.#handles}`
      if (message.receipts > this.#mostReceipts) {
        this.dead.push(message.MessageBody)
        this.#drop(message)
        continue
      }
      this.#blocked.set(message.handle, message)
      return toRecord(message)
    }
    return undefined
  }

  /** Deletes what was delivered. */
  delete(handle: string): void {
    const message = this.#blocked.get(handle)
    this.#blocked.delete(handle)
    if (message !== undefined) this.#drop(message)
  }

  #send(entry: Entry): void {
    const seenAt = this.#seen.get(entry.MessageDeduplicationId) ?? Number.NEGATIVE_INFINITY
    if (this.#time.now() - seenAt < TAKEN_ONCE_MS) return
    this.#seen.set(entry.MessageDeduplicationId, this.#time.now())
    const group = this.#groups.get(entry.MessageGroupId) ?? []
    this.#groups.set(entry.MessageGroupId, group)
    group.push({ ...entry, handle: '', receipts: 0 })
    if (group.length === 1) this.#ready.add(entry.MessageGroupId)
  }

  #unblock(handle: string): void {
    const message = this.#blocked.get(handle)
    this.#blocked.delete(handle)
    if (message !== undefined) this.#ready.add(message.MessageGroupId)
  }

  #drop({ MessageGroupId }: Message): void {
    const group = this.#groups.get(MessageGroupId) ?? []
    group.shift()
    if (group.length > 0) this.#ready.add(MessageGroupId)
    else this.#groups.delete(MessageGroupId)
  }
}

const toRecord = ({ handle, receipts, MessageBody, MessageGroupId }: Message): SQSRecord => ({
  messageId: handle,
  receiptHandle: handle,
  body: MessageBody,
  attributes: {
    ApproximateReceiveCount: String(receipts),
    SentTimestamp: '0',
    SenderId: '',
    ApproximateFirstReceiveTimestamp: '0',
    MessageGroupId,
  },
  messageAttributes: {},
  md5OfBody: '',
  eventSource: 'aws:sqs',
  eventSourceARN: '',
  awsRegion: '',
})
