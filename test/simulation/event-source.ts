/** Lambda's event source of a queue, one message an invocation: concurrency, repetition after the visibility timeout, loop detection. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { QueueMessage, QueueModel } from './queue-model.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The chain of the running invocation: what it sends carries it on. */
const chains = new AsyncLocalStorage<Readonly<Record<string, number>>>()
export const currentChain = (): Readonly<Record<string, number>> => chains.getStore() ?? {}

/** https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html */
const MAX_IN_CHAIN = 16

export interface EventSourceOptions {
  function: string
  concurrency: number
  /** `RecursiveLoop: Allow` on the function. */
  allowLoop: boolean
  /** From a message's arrival to the start of its invocation, in ms. */
  latency: number
  handle(body: string, queuedFor: number): Promise<void>
}

export class EventSource {
  /** Messages that the loop detection has removed. */
  stopped = 0
  /** Lambda-seconds. */
  seconds = 0
  #running = 0
  #planned = false
  readonly #clock: VirtualClock
  readonly #queue: QueueModel
  readonly #options: EventSourceOptions

  constructor(clock: VirtualClock, queue: QueueModel, options: EventSourceOptions) {
    this.#clock = clock
    this.#queue = queue
    this.#options = options
    queue.onReady = () => this.#plan()
  }

  get idle(): boolean {
    return this.#running === 0 && this.#queue.size === 0
  }

  #plan(): void {
    if (this.#planned || this.#running >= this.#options.concurrency) return
    this.#planned = true
    this.#clock.at(this.#clock.now() + this.#options.latency, () => {
      this.#planned = false
      this.#poll()
    })
  }

  #poll(): void {
    while (this.#running < this.#options.concurrency) {
      const received = this.#queue.receive()
      if (received === undefined) return
      const { message, remove } = received
      const { function: name, allowLoop } = this.#options
      const times = (message.chain[name] ?? 0) + 1
      if (times > MAX_IN_CHAIN && !allowLoop) {
        this.stopped += 1
        this.#queue.dead.push(message)
        remove()
        continue
      }
      void chains.run({ ...message.chain, [name]: times }, () => this.#invoke(message, remove))
    }
  }

  async #invoke({ body, queuedFor }: QueueMessage, remove: () => void): Promise<void> {
    const startedAt = this.#clock.now()
    this.#running += 1
    try {
      await this.#options.handle(body, queuedFor)
      remove()
    } catch {
      // It is repeated after the visibility timeout.
    }
    this.seconds += (this.#clock.now() - startedAt) / 1000
    this.#running -= 1
    this.#poll()
  }
}
