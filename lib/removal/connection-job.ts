/** The job that removes what belonged to a deleted connection, when its last messages were delivered or given up. */
import type { Done, Job, JobHandler, Postponed } from '../jobs/job.ts'
import { laneItem, MESSAGE_PLAN } from '../outbox/lanes/index.ts'
import { outboxItem, outcomeItem } from '../outbox/messages/index.ts'
import { CONNECTION } from '../outbox/wake-ups/index.ts'
import { pickupMessage, queueItem } from '../pickup/pickup-item.ts'
import { didsOfConnection, type Owner } from '../records/owners.ts'
import { queryPage } from '../store/table.ts'
import { isRemoved } from '../tenants/tenants.ts'
import { removeOwned } from './remove-owned.ts'
import { RunEnded, startRun } from './run.ts'
import { removeUnusedDids } from './unused-dids.ts'
import { wayFrom } from './ways.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** In ms. After this, messages that still wait are removed, too. */
const MAX_WAIT = MESSAGE_PLAN.lifetime + 24 * HOUR

/** Of the messages that wait, and of those that were given up meanwhile. */
const DELIVERY_KINDS = new Set([laneItem, outboxItem, outcomeItem, pickupMessage, queueItem].map(({ kind }) => kind))

const isWaiting = async (owner: Owner, items: (typeof laneItem | typeof outboxItem | typeof queueItem)[]) => {
  const partitions = items.flatMap(({ belongsTo }) => wayFrom(belongsTo, owner.type, false)?.(owner) ?? [])
  const pages = await Promise.all(partitions.map((pk) => queryPage(pk, { limit: 1 })))
  return pages.some(({ items }) => items.length > 0)
}

export const connectionRemovalJob: JobHandler = {
  run: async ({ tenant, id, createdAt, subject = {} }: Job): Promise<Done | Postponed> => {
    const owner = { tenant, type: CONNECTION, id, value: subject }
    const age = Date.now() - Date.parse(createdAt)
    const later = Math.min(Math.max(age, MINUTE), HOUR)
    const mayWait = age < MAX_WAIT && !(await isRemoved(tenant))
    // Its own job gives these messages up, and their records show it.
    if (mayWait && (await isWaiting(owner, [queueItem]))) return { later }
    const waits = mayWait && (await isWaiting(owner, [laneItem, outboxItem]))
    const kept = waits ? DELIVERY_KINDS : new Set<string>()
    try {
      await removeOwned(owner, { run: startRun(), shared: false, kept })
    } catch (error) {
      if (error instanceof RunEnded) return { later: 0 }
      throw error
    }
    return waits ? { later } : { commit: (unit) => removeUnusedDids(unit, didsOfConnection(subject)) }
  },

  // No other job removes this.
  repeatAfter: HOUR,
  giveUp: async () => undefined,
}
