/** Walks the table and lists what does not fit together: index entries and records, copies, keys, unknown items. */
import { isDeepStrictEqual } from 'node:util'
import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { indexEntries } from '../../lib/store/index-entries.ts'
import { entryPartition, keyAddress, organizationTenants, recordOfEntry, tenantAddress } from '../../lib/store/keys.ts'
import { fromRecordItem, type StoredRecord } from '../../lib/store/stored-record.ts'
import { addressOf } from '../../lib/store/table.ts'
import { attemptAddress, fromAttemptItem } from '../../lib/webhooks/attempts.ts'
import { occurredAtOf } from '../../lib/webhooks/event-id.ts'
import { eventAddress, fromEventItem } from '../../lib/webhooks/event-item.ts'
import { fromReplayItem, replayAddress } from '../../lib/webhooks/replay-item.ts'

type Item = Record<string, AttributeValue>

/** Where items of a kind lie. A kind that is not here is unknown. */
const PLACES: Record<string, RegExp> = {
  record: /^[^|]+\|[A-Za-z]+Record\|[^|]+ -$/,
  entry: /^[^|]+\|[A-Za-z]+Record\|[^|]+\|[\w-]{43} \d{4}-[^#]+Z#[^#|]+$/,
  key: /^[^|]+\|key\|[^|]+ -$/,
  'data-key': /^.+\|data-key -$/,
  mark: /^[^|]+\|(inbound|message)\|[\w-]{43} -$/,
  outbox: /^[^|]+\|outbox\|[^|]+ .+$/,
  tenant: /^@tenant\|[^|]+ -$/,
  'organization-tenant': /^@org\|[^|]+\|tenants [^#|]+$/,
  registration: /^@org\|[^|]+ (notification|webhook|notification#pending#[0-4])$/,
  decoy: /^@decoy\|\d+ -$/,
  event: /^@endpoint\|[^|]+\|events [^#]+Z#.+$/,
  attempt: /^@endpoint\|[^|]+\|attempts .+$/,
  replay: /^@endpoint\|[^|]+\|replays .+$/,
  place: /^@endpoint\|[^|]+\|places \d$/,
  idempotency: /^[^|]+\|idempotency\|[\w-]{43} -$/,
  'issuer-did': /^[^|]+\|issuer-did -$/,
  context: /^[^|]+\|context\|[\w-]{43} -$/,
}

const nameOf = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`
const kindOf = ({ kind }: Item): string => kind?.S ?? ''

/** Every inconsistency of the table in a line; none is an empty list. Expired items count as well as live ones. */
export const checkTable = async (client: DynamoDBClient, table: string): Promise<string[]> => {
  const items: Item[] = []
  for await (const page of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    items.push(...(page.Items ?? []))
  const byName = new Map(items.map((item) => [nameOf(item), item]))
  return items.flatMap((item) => [...misplaced(item), ...(CHECKS[kindOf(item)]?.(item, byName) ?? [])]).sort()
}

const misplaced = (item: Item): string[] => {
  const place = PLACES[kindOf(item)]
  if (place === undefined) return [`${nameOf(item)}: unknown kind "${kindOf(item)}"`]
  return place.test(nameOf(item)) ? [] : [`${nameOf(item)}: no place for a ${kindOf(item)}`]
}

type Check = (item: Item, byName: Map<string, Item>) => string[]

const checkRecord: Check = (item, byName) => {
  const record = recordIn(item)
  if (record === undefined) return [`${nameOf(item)}: not a record`]
  const problems: string[] = []
  if (record.value.id !== record.id) problems.push(`${nameOf(item)}: the record says that it is ${record.value.id}`)
  if (!Number.isInteger(record.version) || record.version < 1)
    problems.push(`${nameOf(item)}: version ${record.version}`)
  for (const expected of indexEntries(record).values()) {
    const entry = byName.get(nameOf(expected))
    if (entry === undefined) problems.push(`${nameOf(item)}: lacks its entry ${nameOf(expected)}`)
    else if (!isDeepStrictEqual(entry, expected)) problems.push(`${nameOf(entry)}: differs from its record`)
  }
  for (const keyId of keysOf(record))
    if (!byName.has(nameOf(toItem(keyAddress(record.tenant, keyId)))))
      problems.push(`${nameOf(item)}: lacks its key ${keyId}`)
  return problems
}

const checkEntry: Check = (entry, byName) => {
  const address = attempt(() => recordOfEntry(addressOf(entry)))
  const item = address === undefined ? undefined : byName.get(nameOf(toItem(address)))
  if (item === undefined) return [`${nameOf(entry)}: has no record`]
  const record = recordIn(item)
  const held = record === undefined ? [] : [...indexEntries(record).values()]
  return held.some((one) => nameOf(one) === nameOf(entry)) ? [] : [`${nameOf(entry)}: its record has no such entry`]
}

/** The DID that an agent issues with is one of its own. */
const checkIssuerDid: Check = (item, byName) => {
  const [tenant = ''] = (item.pk?.S ?? '').split('|')
  const partition = entryPartition(tenant, 'DidRecord', 'did', item.did?.S ?? '')
  return [...byName.keys()].some((name) => name.startsWith(`${partition} `))
    ? []
    : [`${nameOf(item)}: lacks the record of its DID`]
}

/** A tenant lies at the address of its own id, and is among the tenants of its organization. */
const checkTenant: Check = (item, byName) => {
  const [id, orgId] = [item.id?.S ?? '', item.orgId?.S ?? '']
  if (tenantAddress(id).pk !== item.pk?.S) return [`${nameOf(item)}: is not its tenant's`]
  const known = byName.has(nameOf(toItem({ pk: organizationTenants(orgId), sk: id })))
  return known ? [] : [`${nameOf(item)}: its organization does not know it`]
}

/** An event lies where its time and id say, and its state fits the attempts that it had. */
const checkEvent: Check = (item) => {
  const event = attempt(() => fromEventItem(item))
  if (event === undefined) return [`${nameOf(item)}: not an event`]
  const problems = misaddressed(item, eventAddress(event))
  const tried = event.state === 'delivered' || event.state === 'failed' || event.nextAttemptAt !== undefined
  if (tried && event.attempts === 0) problems.push(`${nameOf(item)}: ${event.state} without an attempt`)
  if (event.state !== 'pending' && event.nextAttemptAt !== undefined)
    problems.push(`${nameOf(item)}: ${event.state}, and yet to be tried again`)
  return problems
}

/** An attempt is one at an event. */
const checkAttempt: Check = (item, byName) => {
  const made = attempt(() => fromAttemptItem(item))
  if (made === undefined) return [`${nameOf(item)}: not an attempt`]
  const occurredAt = occurredAtOf(made.eventId)
  const event = occurredAt && eventAddress({ ...made, id: made.eventId, occurredAt })
  const lost = event && !byName.has(nameOf(toItem(event))) ? [`${nameOf(item)}: has no event`] : []
  return [...misaddressed(item, attemptAddress(made)), ...lost]
}

/** A replay is one of events. */
const checkReplay: Check = (item, byName) => {
  const replay = attempt(() => fromReplayItem(item))
  if (replay === undefined) return [`${nameOf(item)}: not a replay`]
  const lost = replay.events.filter((event) => !byName.has(nameOf(toItem(event))))
  return [...misaddressed(item, replayAddress(replay)), ...lost.map(() => `${nameOf(item)}: lacks one of its events`)]
}

const misaddressed = (item: Item, { pk, sk }: { pk: string; sk: string }): string[] =>
  nameOf(item) === `${pk} ${sk}` ? [] : [`${nameOf(item)}: is not at its address`]

const CHECKS: Record<string, Check> = {
  record: checkRecord,
  entry: checkEntry,
  'issuer-did': checkIssuerDid,
  tenant: checkTenant,
  event: checkEvent,
  attempt: checkAttempt,
  replay: checkReplay,
}

const toItem = ({ pk, sk }: { pk: string; sk: string }): Item => ({ pk: { S: pk }, sk: { S: sk } })

const recordIn = (item: Item): StoredRecord | undefined => attempt(() => fromRecordItem(item))

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Keys of the agent that a record names: those of its own DIDs, and those of services inside its invitations. */
const keysOf = ({ type, value }: StoredRecord): string[] => {
  const named =
    type === 'DidRecord' ? value.keys : type === 'OutOfBandRecord' ? value.invitationInlineServiceKeys : undefined
  return Array.isArray(named) ? named.map((key: { kmsKeyId?: unknown }) => String(key.kmsKeyId)) : []
}
