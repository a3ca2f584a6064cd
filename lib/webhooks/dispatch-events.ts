/**
 * Writes events of committed changes for the endpoints of their organizations: each event once, those of a record in
 * order.
 */

import type { DynamoDBRecord } from 'aws-lambda'
import { isAgentError } from '../errors.ts'
import { measure } from '../metrics.ts'
import { type CommittedItem, wakeCommitted } from '../outbox/wake-ups/index.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { isRetryable } from '../store/aws-errors.ts'
import { addressOf } from '../store/table.ts'
import { putIfAbsent } from '../store/write.ts'
import { isRemoved, readTenant } from '../tenants/tenants.ts'
import { countEnded } from './ended-exchanges.ts'
import { readEndpoints } from './endpoint-item.ts'
import { heldItem, pendingEvent, pendingEventItem } from './event-item.ts'
import { type EventToWrite, eventsFor } from './events.ts'
import { type Fact, factsOf } from './facts.ts'

/** Number of records whose events are written concurrently. */
const CONCURRENCY = 16

/** Reads each key once. */
const once = <T>(read: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  const reads = new Map<string, Promise<T>>()
  return (key) => {
    const result = reads.get(key) ?? read(key)
    reads.set(key, result)
    return result
  }
}

/** Undefined for a tenant that was removed, whose changes are no events. Throws `resource.not_found` for any other one. */
const readOrganization = async (tenant: string): Promise<string | undefined> => {
  if (tenant === BASE_AGENT) return settings().BASE_ORG_ID
  return (await isRemoved(tenant)) ? undefined : (await readTenant(tenant)).orgId
}

/**
 * Writes an event, unless it exists. Returns its lane if it is new and pending. If DynamoDB throttles the partitions of
 * an endpoint, this must not block the stream: a held event that can't be written there becomes pending in its lane,
 * and its delivery finds that the endpoint is disabled.
 */
const writeEvent = async ({ event, state }: EventToWrite): Promise<CommittedItem[]> => {
  if (state === 'held')
    try {
      await putIfAbsent(heldItem(event))
      return []
    } catch {}
  const pending = pendingEventItem.encode(pendingEvent(event, new Date().toISOString()))
  const { pk: lane, sk: itemId } = addressOf(pending)
  return (await putIfAbsent(pending)) ? [{ lane, itemId }] : []
}

/**
 * Waits for all, even if one fails. Throws a retryable error rather than another one, because then the whole change is
 * retried.
 */
const waitForAll = async <T>(work: Promise<T>[]): Promise<T[]> => {
  const results = await Promise.allSettled(work)
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0) throw errors.find(isRetryable) ?? errors[0]
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

/** Runs `act` on all of `work`, at most `CONCURRENCY` at a time. */
const concurrently = async <T>(work: T[], act: (one: T) => Promise<void>): Promise<void> => {
  const waiting = work.values()
  const worker = async () => {
    for (const one of waiting) await act(one)
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, work.length) }, worker))
}

/** A change whose events could not be written, with the error. */
export interface FailedChange {
  record: DynamoDBRecord
  error: unknown
}

/**
 * Writes the events of changes and wakes their lanes. After an outage at one change, the later changes of the same
 * record are not dispatched, to keep their order; a change that fails by itself blocks nothing. Returns the failed
 * changes, in the order of the batch. A repetition writes no event twice.
 */
export const dispatchEvents = async (records: DynamoDBRecord[]): Promise<FailedChange[]> => {
  const organizationOf = once(readOrganization)
  const endpointsOf = once(readEndpoints)
  const failed = new Map<DynamoDBRecord, unknown>()
  const woken: CommittedItem[] = []
  const dispatched: Fact[] = []

  const readFacts = (record: DynamoDBRecord): { fact: Fact; record: DynamoDBRecord }[] => {
    try {
      return factsOf(record).map((fact) => ({ fact, record }))
    } catch (error) {
      failed.set(record, error)
      return []
    }
  }

  const dispatch = async (fact: Fact): Promise<void> => {
    const orgId = 'orgId' in fact.of ? fact.of.orgId : await organizationOf(fact.of.tenant)
    if (orgId === undefined) return
    const written = await waitForAll(eventsFor(fact, await endpointsOf(orgId)).map(writeEvent))
    woken.push(...written.flat())
  }

  const byRecord = Map.groupBy(records.flatMap(readFacts), ({ fact }) => fact.recordId)
  await concurrently([...byRecord.values()], async (facts) => {
    for (const { fact, record } of facts) {
      try {
        await dispatch(fact)
        dispatched.push(fact)
      } catch (error) {
        if (isAgentError(error, 'resource.not_found')) {
          const fields = { event: 'dispatcher.no_tenant', recordId: fact.recordId } as const
          measure('error', 'change of a tenant that does not exist skipped', fields, {
            values: { WorkGivenUp: 1 },
          })
          continue
        }
        failed.set(record, error)
        if (isRetryable(error)) return
      }
    }
  })
  countEnded(dispatched)
  // If the queue rejects a wake-up, the dispatcher sends it again with the change that inserted the item.
  await wakeCommitted(woken)
  return records.filter((record) => failed.has(record)).map((record) => ({ record, error: failed.get(record) }))
}
