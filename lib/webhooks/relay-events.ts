/** Committed changes become event items for the endpoints of their organizations: each once, those of one record in order. */
import type { DynamoDBRecord } from 'aws-lambda'
import { isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { readTenant } from '../store/tenants.ts'
import { putIfAbsent } from '../store/write.ts'
import { readEndpoints } from './endpoint-item.ts'
import { toEventItem } from './event-item.ts'
import { factsOf } from './events.ts'
import type { Fact } from './fact.ts'
import { type EventToWrite, eventsFor } from './organization-events.ts'

/** Records whose events are written at the same time. */
const LANES = 16

/** A fact, and the place of its change in the batch. */
interface Relayed {
  fact: Fact
  position: number
}

/** Its code or its name: a message may quote what could not be read. */
const nameOf = (error: unknown): string =>
  isAgentError(error) ? error.code : error instanceof Error ? error.name : 'unknown'

const logFault = (message: string, record: DynamoDBRecord | undefined, error: unknown): void => {
  const { eventID: eventId, dynamodb } = record ?? {}
  log('error', message, { sequence: dynamodb?.SequenceNumber, eventId, error: nameOf(error) })
}

/** What can't be read is skipped: thrown, it would stop everything behind it in its shard. */
const read = (record: DynamoDBRecord, position: number): Relayed[] => {
  try {
    return factsOf(record).map((fact) => ({ fact, position }))
  } catch (error) {
    logFault('change skipped', record, error)
    return []
  }
}

const readOrganization = async (tenant: string): Promise<string> =>
  tenant === BASE_AGENT ? settings().BASE_ORG_ID : (await readTenant(tenant)).orgId

/** Writes what an organization's endpoints hear of one fact. None is left running when another one has failed. */
const writeAll = async (events: EventToWrite[]): Promise<void> => {
  for (const result of await Promise.allSettled(events.map(write)))
    if (result.status === 'rejected') throw result.reason
}

/** An event that is there already stays as it is, whatever has become of it. */
const write = ({ event, state }: EventToWrite): Promise<boolean> => putIfAbsent(toEventItem(event, state))

/** Each key is asked for once. */
const once = <T>(ask: (key: string) => Promise<T>): ((key: string) => Promise<T>) => {
  const asked = new Map<string, Promise<T>>()
  return (key) => {
    const answer = asked.get(key) ?? ask(key)
    asked.set(key, answer)
    return answer
  }
}

/** Works on all of `work`, on at most `LANES` at a time. */
const inLanes = async <T>(work: T[], act: (one: T) => Promise<void>): Promise<void> => {
  const waiting = work.values()
  const lane = async () => {
    for (const one of waiting) await act(one)
  }
  await Promise.all(Array.from({ length: Math.min(LANES, work.length) }, lane))
}

/**
 * Writes the events of the changes of one shard. What fails holds back the later events of its record only. Returns the
 * sequence number of the first change that is not done with: it and all behind it come again, and what was written of
 * them is not written twice.
 */
export const relayEvents = async (records: DynamoDBRecord[]): Promise<string | undefined> => {
  const organizationOf = once(readOrganization)
  const endpointsOf = once(readEndpoints)
  const failed: number[] = []

  const relay = async ({ fact, position }: Relayed): Promise<boolean> => {
    try {
      const orgId = 'orgId' in fact.of ? fact.of.orgId : await organizationOf(fact.of.tenant)
      await writeAll(eventsFor(fact, await endpointsOf(orgId)))
      return true
    } catch (error) {
      const noTenant = isAgentError(error, 'resource.not_found')
      logFault(noTenant ? 'change skipped' : 'event not written', records[position], error)
      if (!noTenant) failed.push(position)
      return noTenant
    }
  }

  const ofOneRecord = Map.groupBy(records.flatMap(read), ({ fact }) => fact.recordId)
  await inLanes([...ofOneRecord.values()], async (relayed) => {
    for (const one of relayed) if (!(await relay(one))) return
  })
  return failed.length === 0 ? undefined : (records[Math.min(...failed)]?.dynamodb?.SequenceNumber ?? '')
}
