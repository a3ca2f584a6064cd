/** Deliveries on a real table, with a clock that tests move, queues in memory, and scripted receivers. */
import { randomUUID } from 'node:crypto'
import { DeleteItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { beforeEach } from 'vitest'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { deliverLane } from '../../../lib/outbox/deliver-lane.ts'
import { QUICK_FOR } from '../../../lib/outbox/destinations/circuit-breaker.ts'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { onDestinationDue } from '../../../lib/outbox/destinations/destination-due.ts'
import { type Lane, laneItem } from '../../../lib/outbox/lanes/lane.ts'
import type { LaneContents } from '../../../lib/outbox/lanes/lane-contents.ts'
import { messageLaneContents } from '../../../lib/outbox/message-lane.ts'
import { outboxItem, outcomeItem, type SentBasicMessage } from '../../../lib/outbox/messages/message-item.ts'
import { newOutboxId } from '../../../lib/outbox/messages/outbox-id.ts'
import { sweep } from '../../../lib/outbox/sweep.ts'
import { destinationAddress, laneAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { sqs, wakeCommitted, wakeLanes } from '../../../lib/outbox/wake-ups/queues.ts'
import {
  decodeWakeUp,
  type FirstItem,
  isForLane,
  type LaneWakeUp,
  type WakeUp,
} from '../../../lib/outbox/wake-ups/wake-up.ts'
import type { StartedTable } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

Object.assign(process.env, {
  WAKE_UP_QUEUE_URL: 'http://sqs.test/fast.fifo',
  SLOW_WAKE_UP_QUEUE_URL: 'http://sqs.test/slow.fifo',
  TIMER_QUEUE_URL: 'http://sqs.test/timer',
})

type Queue = 'fast' | 'slow'

export interface SentWakeUp {
  queue: Queue | 'timer'
  wakeUp: WakeUp
  id?: string | undefined
  group?: string | undefined
  delaySeconds: number
  /** Ms since the epoch. */
  at: number
  /** It was received before. */
  repeated?: true
}

export interface Sent {
  lane: string
  endpoint: string
  payload: string
}

export const answered = (status: number, headers: PostOutcome['headers'] = {}): PostOutcome => ({
  ...{ status, headers, body: '', milliseconds: 20 },
})
export const failing = (failure: NonNullable<PostOutcome['failure']>, milliseconds = 20): PostOutcome => ({
  ...{ headers: {}, body: '', milliseconds, failure, detail: 'model' },
})
export const slowly = (milliseconds: number): PostOutcome => ({ ...answered(200), milliseconds })

const DEDUPLICATED_FOR = 5 * 60_000
const MINUTE = 60_000

/** Visibility timeout of the queues, in ms. */
const VISIBILITY = 180_000

/** When a request fails: before or after its effect. Other errors of the store have the same consequences here. */
export const STRIKES = ['is throttled', 'times out after it worked']

let origins = 0
export const newOrigin = (): string => `https://mediator-${origins++}.example`

export class OutboxScene {
  /** Ms since the epoch. */
  now = Date.now()
  random = 0.5
  /** The receivers' script. */
  respond: (sent: Sent) => PostOutcome | Promise<PostOutcome> = () => answered(200)
  /** The payloads that the receivers have accepted, and all attempts. */
  accepted: string[] = []
  attempts: Sent[] = []
  /** Wake-ups that were not handled yet. */
  waiting: SentWakeUp[] = []
  /** All wake-ups that the queues have accepted. */
  sent: SentWakeUp[] = []
  /** Attempts take no time, unless a test replaces this. */
  after: (ms: number, act: () => void) => () => void = () => () => undefined
  /** The queues reject every call. */
  sqsFails = false
  /** The wake-ups, by their text, that the queues reject individually. */
  refuses: ((body: string) => boolean) | undefined
  readonly #seen = new Map<string, number>()
  readonly table: StartedTable

  constructor(table: StartedTable) {
    this.table = table
    sqs().middlewareStack.add(
      () => async (args) => {
        if (this.sqsFails) throw Object.assign(new Error('injected'), { name: 'ServiceUnavailable' })
        const { QueueUrl = '', Entries = [] } = args.input as { QueueUrl?: string; Entries?: Record<string, unknown>[] }
        const refused = Entries.filter(({ MessageBody }) => this.refuses?.(String(MessageBody)))
        for (const entry of Entries) if (!refused.includes(entry)) this.#take(QueueUrl, entry)
        return { response: {}, output: { $metadata: {}, Failed: refused.map(({ Id }) => ({ Id })) } as never }
      },
      { step: 'initialize' },
    )
  }

  /** Empties the table and all state, except the clock, because ids must grow. */
  async reset(): Promise<void> {
    const { client, table } = this.table.dynamo
    for (const { pk = { S: '' }, sk = { S: '' } } of await this.table.items())
      await client.send(new DeleteItemCommand({ TableName: table, Key: { pk, sk } }))
    this.now = Math.max(this.now, Date.now()) + 60 * MINUTE
    this.random = 0.5
    this.respond = () => answered(200)
    for (const list of [this.accepted, this.attempts, this.waiting, this.sent]) list.length = 0
    this.sqsFails = false
    this.after = () => () => undefined
    this.table.way = undefined
    this.#seen.clear()
  }

  newLane(tenant: string = randomUUID()): { lane: string; tenant: string; connectionId: string } {
    const connectionId = randomUUID()
    return { lane: `${tenant}|ConnectionRecord|${connectionId}`, tenant, connectionId }
  }

  /** Commits a message, or several in one item; no wake-up. */
  async commit(
    { tenant, connectionId }: { tenant: string; connectionId: string },
    payload: string | string[],
    {
      origin = 'https://wallet.example',
      path = '/',
      id = newOutboxId(this.now),
      createdAt = this.now,
      unknown = false,
      basicMessages = [] as SentBasicMessage[],
    } = {},
  ): Promise<string> {
    if (!unknown) await this.#makeKnown(origin)
    await this.table.put(
      outboxItem.encode({
        ...{ tenant, connectionId, id, taken: 0, attempts: 0, basicMessages },
        messages: [payload].flat().map((one) => ({ endpoint: `${origin}${path}`, payload: one })),
        createdAt: new Date(createdAt).toISOString(),
      }),
    )
    return id
  }

  /** Records that a destination has responded quickly, unless it has an item already. */
  async #makeKnown(destination: string): Promise<void> {
    if ((await this.table.get(destinationAddress(destination))) !== undefined) return
    const quickUntil = this.now + QUICK_FOR
    await this.table.put(destinationItem.encode({ destination, version: 1, quickUntil }))
  }

  /** Commits a message and wakes its lane, as send-message does. */
  async send(
    to: { lane: string; tenant: string; connectionId: string },
    payload: string | string[],
    options: Parameters<OutboxScene['commit']>[2] = {},
  ): Promise<void> {
    const itemId = await this.commit(to, payload, options)
    await wakeCommitted([{ lane: to.lane, itemId }])
  }

  /** Sends to lanes of one tenant each, or all of one. */
  async sendTo(origin: string, count: number, tenant?: string) {
    const lanes = Array.from({ length: count }, () => this.newLane(tenant))
    for (const to of lanes) await this.send(to, to.lane, { origin })
    return lanes
  }

  /** Handles a wake-up; if that fails, it is repeated after its visibility timeout, as by SQS. */
  async handleOrRepeat(one: SentWakeUp): Promise<void> {
    try {
      await this.handle(one)
    } catch {
      this.waiting.push({ ...one, at: this.now + VISIBILITY, delaySeconds: 0, repeated: true })
    }
  }

  /** One invocation of the function that delivers. `repeated`: the wake-up was received before. */
  deliver(wakeUp: LaneWakeUp, queue: Queue = 'fast', repeated = false): Promise<void> {
    return deliverLane(wakeUp, {
      now: () => this.now,
      random: () => this.random,
      newId: randomUUID,
      pause: async () => undefined,
      after: (ms, act) => this.after(ms, act),
      startUntil: this.now + 14_000,
      queue,
      repeated,
      contentsOf: async (lane, first) => this.#open(lane, first),
    })
  }

  committed(lane: string, queue: Queue = 'fast'): Promise<void> {
    return this.deliver({ lane, reason: { kind: 'committed' } }, queue)
  }

  /** One invocation of the function behind the timer queue. */
  async onTimer(wakeUp: WakeUp): Promise<void> {
    if (isForLane(wakeUp)) await wakeLanes([wakeUp])
    else await onDestinationDue(wakeUp, this.now, () => this.random)
  }

  async handle({ queue, wakeUp, repeated }: SentWakeUp): Promise<void> {
    if (queue === 'timer') return this.onTimer(wakeUp)
    if (isForLane(wakeUp)) await this.deliver(wakeUp, queue, repeated)
  }

  /** Handles the next wake-up that can be received, if there is one. */
  async handleNext(): Promise<boolean> {
    const index = this.waiting.findIndex(({ at, delaySeconds }) => at + delaySeconds * 1000 <= this.now)
    const [next] = index === -1 ? [] : this.waiting.splice(index, 1)
    if (next === undefined) return false
    await this.handle(next)
    return true
  }

  /** Handles all wake-ups that can be received now. */
  async handleAll(): Promise<void> {
    while (await this.handleNext());
  }

  /** Handles wake-ups for some ms: lets time pass, and sweeps in each minute in which something is due. */
  async pass(ms: number): Promise<void> {
    const until = this.now + ms
    for (;;) {
      await this.handleAll()
      const nextSweep = await this.#nextSweep()
      const next = Math.min(nextSweep, ...this.waiting.map(({ at, delaySeconds }) => at + delaySeconds * 1000))
      if (next > until) break
      this.now = next
      if (next === nextSweep) await sweep(this.now)
    }
    this.now = until
    await this.handleAll()
  }

  /** The sweep runs at each full minute. Runs without due entries are skipped. */
  async #nextSweep(): Promise<number> {
    const { client, table } = this.table.dynamo
    const { Items = [] } = await client.send(new ScanCommand({ TableName: table, IndexName: 'due' }))
    const due = Math.min(...Items.map(({ dueAt }) => Number(dueAt?.N ?? Number.POSITIVE_INFINITY)))
    const earliest = Math.max(due, this.now + 1)
    return Math.ceil(earliest / MINUTE) * MINUTE
  }

  async lane(lane: string): Promise<Lane | undefined> {
    const item = await this.table.get(laneAddress(lane))
    return item && laneItem.decode(item)
  }

  async destination(destination: string) {
    const item = await this.table.get(destinationAddress(destination))
    return item && destinationItem.decode(item)
  }

  /** What is left in the table: items, lanes, entries of waiting lists, due destinations. */
  async left(): Promise<string[]> {
    const items = await this.table.items()
    return items
      .filter(({ kind, dueAt }) => kind?.S !== 'destination' || dueAt !== undefined)
      .flatMap(({ kind }) =>
        ['outbox', 'lane', 'waiting-lane', 'destination'].includes(kind?.S ?? '') ? [kind?.S ?? ''] : [],
      )
  }

  /** How many items were given up. */
  async givenUp(): Promise<number> {
    return (await this.table.items()).filter(outcomeItem.is).length
  }

  #open(lane: string, first: FirstItem | undefined): LaneContents<unknown> | undefined {
    const contents = messageLaneContents(lane, { first })
    if (contents === undefined) return undefined
    type Waiting = Parameters<typeof contents.send>[0]
    const send = async ({ item, index }: Waiting): Promise<PostOutcome> => {
      const { endpoint = '', payload = '' } = item.messages[index] ?? {}
      const sent = { lane, endpoint, payload }
      this.attempts.push(sent)
      const outcome = await this.respond(sent)
      if (outcome.status === 200) this.accepted.push(payload)
      return outcome
    }
    const scripted: LaneContents<Waiting> = { ...contents, send }
    return scripted as LaneContents<unknown>
  }

  #take(url: string, entry: Record<string, unknown>): void {
    const id = entry.MessageDeduplicationId as string | undefined
    const seenAt = this.#seen.get(id ?? '') ?? Number.NEGATIVE_INFINITY
    const wakeUp = decodeWakeUp(String(entry.MessageBody))
    if (wakeUp === undefined) throw new Error('the queue was sent something else')
    const queue = url.endsWith('/timer') ? 'timer' : url.endsWith('/slow.fifo') ? 'slow' : 'fast'
    const group = entry.MessageGroupId as string | undefined
    const sent: SentWakeUp = { queue, wakeUp, id, group, delaySeconds: Number(entry.DelaySeconds ?? 0), at: this.now }
    if (id !== undefined && this.now - seenAt < DEDUPLICATED_FOR) return
    if (id !== undefined) this.#seen.set(id, this.now)
    this.sent.push(sent)
    this.waiting.push(sent)
  }
}

/** A scene for the tests of a file. It is empty before each test. */
export const useOutboxScene = async (): Promise<OutboxScene> => {
  const scene = new OutboxScene(await useTable({ memory: true, check: false }))
  beforeEach(() => scene.reset())
  return scene
}
