/**
 * The usage of a share of an agent's pickup queues: counted after commits, because in transactions it would cause
 * conflicts.
 */
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { getItems, queryPages } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { updateIf } from '../store/write.ts'
import { type Amount, DAY, difference, NOTHING, sum } from './bounds.ts'
import { listedQueue, type QueueKey, queueItem, usageItem } from './pickup-item.ts'

const ofKind = { kind: { S: usageItem.kind } }

/** Adds to the usage after the commit. If the process dies before, the jobs of the queues count it. */
export const addToUsage = (unit: UnitOfWork, key: QueueKey, change: Amount): void =>
  unit.afterCommit(() =>
    updateIf(usageItem.addressOf(key), { set: ofKind, add: change }).catch((error) =>
      log('warn', 'usage of pickup queues not counted', {
        event: 'pickup.usage_not_counted',
        ...{ tenant: key.tenant, error: errorName(error) },
      }),
    ),
  )

/** In ms. Every queue has a job that runs once a day: the first one of a share recounts the share. */
const RECOUNT_INTERVAL = DAY / 2

/** Number of queues in one read. */
const READ = 100

/**
 * Recounts the usage of a queue's share, unless that was done recently. Messages that are added meanwhile may be
 * counted twice, until the next recount. Throws `store.unavailable`.
 */
export const countUsage = async (key: QueueKey, now = Date.now()): Promise<void> => {
  const address = usageItem.addressOf(key)
  const set = { ...ofKind, ...usageItem.attributes({ countedAt: now }) }
  const recently = usageItem.attributes({ countedAt: now - RECOUNT_INTERVAL })
  const usage = await updateIf(
    address,
    { set, add: NOTHING },
    { anyOf: [{ absent: ['countedAt'] }, { atMost: recently }] },
  )
  if (usage === undefined) return
  let counted = NOTHING
  for await (const page of queryPages(address.pk, READ)) {
    const listed = page.filter(listedQueue.is).map(listedQueue.decode)
    const queues = await getItems(listed.map(({ connectionId }) => queueItem.addressOf({ ...key, connectionId })))
    counted = sum(counted, ...queues.filter(queueItem.is).map(queueItem.decode))
  }
  await updateIf(address, { add: difference(counted, usageItem.decode(usage)) })
}
