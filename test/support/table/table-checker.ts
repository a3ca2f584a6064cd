/** Walks the table and lists what does not fit together: index entries and records, copies, keys, unknown items. */

import { isDeepStrictEqual } from 'node:util'
import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { MultiBaseEncoder, TypedArrayEncoder } from '@credo-ts/core'
import { jobItem } from '../../../lib/jobs/job.ts'
import { keyAddress, keyItem } from '../../../lib/keys/key-item.ts'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { outboxItem, outcomeItem } from '../../../lib/outbox/messages/message-item.ts'
import { pickupMessage, queueItem, usageItem } from '../../../lib/pickup/pickup-item.ts'
import { shortForm } from '../../../lib/records/did-forms.ts'
import { didRecords, FORMER_KEYS, outOfBandRecords } from '../../../lib/records/kinds.ts'
import { indexEntries } from '../../../lib/store/index-entries.ts'
import { entryPartition, recordAddress, recordOfEntry, SINGLE_SORT_KEY } from '../../../lib/store/keys.ts'
import { plainItem } from '../../../lib/store/plain-item.ts'
import { pointerTo } from '../../../lib/store/pointers.ts'
import { addressOfRecord, fromRecordItem, type StoredRecord } from '../../../lib/store/stored-record.ts'
import { addressOf } from '../../../lib/store/table.ts'
import { organizationTenants, removedTenantItem, tenantAddress } from '../../../lib/tenants/tenants.ts'
import { attemptItem, eventItem, pendingEventItem } from '../../../lib/webhooks/event-item.ts'
import { occurredAtOf } from '../../../lib/webhooks/events.ts'

type Item = Record<string, AttributeValue>

