/** Keys of lanes, destinations, waiting lists, slots, outcomes and jobs. */
import type { Owner } from '../../records/owners.ts'
import { didsOfConnection } from '../../records/owners.ts'
import { type Address, address, digest, entryAddress, entryPartition, recordAddress } from '../../store/keys.ts'

/** Types of jobs that delete for good: they have a queue and a function of their own. */
export const REMOVALS = ['tenant-removal', 'connection-removal'] as const

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

/** Address of a basic message, in the list of its connection. */
export const basicMessageAddress = (tenant: string, connectionId: string, createdAt: string, id: string): Address =>
  entryAddress(entryPartition(tenant, 'BasicMessageRecord', 'connectionId', connectionId), createdAt, id)

/** The type of a connection's record. */
export const CONNECTION = 'ConnectionRecord'

/**
 * The lane of messages to a connection. The name of a lane is the partition key of its items. This one is also that of
 * the connection's record, so that one request reads the record and the end of the lane. `did`: the digest of a DID to
 * which the other agent has rotated; messages to it do not wait for those to another DID.
 */
export const messageLane = (tenant: string, connectionId: string, did?: string): string =>
  [recordAddress(tenant, CONNECTION, connectionId).pk, ...(did === undefined ? [] : [did])].join('|')

/** The lanes of a connection: one for each DID that its other agent has had. */
export const lanesOf = ({ tenant, id, value }: Owner): string[] => [
  messageLane(tenant, id),
  ...didsOfConnection(value).map((did) => messageLane(tenant, id, digest(did))),
]

/** Parses the name of a message lane; undefined for another lane. */
export const messageLaneOf = (lane: string): { tenant: string; connectionId: string; did?: string } | undefined => {
  const [tenant = '', type, connectionId = '', did, ...rest] = lane.split('|')
  return tenant !== '' && type === CONNECTION && connectionId !== '' && did !== '' && rest.length === 0
    ? { tenant, connectionId, ...(did !== undefined && { did }) }
    : undefined
}

/** The last sort key of waiting items: the record itself is behind it. */
export const WAITING_ITEMS_END = '}'

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

/** The item of a lane: its lease and retries. */
export const laneAddress = (lane: string): Address => address(`${lane}|lane`)

/** The destination of a webhook endpoint: its id, not its URL, because organizations share no destination. */
export const endpointDestination = (endpointId: string): string => `endpoint|${endpointId}`

/** The origin of a destination that is an address (`<origin>#<digest>`); any other destination is its own origin. */
export const originOf = (destination: string): string => destination.split('#', 1)[0] ?? destination

/** A destination: an origin, an address of it, or a webhook endpoint. */
export const destinationAddress = (destination: string): Address => address(`@destination|${digest(destination)}`)

export const waitingPartition = (destination: string, shard: number): string =>
  `@destination|${digest(destination)}|waiting|${shard}`

export const waitingAddress = (destination: string, shard: number, position: string): Address =>
  address(waitingPartition(destination, shard), position)

export const slotAddress = (destination: string, slot: number): Address =>
  address(`@destination|${digest(destination)}|slot|${slot}`)

/** The outcome of a message that was given up. */
export const outcomeAddress = (tenant: string, connectionId: string, id: string): Address =>
  address(`${tenant}|delivery|${connectionId}`, id)

/** The last heartbeat that was sent, and the last one that the stream has delivered. */
export const heartbeatAddress = (which: 'sent' | 'received'): Address => address('@heartbeat', which)
