/** Threads that deliver events out of a virtual queue: what Lambda does with many processes. */
import { Worker } from 'node:worker_threads'
import type { Assignment, Report } from './delivery-worker.ts'
import type { VirtualQueue } from './virtual-queue.ts'
import type { VirtualTime } from './virtual-time.ts'

export class DeliveryThreads {
  readonly #queue: VirtualQueue
  readonly #time: VirtualTime
  readonly #most: number
  readonly #workers: Worker[]
  #inFlight = 0
  #idle = Promise.withResolvers<void>()

  /** `most`: messages in flight at the same time. The threads have this process's environment as it is now. */
  constructor(queue: VirtualQueue, time: VirtualTime, { threads = 2, most = 32 } = {}) {
    this.#queue = queue
    this.#time = time
    this.#most = most
    const script = new URL('./delivery-worker.ts', import.meta.url)
    this.#workers = Array.from({ length: threads }, () => new Worker(script))
    for (const worker of this.#workers) {
      worker.on('message', (report: Report) => this.#done(report))
      worker.on('error', (error) => this.#idle.reject(error))
    }
  }

  /** Starts what the queue shows, as far as there is room. Messages that come back are taken with the next call. */
  start(): void {
    while (this.#inFlight < this.#most) {
      const record = this.#queue.receive()
      if (record === undefined) return
      this.#inFlight += 1
      const assignment: Assignment = { record, now: this.#time.now() }
      this.#workers[Number(record.receiptHandle) % this.#workers.length]?.postMessage(assignment)
    }
  }

  /** Delivers until nothing is shown, and lets time pass until nothing is hidden either. */
  async finish(): Promise<void> {
    do {
      this.start()
      while (this.#inFlight > 0) await this.#idle.promise
    } while (this.#time.passToNext())
  }

  async stop(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()))
  }

  #done({ handle, hiddenSeconds }: Report): void {
    this.#inFlight -= 1
    if (hiddenSeconds === undefined) this.#queue.delete(handle)
    else this.#time.hide([handle], hiddenSeconds)
    this.start()
    if (this.#inFlight > 0) return
    this.#idle.resolve()
    this.#idle = Promise.withResolvers()
  }
}
