/** An attempt to send an item, and what it records about the destination. */

import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import type { Actions } from './actions.ts'
import {
  type Destination,
  reachedBy,
  report,
  reportIfChanged,
  SLOW_MS,
  type Slot,
  type Target,
} from './destinations/index.ts'
import type { Attempt, LaneContents } from './lanes/index.ts'

/** Sends an item, and measures the time. */
export const sendItem = async (
  { contents, actions }: { contents: LaneContents<unknown>; actions: Actions },
  item: unknown,
  origin: Destination,
): Promise<Attempt> => {
  const startedAt = actions.now()
  let recorded: Promise<void> | undefined
  // A slow destination is recorded before the attempt ends, so that other lanes know it immediately.
  const cancel = actions.after(SLOW_MS, () => {
    recorded = recordDuration(actions, origin, { took: SLOW_MS, answered: false }, actions.now())
  })
  try {
    const outcome = await contents.send(item, startedAt)
    return { outcome, startedAt, endedAt: actions.now() }
  } finally {
    cancel()
    await recorded
  }
}

/** A finished attempt, with its destination and the slot that it used. */
export interface FinishedAttempt extends Attempt {
  target: Target
  slot: Slot | undefined
}

/** Waits for a write about the destination. An error is only logged, because the next attempt writes the same. */
export const logIfFails = async (what: string, recorded: Promise<unknown> | undefined): Promise<void> => {
  try {
    await recorded
  } catch (error) {
    log('warn', 'delivery outcome not recorded', {
      ...{ event: 'outbox.not_noted', what },
      error: errorName(error),
    })
  }
}

export const recordDuration = (
  actions: Actions,
  origin: Destination,
  duration: { took: number; answered: boolean },
  now: number,
): Promise<void> => logIfFails('duration', reportIfChanged(actions, origin, { kind: 'took', ...duration }, now))

/** `probes`: whether the attempt is a probe of a closed destination. */
interface AttemptContext {
  actions: Actions
  lane: { name: string }
  probes: boolean
}

/**
 * Records which of origin and address an attempt has reached. A probe opens them, and the rest of the delivery is
 * normal.
 */
export const recordReached = async (
  d: AttemptContext,
  { outcome, target, endedAt }: FinishedAttempt,
  afterReport: (recorded: Promise<unknown>) => Promise<unknown>,
): Promise<void> => {
  const { actions, probes } = d
  const lane = d.lane.name
  for (const one of reachedBy(outcome, target)) {
    d.probes = false
    await afterReport(
      probes
        ? report(actions, one.destination, { kind: 'reached', lane }, endedAt)
        : reportIfChanged(actions, one, { kind: 'delivered', lane }, endedAt),
    )
  }
}
