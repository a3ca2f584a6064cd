/** Handles the wake-ups of destinations: carries out what their policy asks for. Nothing is decided here. */
import { randomUUID } from 'node:crypto'
import { getItem } from '../store/table.ts'
import { DESTINATION_ACTIONS } from './destination-access.ts'
import { onDue } from './destination-due.ts'
import { wakeLanes } from './queues.ts'
import { freeSlots } from './slow-destination.ts'
import { type Actions, run } from './step.ts'
import { entriesOfRandomShard, removeEntry, someEntries } from './waiting-list.ts'
import type { DestinationWakeUp } from './wake-up.ts'

export const DUE_ACTIONS = {
  ...DESTINATION_ACTIONS,
  get: getItem,
  freeSlots,
  someEntries,
  entriesOfRandomShard,
  removeEntries: (destination, entries) => Promise.all(entries.map((entry) => removeEntry(destination, entry))),
  wakeLanes,
} satisfies Partial<Actions>

/**
 * Probes or releases, if the destination is still due at the time of the wake-up. `now` in ms since the epoch, `random`
 * gives a number in [0, 1). Throws `store.unavailable`.
 */
export const onDestinationDue = (wakeUp: DestinationWakeUp, now = Date.now(), random = Math.random): Promise<void> =>
  run(onDue(wakeUp, now), DUE_ACTIONS, () => ({ now, random, newId: randomUUID }))
