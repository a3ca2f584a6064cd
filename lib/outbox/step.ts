/**
 * Policies as pure functions: a step names what is to be done, and the function that makes the next step of what came
 * of that.
 */
import { AgentError } from '../errors.ts'
import type { Address } from '../store/keys.ts'
import type { Item } from '../store/table.ts'
import type { TableWrite, Transacted, Updated } from '../store/write.ts'
import type { Change, Destination, Target } from './destination.ts'
import type { Update } from './lane.ts'
import type { Attempt, LaneContents } from './lane-contents.ts'
import type { Entry } from './waiting-list.ts'
import type { Bulkhead, FirstItem, LaneWakeUp, WakeUp } from './wake-up.ts'

/** What a step may know besides what it was told. */
export interface By {
  /** Ms since the epoch. */
  now: number
  /** A number in [0, 1). */
  random: () => number
  /** A unique id. */
  newId: () => string
}

/** What a policy may ask for. Nothing is decided by who does it. Times are ms since the epoch. */
export interface Actions {
  update(update: Update): Promise<Updated>
  put(item: Item): Promise<unknown>
  get(address: Address): Promise<Item | undefined>
  transact(writes: TableWrite[]): Promise<Transacted>
  /** The contents of a lane; undefined for one of no known kind. */
  open(lane: string, first: FirstItem | undefined): Promise<LaneContents<unknown> | undefined>
  read(contents: LaneContents<unknown>, now: number): ReturnType<LaneContents<unknown>['read']>
  /** Makes an attempt. `ifSlow`: what is done beside it if it takes long. */
  attempt(contents: LaneContents<unknown>, item: unknown, ifSlow: (by: By) => Step): Promise<Attempt>
  afterAttempt(contents: LaneContents<unknown>, item: unknown, attempt: Attempt): Promise<void>
  /** An address and its origin, as this process has read them in the last seconds, if it has. */
  target(destination: string, now: number): Promise<Target>
  /** Undefined if all are taken. */
  takeSlot(destination: string, owner: string, at: { now: number; random: number }): Promise<Slot | undefined>
  releaseSlot(slot: Slot): Promise<void>
  freeSlots(origin: string, now: number): Promise<number>
  destination(destination: string, now: number): Promise<Destination>
  /** As this process has read it in the last seconds, if it has. */
  recentDestination(destination: string, now: number): Promise<Destination>
  /** Undefined if it is no longer as it was read. */
  change(read: Destination, change: Change, now: number): Promise<Destination | undefined>
  /** Entries of a waiting list; with `until` those that are given up by then. */
  someEntries(destination: string, limit: number, until?: number): Promise<Entry[]>
  entriesOfRandomShard(destination: string, limit: number, random: number): Promise<Entry[]>
  removeEntries(destination: string, entries: string[]): Promise<unknown>
  /** Whether the queue has accepted each. */
  wakeLanes(wakeUps: LaneWakeUp[], bulkhead: Bulkhead): Promise<boolean[]>
  /** After a time in ms. */
  wakeLater(wakeUp: WakeUp, delay: number): Promise<void>
  pause(ms: number): Promise<unknown>
}

export interface Slot {
  release: () => Promise<void>
}

interface Ask<Result> {
  does: keyof Actions
  with: readonly unknown[]
  /** The next step, after what came of this one. */
  next: (result: unknown, by: By) => Step<Result>
  /** Without it the policy fails with an error. */
  orElse: OrElse<Result> | undefined
}

/** The next step after an error. */
export type OrElse<Result = void> = (error: unknown, by: By) => Step<Result>

/** What a policy asks for, or its end, with a result or an error; and what writes lines of the log before. */
export type Step<Result = void> = { lines?: readonly (() => void)[] } & (
  | { ask: Ask<Result> }
  | { result: Result }
  | { error: unknown }
)

/** A step that asks for something. */
export const ask = <K extends keyof Actions, Result = void>(
  does: K,
  args: Parameters<Actions[K]>,
  next: (result: Awaited<ReturnType<Actions[K]>>, by: By) => Step<Result>,
  orElse?: OrElse<Result>,
): Step<Result> => ({
  // The result is of the action that is named beside it.
  ask: { does, with: args, next: (result, by) => next(result as Awaited<ReturnType<Actions[K]>>, by), orElse },
})

/** Asks for a pause before the n-th repetition of a request (from 0): up to 25 ms, doubled each time, full jitter. */
export const pauseBefore = <R>(repetition: number, { random }: By, next: () => Step<R>, orElse?: OrElse<R>): Step<R> =>
  ask('pause', [random() * 25 * 2 ** Math.min(repetition, 4)], next, orElse)

/** A step after a line of the log. */
export const withLine = <Result>(line: () => void, step: Step<Result>): Step<Result> => ({
  ...step,
  lines: [line, ...(step.lines ?? [])],
})

/**
 * Runs a policy to its end: does what it asks for, and gives it what came of that. Throws the error that it fails with.
 */
export const run = async <Result>(first: Step<Result>, actions: Partial<Actions>, by: () => By): Promise<Result> => {
  for (let step = first; ; ) {
    for (const writeLine of step.lines ?? []) writeLine()
    if ('result' in step) return step.result
    if ('error' in step) throw step.error
    const { ask } = step
    step = await perform(ask, actions).then(
      (result) => ask.next(result, by()),
      (error: unknown) => {
        if (ask.orElse === undefined) throw error
        return ask.orElse(error, by())
      },
    )
  }
}

const perform = async <Result>({ does, with: args }: Ask<Result>, actions: Partial<Actions>): Promise<unknown> => {
  const act = actions[does] as ((...args: readonly unknown[]) => Promise<unknown>) | undefined
  if (act === undefined) throw new AgentError('internal', `nobody does this here: ${does}`)
  return act(...args)
}
