/** An attempt at an item, and the record of what it shows of its destination. */

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

/** Sends an item. */
export const attempt = async (
  { contents, actions }: { contents: LaneContents<unknown>; actions: Actions },
  item: unknown,
  origin: Destination,
): Promise<Attempt> => {
  const startedAt = actions.now()
  let recorded: Promise<void> | undefined
  // It is recorded before the attempt ends, so that other lanes know at once.
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

/** An attempt that was made. */
export interface Tried extends Attempt {
  target: Target
  slot: Slot | undefined
}

/** What an attempt has shown is recorded. An error is only logged, because the next attempt shows the same. */
export const orLog = async (what: string, recorded: Promise<unknown> | undefined): Promise<void> => {
  try {
    await recorded
  } catch (error) {
    log('warn', 'what an attempt has shown was not written down', {
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
): Promise<void> => orLog('duration', reportIfChanged(actions, origin, { kind: 'took', ...duration }, now))

/** What an attempt is for: `probes`, whether it shows that a closed destination is up again. */
interface Attempting {
  actions: Actions
  lane: { name: string }
  probes: boolean
}

/** An attempt has reached the origin, or the address too. A probe opens them; afterwards the delivery probes no more. */
export const recordReached = async (
  d: Attempting,
  { outcome, target, endedAt }: Tried,
  each: (recorded: Promise<unknown>) => Promise<unknown>,
): Promise<void> => {
  const { actions, probes } = d
  const lane = d.lane.name
  for (const one of reachedBy(outcome, target)) {
    d.probes = false
    await each(
      probes
        ? report(actions, one.destination, { kind: 'reached', lane }, endedAt)
        : reportIfChanged(actions, one, { kind: 'delivered', lane }, endedAt),
    )
  }
}
