/**
 * Processes of a walk through all orders. An async function can't be copied, so to continue a process it is run again
 * from its start, with all results that its actions had so far, up to its next action (stateless model checking, as in
 * loom and shuttle).
 */
import { hash } from 'node:crypto'
import type { PostOutcome } from '../../../lib/egress/post.ts'
import { isAgentError } from '../../../lib/errors.ts'
import type { Actions } from '../../../lib/outbox/actions.ts'
import { deliver } from '../../../lib/outbox/deliver-lane.ts'
import { onDestinationDue } from '../../../lib/outbox/destinations/destination-due.ts'
import { messageLaneContents } from '../../../lib/outbox/message-lane.ts'
import { type FirstItem, isForLane, type WakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'

/** Actions that no other process observes: they complete immediately. */
type Local = 'now' | 'random' | 'newId' | 'pause' | 'after' | 'contentsOf' | 'takeSlot' | 'freeSlots'

/** The requests of processes: actions, and the methods of lane contents. */
export interface Asks extends Omit<Actions, Local> {
  read(lane: string, first: FirstItem | undefined): Promise<{ items: unknown[]; more: boolean; corrupt: [] }>
  send(lane: string, item: unknown): Promise<PostOutcome>
}

export interface Ask {
  does: keyof Asks
  args: readonly unknown[]
}

/** A request, and its result at a time (ms since the epoch). */
interface Answer {
  asked: string
  now: number
  result: unknown
}

/** An action that throws. */
export class Thrown {
  readonly error: Error

  constructor(error: Error) {
    this.error = error
  }
}

export interface Start {
  name: string
  wakeUp: WakeUp
  queue: 'fast' | 'slow'
  repeated: boolean
  now: number
}

/** The next step of a process: a request, or its end. `wrong`: an end that must never occur. */
export type Next = { ask: Ask } | { ended: true; failed: boolean } | { wrong: string }

const printOf = ({ does, args }: Ask): string => `${does} ${JSON.stringify(args)}`

/** Shared by all processes with the same results so far. */
const known = new Map<string, Next>()

export class Process {
  readonly start: Start
  /** Of all results so far. */
  readonly history: string
  readonly #answers: readonly Answer[]

  constructor(start: Start, history = hash('sha1', JSON.stringify(start)), answers: readonly Answer[] = []) {
    this.start = start
    this.history = history
    this.#answers = answers
  }

  /** The process after the result of its request. */
  told(result: unknown, now: number): Process {
    const asked = printOf(this.ask)
    const text = result instanceof Thrown ? 'thrown' : JSON.stringify(result)
    const history = hash('sha1', `${this.history} ${asked} ${text} ${now}`)
    return new Process(this.start, history, [...this.#answers, { asked, now, result }])
  }

  get ask(): Ask {
    const next = known.get(this.history)
    if (next === undefined || !('ask' in next)) throw new Error('it asks for nothing')
    return next.ask
  }

  async next(): Promise<Next> {
    const next = known.get(this.history) ?? (await this.#replay())
    known.set(this.history, next)
    return next
  }

  #replay(): Promise<Next> {
    const { name, wakeUp, queue, repeated, now } = this.start
    return new Promise((resolve) => {
      let index = 0
      const act =
        (does: keyof Asks) =>
        (...args: readonly unknown[]): Promise<never> => {
          const answer = this.#answers[index++]
          if (answer === undefined) {
            resolve({ ask: { does, args } })
            // As in a process that ends here.
            return new Promise(() => {})
          }
          if (answer.asked !== printOf({ does, args })) resolve({ wrong: `a replay differs: ${answer.asked}` })
          const { result } = answer
          return result instanceof Thrown ? Promise.reject(result.error) : Promise.resolve(result as never)
        }
      const actions = actionsOf(act, name, () => this.#answers[index - 1]?.now ?? now)
      const done = isForLane(wakeUp)
        ? deliver(wakeUp, { queue, repeated, startUntil: now + 14_000 }, actions)
        : onDestinationDue(wakeUp, now, () => 0.5, actions)
      done.then(
        () => resolve({ ended: true, failed: false }),
        (error: unknown) => {
          const isOurs = isAgentError(error) && error.code.startsWith('store.')
          resolve(isOurs ? { ended: true, failed: true } : { wrong: `our code throws: ${String(error)}` })
        },
      )
    })
  }
}

const actionsOf = (
  act: (does: keyof Asks) => (...args: readonly unknown[]) => Promise<never>,
  name: string,
  now: () => number,
): Actions => {
  let ids = 0
  return {
    now,
    random: () => 0.5,
    // The first one is the id of its lease.
    newId: () => (ids++ === 0 ? name : `${name}-${ids}`),
    pause: async () => undefined,
    after: () => () => undefined,
    contentsOf: async (lane, first) => {
      const contents = messageLaneContents(lane)
      if (contents === undefined) throw new Error('no lane of messages')
      let begins = first
      return {
        ...(contents as unknown as NonNullable<Awaited<ReturnType<Actions['contentsOf']>>>),
        afterAttempt: async () => undefined,
        read: () => {
          const read = act('read')(lane, begins)
          begins = undefined
          return read
        },
        send: (item) => act('send')(lane, item),
      }
    },
    takeSlot: async () => ({ release: async () => undefined }),
    freeSlots: async () => 4,
    ...{ update: act('update'), put: act('put'), get: act('get'), transact: act('transact'), target: act('target') },
    ...{ destination: act('destination'), recentDestination: act('recentDestination'), change: act('change') },
    ...{ someEntries: act('someEntries'), entriesOfRandomShard: act('entriesOfRandomShard') },
    ...{ removeEntries: act('removeEntries'), wakeLanes: act('wakeLanes'), wakeLater: act('wakeLater') },
  }
}
