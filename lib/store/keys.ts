/**
 * How keys are made, and those of the store's own items. A key is written where its item is described (`defineItem`). A
 * part that starts with `@` is never a tenant's id.
 */
import { hash } from 'node:crypto'
import { AgentError } from '../errors.ts'

export interface Address {
  pk: string
  sk: string
}

/** Sort key of the only item in a partition, or of the one after all others. */
export const ALONE = '~'

export const address = (pk: string, sk = ALONE): Address => ({ pk, sk })

/** Shortens values for keys, which have at most 2 KB: SHA-256 in base64url. A did:peer:4 is over 1 KB. */
export const digest = (value: string): string => hash('sha256', value, 'base64url')

/** The shard of an id, always the same. `shards`: at most 256. */
export const shardOf = (id: string, shards: number): number => (hash('sha256', id, 'buffer')[0] ?? 0) % shards

/** The version of the table's layout, at the same address in all layouts. */
export const layoutAddress = address('@layout', '-')

export const recordAddress = (tenant: string, type: string, id: string): Address => address(`${tenant}|${type}|${id}`)

/** The record of an item or an index entry, by its address. */
export const recordKeyOf = ({ pk, sk }: Address): { tenant: string; type: string; id: string } => {
  const [tenant, type, own] = pk.split('|')
  const id = sk === ALONE ? own : sk.split('#')[1]
  if (!tenant || !type || !id) throw new AgentError('internal', `no record at ${pk} ${sk}`)
  return { tenant, type, id }
}

/** Partition of the index entries of a tag value. */
export const entryPartition = (tenant: string, type: string, tag: string, value: string): string =>
  `${tenant}|${type}|${tag}|${digest(value)}`

/** Entries of a partition are sorted by creation of their records, then by id. `createdAt`: ISO 8601. */
export const entryAddress = (pk: string, createdAt: unknown, id: string): Address => address(pk, `${createdAt}#${id}`)

/** Address of a basic message, in the list of its connection. */
export const basicMessageAddress = (tenant: string, connectionId: string, createdAt: string, id: string): Address =>
  entryAddress(entryPartition(tenant, 'BasicMessageRecord', 'connectionId', connectionId), createdAt, id)

/** Address of the record of an index entry. */
export const recordOfEntry = (entry: Address): Address => {
  const { tenant, type, id } = recordKeyOf(entry)
  return recordAddress(tenant, type, id)
}

/** The sealed data key of a scope. */
export const dataKeyAddress = (scope: string): Address => address(`${scope}|data-key`)

/** The mark of an inbound message: in a new envelope it has the same sender key and `@id`. */
export const messageMarkAddress = (tenant: string, sender: string, messageId: string): Address =>
  address(`${tenant}|message|${digest(`${sender} ${messageId}`)}`)

/** Idempotency keys are separate for each caller. A key contains no space. */
export const idempotencyAddress = (tenant: string, subject: string, key: string): Address =>
  address(`${tenant}|idempotency|${digest(`${subject} ${key}`)}`)

/** A job of an agent. */
export const jobAddress = ({ tenant, type, id }: { tenant: string; type: string; id: string }): Address =>
  address(`${tenant}|job|${type}|${id}`)

/** Parses the partition key of a job; undefined for any other key. */
export const jobKeyOf = (pk: string): { tenant: string; type: string; id: string } | undefined => {
  const [tenant = '', job, type = '', id = '', ...rest] = pk.split('|')
  return tenant !== '' && job === 'job' && type !== '' && id !== '' && rest.length === 0
    ? { tenant, type, id }
    : undefined
}

/** The type of a connection's record. */
export const CONNECTION = 'ConnectionRecord'

/**
 * The lane of messages to a connection. A lane's name is the partition of its waiting items. This one is the partition
 * of the connection's record, so that one request reads the record and the end of the lane. `did`: the digest of a DID
 * to which the other agent has rotated, whose messages wait for none of another DID.
 */
export const messageLane = (tenant: string, connectionId: string, did?: string): string =>
  [recordAddress(tenant, CONNECTION, connectionId).pk, ...(did === undefined ? [] : [did])].join('|')

/** Parses the name of a message lane; undefined for another lane. */
export const messageLaneOf = (lane: string): { tenant: string; connectionId: string; did?: string } | undefined => {
  const [tenant = '', type, connectionId = '', did, ...rest] = lane.split('|')
  return tenant !== '' && type === CONNECTION && connectionId !== '' && did !== '' && rest.length === 0
    ? { tenant, connectionId, ...(did !== undefined && { did }) }
    : undefined
}

/** End of the range of waiting items: all before the record. */
export const LAST_WAITING = '}'

export const eventLane = (orgId: string, endpointId: string, recordId: string): string =>
  `@outbox|${orgId}|${endpointId}|${recordId}`

const EVENT_LANE = /^@outbox\|([^|]+)\|([^|]+)\|([^|]+)$/

/** Parses the name of an event lane; undefined for another lane. */
export const eventLaneOf = (lane: string): { orgId: string; endpointId: string; recordId: string } | undefined => {
  const [, orgId, endpointId, recordId] = EVENT_LANE.exec(lane) ?? []
  return orgId === undefined || endpointId === undefined || recordId === undefined
    ? undefined
    : { orgId, endpointId, recordId }
}

/** The owner of a lane: a tenant, or a webhook endpoint. */
export const laneOwner = (lane: string): string => {
  const [first = '', ...rest] = lane.split('|')
  return first === '@outbox' ? rest.slice(0, 2).join('|') : first
}

/** The state of a lane: lease and retries. */
export const laneAddress = (lane: string): Address => address(`${lane}|lane`)

/** The destination of an endpoint's events: its id, not its URL, because organizations share nothing. */
export const endpointDestination = (endpointId: string): string => `endpoint|${endpointId}`

/** An unreadable item that was moved here from this address. */
export const corruptAddress = ({ pk, sk }: Address): Address => address(`@corrupt|${digest(`${pk} ${sk}`)}`)

/**
 * The origin of a destination that is an address (`<origin>#<digest>`). An origin and a webhook endpoint are their own.
 */
export const originOf = (destination: string): string => destination.split('#', 1)[0] ?? destination

/** A destination: an origin, an address of it, or a webhook endpoint. */
export const destinationAddress = (destination: string): Address => address(`@destination|${digest(destination)}`)

export const waitingPartition = (destination: string, shard: number): string =>
  `@destination|${digest(destination)}|waiting|${shard}`

export const waitingAddress = (destination: string, shard: number, position: string): Address =>
  address(waitingPartition(destination, shard), position)

export const slotAddress = (destination: string, slot: number): Address =>
  address(`@destination|${digest(destination)}|slot|${slot}`)

/** Outcome of messages to a connection. */
export const outcomeAddress = (tenant: string, connectionId: string, id: string): Address =>
  address(`${tenant}|delivery|${connectionId}`, id)

/** The last heartbeat of the table's stream: as it was sent, and as it came through. */
export const heartbeatAddress = (which: 'sent' | 'received'): Address => address('@heartbeat', which)
