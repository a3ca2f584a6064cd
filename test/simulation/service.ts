/** The service's outbound delivery in a simulation: the real dispatcher, delivery code and table, model queues, a virtual clock, receivers that are functions of time. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { DynamoDBRecord } from 'aws-lambda'
import { applyUpdate } from '../../infra/local/memory-table/expressions.ts'
import type { MemoryTable } from '../../infra/local/memory-table/memory-table.ts'
import { background } from '../../lib/background.ts'
import { dispatch } from '../../lib/delivery/dispatch.ts'
import { postpone } from '../../lib/delivery/postpone.ts'
import type { PostOutcome } from '../../lib/egress/post.ts'
import { deliverLane } from '../../lib/outbox/deliver-lane.ts'
import { onDestinationDue } from '../../lib/outbox/destinations/destination-due.ts'
import type { LaneContents } from '../../lib/outbox/lanes/lane-contents.ts'
import { messageLaneContents } from '../../lib/outbox/message-lane.ts'
import { outboxItem } from '../../lib/outbox/messages/message-item.ts'
import { heartbeatItem } from '../../lib/outbox/stream-heartbeat.ts'
import { sweep } from '../../lib/outbox/sweep.ts'
import { sqs, wakeCommitted, wakeLanes } from '../../lib/outbox/wake-ups/queues.ts'
import { decodeWakeUp, type FirstItem, isForLane } from '../../lib/outbox/wake-ups/wake-up.ts'
import { dynamodb } from '../../lib/store/client.ts'
import type { Item } from '../../lib/store/table.ts'
import { pendingEventItem } from '../../lib/webhooks/event-item.ts'
import { eventLaneContents } from '../../lib/webhooks/event-lane.ts'
import { currentChain, EventSource } from './event-source.ts'
import { QueueModel, type Sent } from './queue-model.ts'
import { QUEUE_URLS } from './queue-urls.ts'
import { TableModel, type Written } from './table-model.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** What a receiver does with a message: after how long, and what the agent sees of it. */
export interface Answer {
  after: number
  status?: number
  failure?: PostOutcome['failure']
  retryAfter?: string
}

/** `probe`: the attempt is one of a delivery that probes. */
export type Receiver = (attempt: { lane: string; url: string; payload: string; probe: boolean; now: number }) => Answer

export const HEALTHY: Answer = { after: 50, status: 200 }
export const REFUSED: Answer = { after: 2, failure: 'connect' }
export const UNAVAILABLE: Answer = { after: 20, status: 503 }
export const STALLING: Answer = { after: 15_000, failure: 'timeout' }
export const TARPIT: Answer = { after: 14_000, status: 200 }

export interface ServiceOptions {
  table: MemoryTable
  clock: VirtualClock
  random: () => number
  newId: () => string
  receive: Receiver
  /** Concurrency of the event sources, and how many messages a FIFO queue scans. */
  fast: number
  slow: number
  window: number
  /** `RecursiveLoop: Allow` on the functions. */
  allowLoop?: boolean
  /** How often a message of the timer queue comes twice. */
  duplicates?: number
  /** Wake-ups lose their count of hops: what Lambda's loop detection would make of them then. */
  forgetHops?: boolean
  /** The current failure of the service itself. */
  trouble?: () => Trouble | undefined
  /** Whether the process of a request to the table ends just before it. */
  processEnds?: () => boolean
}