/** Where items of a kind lie. A kind that is not here is unknown. */
const PLACES: Record<string, RegExp> = {
  layout: /^@layout -$/,
  record: /^[^|]+\|[A-Za-z0-9]+Record\|[^|]+(\|[\w-]{43} \d{4}-[^#]+Z#[^#|]+| ~)$/,
  'deleted-record': /^[^|]+\|[A-Za-z0-9]+Record\|[^|]+ deleted$/,
  entry: /^[^|]+\|[A-Za-z0-9]+Record\|[^|]+\|[\w-]{43} \d{4}-[^#]+Z#[^#|]+$/,
  key: /^[^|]+\|key\|[^|]+ ~$/,
  'data-key': /^.+\|data-key ~$/,
  mark: /^[^|]+\|message\|[\w-]{43} ~$/,
  outbox: /^[^|]+\|ConnectionRecord\|[^|]+(\|[\w-]{43})? .+$/,
  'outbox-outcome': /^[^|]+\|delivery\|[^|]+ .+$/,
  'pickup-queue': /^[^|]+\|pickup\|[^|]+ ~$/,
  'pickup-message': /^[^|]+\|pickup\|[^|]+ [0-9a-f-]{36}$/,
  'pickup-usage': /^[^|]+\|pickup-usage\|\d+ ~$/,
  'pickup-listed-queue': /^[^|]+\|pickup-usage\|\d+ [^|]+$/,
  count: /^[^|]+\|count\|[^|]+\|\d+ ~$/,
  'answer-piece': /^[^|]+\|(?:message|idempotency)\|[\w-]{43} [1-9]$/,
  'corrupt-item': /^@corrupt\|[\w-]{43} ~$/,
  'pending-event': /^@outbox(\|[^|]+){3} \d{16}#[^|]+$/,
  lane: /^([^|]+\|ConnectionRecord\|[^|]+(\|[\w-]{43})?|@outbox(\|[^|]+){3})\|lane ~$/,
  destination: /^@destination\|[\w-]{43} ~$/,
  'waiting-lane': /^@destination\|[\w-]{43}\|waiting\|\d+ \d{15}\|.+$/,
  slot: /^@destination\|[\w-]{43}\|slot\|\d ~$/,
  'parked-change': /^@parked \d{40}#\d\d$/,
  'dispatch-tries': /^@dispatch\|\d+ ~$/,
  heartbeat: /^@heartbeat sent$/,
  'heartbeat-received': /^@heartbeat received$/,
  invitation: /^@invitation\|[\w-]{43} ~$/,
  tenant: /^@tenant\|[^|]+ ~$/,
  'removed-tenant': /^@tenant\|[^|]+ ~$/,
  'openid-id': /^@openid\|[^|]+ ~$/,
  'openid4vp-result': /^[^|]+\|openid4vp-result\|[^|]+ ~$/,
  'openid4vci-claims': /^[^|]+\|openid4vci-claims\|[^|]+ ~$/,
  'openid4vci-nonce': /^[^|]+\|openid4vci-nonce\|[\w-]{43} ~$/,
  'status-list': /^[^|]+\|status-lists\|[^|]+ [^|]+$/,
  'status-piece': /^[^|]+\|status-list\|[^|]+ [0-6]\d$/,
  'status-index': /^[^|]+\|status-index\|[^|]+\|\d+ ~$/,
  'organization-tenant': /^@org\|[^|]+\|tenants [^#|]+$/,
  registration: /^@org\|[^|]+ (notification|webhook|notification#pending#[0-4])$/,
  decoy: /^@decoy\|\d+ ~$/,
  event: /^@endpoint\|[^|]+\|events\|[0-7] [^#]+Z#[^#]+$/,
  attempt: /^@endpoint\|[^|]+\|events\|[0-7] [^#]+Z#[^#]+#\d+$/,
  idempotency: /^[^|]+\|idempotency\|[\w-]{43} ~$/,
  'issuer-keys': /^@issuer-keys\|[\w-]{43} ~$/,
  'issuer-did': /^[^|]+\|issuer-did ~$/,
  'definition-place': /^[^|]+\|definition\|[\w-]{43} ~$/,
  'definition-slot': /^[^|]+\|definition-slot \d$/,
  'ledger-object': /^[^|]+\|ledger-object\|[^|]+ ~$/,
  'revocation-registry': /^[^|]+\|revocation-registry\|[\w-]{43} \d{8}$/,
  'pending-revocation': /^[^|]+\|revocation\|[\w-]{43} \d{8}$/,
  'tails-piece': /^@tails\|[\w-]{43} \d{4}$/,
  'registry-write': /^[^|]+\|ledger-object\|[\w-]{43} \d{8}$/,
  'webvh-log': /^[^|]+\|webvh\|log ~$/,
  'webvh-resource': /^[^|]+\|webvh\|resource\|[A-Za-z0-9]+ ~$/,
  'web-document': /^[^|]+\|did-web\|document ~$/,
  'webvh-seen': /^[^|]+\|webvh-seen\|[\w-]{43} ~$/,
  job: /^[^|]+\|job\|[a-z-]+\|[^|]+ ~$/,
  context: /^[^|]+\|context\|[\w-]{43} ~$/,
}

const nameOf = ({ pk, sk }: Item): string => `${pk?.S} ${sk?.S}`
const kindOf = ({ kind }: Item): string => kind?.S ?? ''

/**
 * Every inconsistency of the table in a line; none is an empty list. Expired items count as well as live ones. A scan of several pages is no snapshot: a
 * transaction between two pages shows half of itself. So only what a second scan finds as well counts.
 */
export const checkTable = async (client: DynamoDBClient, table: string): Promise<string[]> => {
  const problems = await problemsOf(client, table)
  if (problems.length === 0) return problems
  const again = new Set(await problemsOf(client, table))
  return problems.filter((problem) => again.has(problem))
}

const problemsOf = async (client: DynamoDBClient, table: string): Promise<string[]> => {
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
  const problems = misaddressed(item, attempt(() => addressOfRecord(record)) ?? { pk: '', sk: '' })
  if (record.value.id !== record.id) problems.push(`${nameOf(item)}: the record says that it is ${record.value.id}`)
  if (!Number.isInteger(record.version) || record.version < 1)
    problems.push(`${nameOf(item)}: version ${record.version}`)
  for (const expected of indexEntries(record).values()) {
    const entry = byName.get(nameOf(expected))
    if (entry === undefined) problems.push(`${nameOf(item)}: lacks its entry ${nameOf(expected)}`)
    else if (!isDeepStrictEqual(plainItem(entry), plainItem(expected)))
      problems.push(`${nameOf(entry)}: differs from its record`)
  }
  const published = pointerTo(record)
  const isClosed = kindOf(byName.get(nameOf(toItem(tenantAddress(record.tenant)))) ?? {}) === 'removed-tenant'
  if (published !== undefined && !isClosed && !isDeepStrictEqual(byName.get(nameOf(published)), published))
    problems.push(`${nameOf(item)}: its invitation is not found`)
  for (const keyId of unnamingKeys(record, byName)) problems.push(`${nameOf(item)}: is not named by its key ${keyId}`)
  for (const keyId of keysOf(record))
    if (!byName.has(nameOf(toItem(keyAddress(record.tenant, keyId)))))
      problems.push(`${nameOf(item)}: lacks its key ${keyId}`)
  return problems
}

/** Keys that were made for an invitation of the agent name it; those that were there before have an entry. */
const unnamingKeys = ({ type, id, tenant, value, tags }: StoredRecord, byName: Map<string, Item>): string[] => {
  if (type !== outOfBandRecords.type || value.role !== 'sender') return []
  const former = [tags[FORMER_KEYS]].flat()
  const made = [tags.recipientKeyFingerprints].flat().filter((one) => typeof one === 'string' && !former.includes(one))
  const keyIds = made.flatMap(
    (fingerprint) =>
      attempt(() => TypedArrayEncoder.toBase58(MultiBaseEncoder.decode(`${fingerprint}`).data.slice(2))) ?? [],
  )
  return keyIds.filter((keyId) => {
    const key = byName.get(nameOf(toItem(keyAddress(tenant, keyId))))
    return key === undefined || attempt(() => keyItem.decode(key))?.purpose?.outOfBandId !== id
  })
}

/** A DID that its key names has no record. */
const checkKey: Check = (item, byName) => {
  const key = attempt(() => keyItem.decodePart(item, ['purpose']))
  if (key === undefined) return [`${nameOf(item)}: not a key`]
  const [tenant = ''] = (item.pk?.S ?? '').split('|')
  const did = key.purpose?.did?.did
  const partition = did && entryPartition(tenant, didRecords.type, 'did', shortForm(did))
  return partition && [...byName.keys()].some((name) => name.startsWith(`${partition} `))
    ? [`${nameOf(item)}: its DID has a record too`]
    : []
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

/** What is shown of an invitation is that of a record, and each that an agent has created is found. */
const checkInvitation: Check = (item, byName) => {
  if (item.recordId === undefined) return []
  const address = recordAddress(item.tenant?.S ?? '', 'OutOfBandRecord', item.recordId.S ?? '')
  const record = byName.get(nameOf(toItem(address)))
  const published = record && pointerTo(fromRecordItem(record))
  return published !== undefined && isDeepStrictEqual(published, item)
    ? []
    : [`${nameOf(item)}: its record has no such invitation`]
}

/** A tenant lies at the address of its own id, and is among the tenants of its organization. */
const checkTenant: Check = (item, byName) => {
  const [id, orgId] = [item.id?.S ?? '', item.orgId?.S ?? '']
  if (tenantAddress(id).pk !== item.pk?.S) return [`${nameOf(item)}: is not its tenant's`]
  const known = byName.has(nameOf(toItem({ pk: organizationTenants(orgId), sk: id })))
  return known ? [] : [`${nameOf(item)}: its organization does not know it`]
}

/** What a removed tenant may have left that expires. */
const EXPIRING =
  /^(mark|idempotency|answer-piece|openid4vci-nonce|count|corrupt-item|deleted-record|record [^|]+\|OpenId4VcStatusRevocation.*)$/

/** What only a scan of an operator finds: schemas without a definition, of deleted sessions and connections, and versions of third parties. */
const SCANNED = /^(status-index|webvh-seen|webvh-resource|(?:record|entry) [^|]+\|AnonCredsSchemaRecord\|.*)$/

/** The mark of a removed tenant is its only item that others can find; what it had is gone when its phases are over. */
const checkRemoved: Check = (item, byName) => {
  const mark = attempt(() => removedTenantItem.decode(item))
  if (mark === undefined) return [`${nameOf(item)}: not a mark`]
  const problems = misaddressed(item, removedTenantItem.addressOf(mark))
  const { id, removedAt: _, keep, expiresAt, ...running } = mark
  if (running.phase === undefined) {
    if (Object.values(running).some((value) => value !== undefined)) problems.push(`${nameOf(item)}: says more`)
    if ((keep === undefined) === (expiresAt === undefined)) problems.push(`${nameOf(item)}: ${keep}, and its expiry`)
  }
  const listed = [...byName.values()].some((one) => kindOf(one) === 'organization-tenant' && one.sk?.S === id)
  if (listed) problems.push(`${nameOf(item)}: its organization knows it`)
  if (running.phase !== undefined || keep !== undefined) return problems
  return [...problems, ...leftovers(id, byName).map((one) => `${nameOf(item)}: has left ${one}`)]
}

const leftovers = (id: string, byName: Map<string, Item>): string[] =>
  [...byName].flatMap(([name, item]) => {
    const kind = kindOf(item)
    const what = kind === 'record' || kind === 'entry' ? `${kind} ${item.pk?.S}` : kind
    if (kind === 'invitation' || kind === 'openid-id')
      return item.tenant?.S === id && item.expiresAt === undefined ? [name] : []
    const isAllowed = SCANNED.test(what) || (item.expiresAt !== undefined && EXPIRING.test(what))
    return name.startsWith(`${id}|`) && !isAllowed ? [name] : []
  })

/** An event lies where its time and id say, its state fits the attempts that it had, and it is in its lane while it is pending. */
const checkEvent: Check = (item, byName) => {
  const event = attempt(() => eventItem.decode(item))
  if (event === undefined) return [`${nameOf(item)}: not an event`]
  const { state, position } = event
  const problems = misaddressed(item, eventItem.addressOf(event))
  const pending = state === 'pending'
  if (state === 'delivered' && event.attempts === 0) problems.push(`${nameOf(item)}: delivered without an attempt`)
  if (pending === (event.expiresAt !== undefined)) problems.push(`${nameOf(item)}: ${state}, and its expiry`)
  if (pending === (position === undefined)) problems.push(`${nameOf(item)}: ${state}, and its position`)
  const lane = position === undefined ? undefined : pendingEventItem.addressOf({ ...event, position })
  if (lane !== undefined && !byName.has(nameOf(toItem(lane)))) problems.push(`${nameOf(item)}: not in its lane`)
  return problems
}

const checkPendingEvent: Check = (item) => {
  const event = attempt(() => pendingEventItem.decode(item))
  if (event === undefined) return [`${nameOf(item)}: not a pending event`]
  const expires = item.expiresAt !== undefined ? [`${nameOf(item)}: pending, and its expiry`] : []
  return [...misaddressed(item, pendingEventItem.addressOf(event)), ...expires]
}

/** An attempt is one at an event, unless the events of its endpoint are gone with it. */
const checkAttempt: Check = (item, byName) => {
  const made = attempt(() => attemptItem.decode(item))
  if (made === undefined) return [`${nameOf(item)}: not an attempt`]
  const occurredAt = occurredAtOf(made.eventId)
  const event = occurredAt && eventItem.addressOf({ ...made, id: made.eventId, occurredAt })
  const lost = event && !byName.has(nameOf(toItem(event))) && hasEndpoint(made.endpointId, byName)
  return [...misaddressed(item, attemptItem.addressOf(made)), ...(lost ? [`${nameOf(item)}: has no event`] : [])]
}

const hasEndpoint = (id: string, byName: Map<string, Item>): boolean =>
  [...byName.values()].some((item) => kindOf(item) === 'registration' && item.id?.S === id)

/** What waits in an outbox has no expiry, something to send, and no outcome yet. */
const checkOutbox: Check = (item, byName) => {
  const waiting = attempt(() => outboxItem.decode(item))
  if (waiting === undefined) return [`${nameOf(item)}: no item of an outbox`]
  const problems = misaddressed(item, outboxItem.addressOf(waiting))
  if (item.expiresAt !== undefined) problems.push(`${nameOf(item)}: waits, and expires`)
  if (waiting.taken >= waiting.messages.length) problems.push(`${nameOf(item)}: waits, and has nothing to send`)
  if (byName.has(nameOf(toItem(outcomeItem.addressOf(waiting)))))
    problems.push(`${nameOf(item)}: has an outcome already`)
  return problems
}

const checkOutcome: Check = (item) => {
  const outcome = attempt(() => outcomeItem.decode(item))
  if (outcome === undefined) return [`${nameOf(item)}: not an outcome`]
  return misaddressed(item, outcomeItem.addressOf(outcome))
}

/** A queue knows how much waits in it, and has the job that gives up what is not fetched. */
const checkQueue: Check = (item, byName) => {
  const queue = attempt(() => queueItem.decode(item))
  if (queue === undefined) return [`${nameOf(item)}: not a queue`]
  const waiting = [...byName.values()].filter((one) => one.pk?.S === item.pk?.S && kindOf(one) === 'pickup-message')
  const bytes = waiting.reduce((sum, one) => sum + Buffer.byteLength(pickupMessage.decode(one).payload), 0)
  const job = jobItem.addressOf({ tenant: queue.tenant, type: 'pickup-expiry', id: queue.connectionId })
  return [
    ...misaddressed(item, queueItem.addressOf(queue)),
    ...(queue.messages === waiting.length && queue.bytes === bytes
      ? []
      : [
          `${nameOf(item)}: counts ${queue.messages} messages of ${queue.bytes} bytes, not ${waiting.length}, ${bytes}`,
        ]),
    ...(byName.has(nameOf(toItem(job))) ? [] : [`${nameOf(item)}: has no job`]),
  ]
}

/** What waits has a queue, and no outcome yet. */
const checkQueued: Check = (item, byName) => {
  const message = attempt(() => pickupMessage.decode(item))
  if (message === undefined) return [`${nameOf(item)}: not a message that waits`]
  const problems = misaddressed(item, pickupMessage.addressOf(message))
  if (!byName.has(nameOf(toItem(queueItem.addressOf(message))))) problems.push(`${nameOf(item)}: has no queue`)
  if (byName.has(nameOf(toItem(outcomeItem.addressOf(message)))))
    problems.push(`${nameOf(item)}: has an outcome already`)
  return problems
}

/** A share knows how much waits in its queues. */
const checkUsage: Check = (item, byName) => {
  const queues = [...byName.values()]
    .filter((one) => kindOf(one) === 'pickup-queue')
    .map((one) => queueItem.decode(one))
    .filter((queue) => usageItem.addressOf(queue).pk === item.pk?.S)
  const messages = queues.reduce((sum, queue) => sum + queue.messages, 0)
  const bytes = queues.reduce((sum, queue) => sum + queue.bytes, 0)
  return item.messages?.N === String(messages) && item.bytes?.N === String(bytes)
    ? []
    : [`${nameOf(item)}: counts ${item.messages?.N} messages, not ${messages}`]
}

/** A lane, like a destination, is in the index of what is due with both of its attributes or with none. */
const checkLane: Check = (item) => {
  const lane = attempt(() => laneItem.decode(item))
  if (lane === undefined) return [`${nameOf(item)}: not a lane`]
  return [...misaddressed(item, laneItem.addressOf(lane)), ...halfDue(item)]
}

const checkDestination: Check = (item) => {
  const destination = attempt(() => destinationItem.decode(item))
  if (destination === undefined) return [`${nameOf(item)}: not a destination`]
  return [...misaddressed(item, destinationItem.addressOf(destination)), ...halfDue(item)]
}

const halfDue = (item: Item): string[] =>
  (item.dueAt === undefined) === (item.dueShard === undefined) ? [] : [`${nameOf(item)}: is half in the index`]

/** No sweep finds a lane that waits for a destination which is not in the index. */
const checkWaiting: Check = (item, byName) => {
  const destination = byName.get(`${item.pk?.S?.replace(/\|waiting\|\d+$/, '')} ${SINGLE_SORT_KEY}`)
  return destination?.dueAt === undefined ? [`${nameOf(item)}: waits for a destination that is not due`] : []
}

const misaddressed = (item: Item, { pk, sk }: { pk: string; sk: string }): string[] =>
  nameOf(item) === `${pk} ${sk}` ? [] : [`${nameOf(item)}: is not at its address`]

const CHECKS: Record<string, Check> = {
  record: checkRecord,
  entry: checkEntry,
  key: checkKey,
  'issuer-did': checkIssuerDid,
  invitation: checkInvitation,
  tenant: checkTenant,
  'removed-tenant': checkRemoved,
  event: checkEvent,
  attempt: checkAttempt,
  'pending-event': checkPendingEvent,
  outbox: checkOutbox,
  'outbox-outcome': checkOutcome,
  'pickup-queue': checkQueue,
  'pickup-message': checkQueued,
  'pickup-usage': checkUsage,
  lane: checkLane,
  destination: checkDestination,
  'waiting-lane': checkWaiting,
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
