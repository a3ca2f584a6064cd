/** Leases a lane, as a delivery does that goes no further. */
import { randomUUID } from 'node:crypto'
import { DESTINATION_ACTIONS } from '../../../lib/outbox/destination-access.ts'
import { type Leasing, leaseOf } from '../../../lib/outbox/lease.ts'
import { run, type Step } from '../../../lib/outbox/step.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-up.ts'

/** `id`: a unique one; `now` in ms since the epoch. */
export const leaseLane = (wakeUp: LaneWakeUp, id: string, now: number): Promise<Leasing> =>
  run(
    leaseOf(wakeUp, { id, now }, (result): Step<Leasing> => ({ result })),
    { ...DESTINATION_ACTIONS, pause: async () => undefined },
    () => ({ now, random: Math.random, newId: randomUUID }),
  )