/** What the stream passes to the dispatcher: new items of these kinds, changes of records, heartbeats. */
const DISPATCHED = new Set<string | undefined>([outboxItem.kind, pendingEventItem.kind, heartbeatItem.kind, 'record'])
const nameOf = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`

/** Lambda polls a stream four times a second: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html */
const STREAM_LATENCY = 250

/** What fails: the functions, or the table. */
type Trouble = 'functions' | 'table'

/** Timeouts in ms, as serverless.yml has them: of the sweep, and of all others in the background. */
const SWEEP = 'SweepOutboxLambdaFunction'
const SWEEP_TIMEOUT = 55_000
const TIMEOUT = 30_000
const timeoutOf = (functionId: string): number => (functionId === SWEEP ? SWEEP_TIMEOUT : TIMEOUT)

const TABLE_LATENCY = 5
const QUEUE_LATENCY = 5
/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html: long polling, so that a message arrives within ms. */
const POLL_LATENCY = 10
const MINUTE = 60_000

/** What a function has for attempts: its timeout of 30 s without that of an attempt. */
const START_FOR = 14_000

/** An invocation, which may end at any of its requests. */
interface Process {
  isOver: boolean
  end(): void
}

const processes = new AsyncLocalStorage<Process>()

/** Of a process that has ended, or ends now, nothing is heard any more. */
const endOf = (process: Process | undefined, ends: (() => boolean) | undefined): Promise<void> | undefined => {
  if (process === undefined || !(process.isOver || ends?.() === true)) return undefined
  process.isOver = true
  process.end()
  return new Promise(() => undefined)
}

let current:
  | {
      queues: Map<string, QueueModel>
      dead: Map<string, QueueModel[]>
      clock: VirtualClock
      onSend(body: string): string
    }
  | undefined

/** The time of the simulation that runs, in ms since the epoch: when a line of the log is written. */
export const simulatedNow = (): number => current?.clock.now() ?? 0

/** What queues say of their dead letters; messages are received from the front, and then deleted there. */
const answerOfDead = (commandName: string, queues: QueueModel[], count: number): object => {
  const all = queues.flatMap(({ dead }) => dead)
  if (commandName === 'GetQueueAttributesCommand')
    return { Attributes: { ApproximateNumberOfMessages: String(all.length) } }
  if (commandName === 'ReceiveMessageCommand')
    return { Messages: all.slice(0, 10).map(({ body }, index) => ({ MessageId: String(index), Body: body })) }
  for (let left = count; left > 0; left--) queues.find(({ dead }) => dead.length > 0)?.dead.shift()
  return {}
}

/** Takes the place of SQS, for the service that was made last. */
const interceptSqs = (service: NonNullable<typeof current>): void => {
  const isThere = current !== undefined
  current = service
  if (isThere) return
  sqs().middlewareStack.add(
    (_next, { commandName = '' }) =>
      async (args) => {
        const { QueueUrl = '', Entries = [] } = args.input as { QueueUrl?: string; Entries?: Sent[] }
        const answered = async (output: object) => {
          await current?.clock.sleep(QUEUE_LATENCY)
          return { response: {}, output: { $metadata: {}, ...output } as never }
        }
        const dead = current?.dead.get(QueueUrl)
        if (dead !== undefined) return answered(answerOfDead(commandName, dead, Entries.length))
        const queue = current?.queues.get(QueueUrl)
        if (queue === undefined) throw new Error(`no queue at ${QueueUrl}`)
        const chain = currentChain()
        for (const entry of Entries) {
          const MessageBody = current?.onSend(entry.MessageBody) ?? ''
          queue.send({ ...entry, MessageBody }, chain)
        }
        return answered({ Failed: [] })
      },
    { step: 'initialize' },
  )
}

export class Service {
  readonly table: TableModel
  readonly fast: EventSource
  readonly slow: EventSource
  readonly timer: EventSource
  readonly queues: { fast: QueueModel; slow: QueueModel; timer: QueueModel }
  /** URLs of webhook endpoints, by their ids. */
  readonly endpoints = new Map<string, string>()
  /** Attempts at each origin. */
  readonly attempts = new Map<string, number>()
  sweeps = 0
  /** Told of each message that is sent. */
  onSend: (body: string) => void = () => undefined
  #sequence = 0
  /** As the last change has left them. */
  readonly #records = new Map<string, Item>()
  #dispatching = 0
  #sweeping = false
  #stopped = false
  readonly #options: ServiceOptions

  constructor(options: ServiceOptions) {
    this.#options = options
    const { clock, random, window, fast, slow, allowLoop = true, duplicates = 0.01 } = options
    const rules = { visibilityMs: 180_000, maxReceives: 5, window, duplicates: 0, random }
    this.queues = {
      fast: new QueueModel(clock, { ...rules, fifo: true }),
      slow: new QueueModel(clock, { ...rules, fifo: true }),
      timer: new QueueModel(clock, { ...rules, fifo: false, duplicates }),
    }
    interceptSqs({
      clock,
      queues: new Map([
        [QUEUE_URLS.WAKE_UP_QUEUE_URL, this.queues.fast],
        [QUEUE_URLS.SLOW_WAKE_UP_QUEUE_URL, this.queues.slow],
        [QUEUE_URLS.TIMER_QUEUE_URL, this.queues.timer],
      ]),
      dead: new Map([
        [QUEUE_URLS.WAKE_UP_DEAD_LETTER_QUEUE_URL, [this.queues.fast, this.queues.slow]],
        [QUEUE_URLS.TIMER_DEAD_LETTER_QUEUE_URL, [this.queues.timer]],
      ]),
      onSend: (body) => {
        this.onSend(body)
        return options.forgetHops === true ? body.replace(/,"hops":\d+/, '') : body
      },
    })
    this.table = new TableModel(options.table, clock, {
      ...{ random, latency: TABLE_LATENCY },
      isFaulty: () => options.trouble?.() === 'table',
      ends: () => endOf(processes.getStore(), options.processEnds),
    })
    this.table.onWrite = ({ put, updates }) => this.commit(put, updates)
    this.table.standBefore(dynamodb())
    const source = { allowLoop, latency: POLL_LATENCY }
    const deliver = (queue: 'fast' | 'slow') => (body: string, queuedFor: number) =>
      this.#deliver(body, queue, queuedFor)
    this.fast = new EventSource(clock, this.queues.fast, {
      ...source,
      function: 'deliver',
      concurrency: fast,
      handle: (body, queuedFor) => this.#invoke('DeliverLambdaFunction', () => deliver('fast')(body, queuedFor)),
    })
    this.slow = new EventSource(clock, this.queues.slow, {
      ...source,
      function: 'deliver',
      concurrency: slow,
      handle: (body, queuedFor) => this.#invoke('DeliverSlowlyLambdaFunction', () => deliver('slow')(body, queuedFor)),
    })
    this.timer = new EventSource(clock, this.queues.timer, {
      ...source,
      function: 'timer',
      concurrency: 50,
      handle: (body) => this.#invoke('WakeLambdaFunction', () => this.#onTimer(body)),
    })
    this.#planSweep()
  }

  async #invoke(functionId: string, handle: () => Promise<unknown>): Promise<void> {
    const { trouble, clock } = this.#options
    const startedAt = clock.now()
    const context = {
      functionName: functionId,
      getRemainingTimeInMillis: () => timeoutOf(functionId) - (clock.now() - startedAt),
    }
    const run = background(async (_event: unknown, _context: unknown): Promise<unknown> => {
      if (trouble?.() === 'functions') throw new Error('an internal error')
      return handle()
    })
    const killed = Promise.withResolvers<never>()
    const handled = processes.run({ end: () => killed.reject(new Error('killed')), isOver: false }, () =>
      run({}, context),
    )
    await Promise.race([handled, killed.promise])
  }

  stop(): void {
    this.#stopped = true
  }

  get idle(): boolean {
    return this.fast.idle && this.slow.idle && this.timer.idle && this.#dispatching === 0 && !this.#sweeping
  }

  /** Messages that Lambda's loop detection has removed. */
  get stopped(): number {
    return this.fast.stopped + this.slow.stopped + this.timer.stopped
  }

  get lambdaSeconds(): number {
    return this.fast.seconds + this.slow.seconds + this.timer.seconds
  }

  /** Wakes the lanes of items that are in the table. `firstTo`: where one goes that nothing waits before. */
  async wake(items: { item: Item; firstTo?: string | undefined }[]): Promise<void> {
    await wakeCommitted(
      items.map(({ item: { pk, sk }, firstTo }) => ({ lane: pk?.S ?? '', itemId: sk?.S ?? '', firstTo })),
    )
  }

  /** Items were put into the table, and records in it were changed: the stream's dispatcher gets them. */
  commit(items: Item[], updates: Written['updates'] = []): void {
    const { clock } = this.#options
    const toChange = (NewImage: Item, OldImage?: Item) => {
      if (NewImage.kind?.S === 'record') this.#records.set(nameOf(NewImage), NewImage)
      const SequenceNumber = String(++this.#sequence)
      return {
        eventName: OldImage === undefined ? 'INSERT' : 'MODIFY',
        dynamodb: { NewImage, OldImage, SequenceNumber, ApproximateCreationDateTime: clock.now() / 1000 },
      } as DynamoDBRecord
    }
    const Records = [
      ...items.filter(({ kind }) => DISPATCHED.has(kind?.S)).map((item) => toChange(item)),
      ...updates.flatMap((update) => {
        const before = this.#records.get(nameOf(update.Key))
        return before === undefined ? [] : [toChange(applyUpdate(update.UpdateExpression, before, update), before)]
      }),
    ]
    if (Records.length === 0) return
    this.#dispatching += 1
    clock.at(clock.now() + STREAM_LATENCY, () => void this.#dispatch(Records))
  }

  /** Changes that an outage has stopped are repeated. */
  async #dispatch(records: DynamoDBRecord[]): Promise<void> {
    const { clock } = this.#options
    const stopped = await dispatch(records, { now: clock.now(), pause: clock.sleep })
    const first = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === stopped)
    if (first === -1) this.#dispatching -= 1
    else clock.at(clock.now() + 1_000, () => void this.#dispatch(records.slice(first)))
  }

  async #deliver(body: string, queue: 'fast' | 'slow', queuedFor: number): Promise<void> {
    const wakeUp = decodeWakeUp(body)
    if (wakeUp === undefined || !isForLane(wakeUp)) throw new Error('not a wake-up of a lane')
    const { clock, random, newId } = this.#options
    if (await postpone(wakeUp, { queue, queuedFor, now: clock.now() })) return
    await deliverLane(wakeUp, {
      ...{ now: clock.now, random, newId, pause: clock.sleep, startUntil: clock.now() + START_FOR, queue },
      after: (ms, act) => clock.after(ms, act),
      contentsOf: (lane, first) => this.#open(lane, wakeUp.reason.kind === 'probe', first),
    })
  }

  async #onTimer(body: string): Promise<void> {
    const wakeUp = decodeWakeUp(body)
    if (wakeUp === undefined) throw new Error('not a wake-up')
    if (!isForLane(wakeUp)) return onDestinationDue(wakeUp, this.#options.clock.now(), this.#options.random)
    const [taken] = await wakeLanes([wakeUp])
    if (taken !== true) throw new Error('not accepted')
  }

  async #open(lane: string, probe: boolean, first?: FirstItem): Promise<LaneContents<unknown> | undefined> {
    const messages = messageLaneContents(lane, { first })
    if (messages !== undefined)
      return this.#modelled(
        { lane, probe },
        messages,
        ({ item, index }) => item.messages[index] ?? { endpoint: '', payload: '' },
      )
    const events = await eventLaneContents(lane)
    return (
      events &&
      this.#modelled({ lane, probe }, events, ({ event }) => ({
        endpoint: this.endpoints.get(event?.endpointId ?? '') ?? '',
        payload: event?.body ?? '',
      }))
    )
  }

  /** The contents of a lane that are sent to the receivers of the model. */
  #modelled<T>(
    { lane, probe }: { lane: string; probe: boolean },
    contents: LaneContents<T>,
    read: (item: T) => { endpoint: string; payload: string },
  ): LaneContents<unknown> {
    const send = async (item: T): Promise<PostOutcome> => {
      const { clock, receive } = this.#options
      const { endpoint: url, payload } = read(item)
      const { origin } = new URL(url)
      this.attempts.set(origin, (this.attempts.get(origin) ?? 0) + 1)
      const { after, status, failure, retryAfter } = receive({ lane, url, payload, probe, now: clock.now() })
      await clock.sleep(after)
      return {
        headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
        ...{ body: '', milliseconds: after },
        ...(status === undefined ? {} : { status }),
        ...(failure === undefined ? {} : { failure, detail: 'model' }),
      }
    }
    const modelled: LaneContents<T> = { ...contents, send }
    return modelled as LaneContents<unknown>
  }

  #planSweep(): void {
    const { clock } = this.#options
    clock.at(clock.now() + MINUTE, () => {
      if (this.#stopped) return
      this.#planSweep()
      void this.#sweep()
    })
  }

  async #sweep(): Promise<void> {
    this.#sweeping = true
    this.sweeps += 1
    await this.#invoke(SWEEP, () => sweep(this.#options.clock.now())).catch(() => undefined)
    this.#sweeping = false
  }
}
