/**
 * How much of an agent's share of the pickup queues is used: counted after commits, because in a transaction it would
 * conflict with every other one.
 */
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { getItems, queryPages } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { updateIf } from '../store/write.ts'
import { type Amount, DAY, difference, NOTHING, sum } from './bounds.ts'
import { listedQueue, type QueueKey, queueItem, usageItem } from './pickup-item.ts'

const ofKind = { kind: { S: usageItem.kind } }

/** Adds to the usage after the commit. A process that ends before has not counted it: the jobs of the queues do. */
export const addToUsage = (unit: UnitOfWork, key: QueueKey, change: Amount): void =>
  unit.afterCommit(() =>
    updateIf(usageItem.addressOf(key), { set: ofKind, add: change }).catch((error) =>
      log('warn', 'the usage of pickup queues was not counted', {
        event: 'pickup.usage_not_counted',
        ...{ tenant: key.tenant, error: errorName(error) },
      }),
    ),
  )

/** Every queue has a job that runs once a day: the first one of a share that comes counts the share anew. */
const COUNTED_FOR = DAY / 2

/** Queues read at once. */
const READ = 100

/**
 * Counts the usage of a queue's share anew, unless it was done lately. What is added while this counts may be counted
 * twice, until the next time. Throws `store.unavailable`.
 */
export const countUsage = async (key: QueueKey, now = Date.now()): Promise<void> => {
  const address = usageItem.addressOf(key)
  const set = { ...ofKind, ...usageItem.attributes({ countedAt: now }) }
  const lately = usageItem.attributes({ countedAt: now - COUNTED_FOR })
  const usage = await updateIf(
    address,
    { set, add: NOTHING },
    { anyOf: [{ absent: ['countedAt'] }, { atMost: lately }] },
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
