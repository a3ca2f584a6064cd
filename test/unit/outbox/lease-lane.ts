/** Leases a lane, as a delivery does, and nothing more. */
import { DESTINATION_ACTIONS } from '../../../lib/outbox/destinations/destination-access.ts'
import { type LeaseResult, leaseLane as lease } from '../../../lib/outbox/lanes/lease.ts'
import type { LaneWakeUp } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { putIf } from '../../../lib/store/write.ts'

const actions = { ...DESTINATION_ACTIONS, put: putIf, random: Math.random, pause: async () => undefined }

/** `id`: unique; `now` in ms since the epoch. */
export const leaseLane = (wakeUp: LaneWakeUp, id: string, now: number): Promise<LeaseResult> =>
  lease(actions, wakeUp, { id, now })
