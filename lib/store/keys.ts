/**
 * Keys of items. Only this file, anoncreds-keys.ts and pickup-keys.ts build keys. A part that starts with `@` is never
 * a tenant's id.
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

export const keyAddress = (tenant: string, keyId: string): Address => address(`${tenant}|key|${keyId}`)

/** The sealed data key of a scope. */
export const dataKeyAddress = (scope: string): Address => address(`${scope}|data-key`)

/** The mark of an inbound message: in a new envelope it has the same sender key and `@id`. */
export const messageMarkAddress = (tenant: string, sender: string, messageId: string): Address =>
  address(`${tenant}|message|${digest(`${sender} ${messageId}`)}`)

/** A piece of a response that is too large for the mark of its message. */
export const responsePieceAddress = (piece: { markPk: string; number: number }): Address =>
  address(piece.markPk, String(piece.number))

/** Idempotency keys are separate for each caller. A key contains no space. */
export const idempotencyAddress = (tenant: string, subject: string, key: string): Address =>
  address(`${tenant}|idempotency|${digest(`${subject} ${key}`)}`)

/** A count of an agent in a window of time. */
export const countAddress = ({ tenant, of, window }: { tenant: string; of: string; window: number }): Address =>
  address(`${tenant}|count|${of}|${window}`)

export const tenantAddress = (tenant: string): Address => address(`@tenant|${tenant}`)

/** What points to the record of an invitation by its `@id`, because its reader does not know the tenant. */
export const invitationAddress = ({ id }: { id: string }): Address => address(`@invitation|${digest(id)}`)

/** What leads from a public id of OpenID4VC to its tenant. It is in the addresses that wallets call. */
export const publicIdAddress = ({ publicId }: { publicId: string }): Address => address(`@openid|${digest(publicId)}`)

/** The claims that a wallet has disclosed in a verification session. */
export const presentationResultAddress = ({ tenant, sessionId }: { tenant: string; sessionId: string }): Address =>
  address(`${tenant}|openid4vp-result|${sessionId}`)

/** The claims of an offer until its credentials are issued. */
export const issuanceClaimsAddress = ({ tenant, sessionId }: { tenant: string; sessionId: string }): Address =>
  address(`${tenant}|openid4vci-claims|${sessionId}`)

/** The mark of a nonce that a wallet has used. */
export const nonceMarkAddress = ({ tenant, nonce }: { tenant: string; nonce: string }): Address =>
  address(`${tenant}|openid4vci-nonce|${digest(nonce)}`)

/** Partition of an issuer's status lists: those of its own in their order, and those that the tenant has named. */
export const statusListsPartition = (tenant: string, issuerId: string): string => `${tenant}|status-lists|${issuerId}`

export const statusListAddress = (key: { tenant: string; issuerId: string; place: string }): Address =>
  address(statusListsPartition(key.tenant, key.issuerId), key.place)

/** Partition of the pieces of a status list; a piece that is not there is all valid. */
export const statusPiecesPartition = (tenant: string, listId: string): string => `${tenant}|status-list|${listId}`

export const statusPieceAddress = (key: { tenant: string; listId: string; piece: number }): Address =>
  address(statusPiecesPartition(key.tenant, key.listId), String(key.piece).padStart(2, '0'))

/** The mark of an index of a status list that a credential has. */
export const statusIndexAddress = (key: { tenant: string; listId: string; index: number }): Address =>
  address(`${key.tenant}|status-index|${key.listId}|${key.index}`)

/** The keys that a token issuer serves at an address. */
export const issuerKeysAddress = ({ jwksUri }: { jwksUri: string }): Address =>
  address(`@issuer-keys|${digest(jwksUri)}`)

/** Partition of an organization's tenants, by id. */
export const organizationTenants = (orgId: string): string => `@org|${orgId}|tenants`

/** Partition of an organization's registrations, and the scope of its data key. */
export const organizationPartition = (orgId: string): string => `@org|${orgId}`

/** An organization's endpoint of a kind. */
export const endpointAddress = (orgId: string, kind: string): Address => address(organizationPartition(orgId), kind)

/** The address that signing secrets are sealed for, current and previous ones. */
export const secretAddress = (orgId: string, kind: string): string => `${organizationPartition(orgId)}|${kind}`

/** One of a few slots for pending registrations. */
export const pendingAddress = (orgId: string, slot: number): Address =>
  address(organizationPartition(orgId), `notification#pending#${slot}`)

/** A decoy: written in place of a registration that is not stored. */
export const decoyAddress = (number: number): Address => address(`@decoy|${number}`)

/** A JSON-LD context that a verifier trusts, by the digest of its text. */
export const contextAddress = (context: { scope: string; digest: string }): Address =>
  address(`${context.scope}|context|${context.digest}`)

/** The agent's default issuer DID. */
export const issuerDidAddress = (tenant: string): Address => address(`${tenant}|issuer-did`)

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

/** The list of an endpoint is sharded, because a partition takes at most 1,000 writes a second. */
const ENDPOINT_SHARDS = 8

/** Partitions of an endpoint's events at rest, and of the attempts at its events, sorted by time. */
export const eventPartitions = (endpointId: string): string[] =>
  Array.from({ length: ENDPOINT_SHARDS }, (_, shard) => `@endpoint|${endpointId}|events|${shard}`)

/** The partition of an event and of the attempts at it. */
const eventPartition = (endpointId: string, id: string): string =>
  eventPartitions(endpointId)[shardOf(id, ENDPOINT_SHARDS)] ?? ''

export const eventAddress = ({
  endpointId,
  occurredAt,
  id,
}: {
  endpointId: string
  occurredAt: string
  id: string
}): Address => address(eventPartition(endpointId, id), `${occurredAt}#${id}`)

export const attemptAddress = ({
  endpointId,
  startedAt,
  eventId,
  attempt,
}: {
  endpointId: string
  startedAt: string
  eventId: string
  attempt: number
}): Address => address(eventPartition(endpointId, eventId), `${startedAt}#${eventId}#${attempt}`)

/** Partition of parked changes, by sequence number. */
export const PARKED_CHANGES = '@parked'

/** Sorted in the order of the stream: sequence numbers are padded to their maximum length. */
export const parkedAddress = ({ sequence, part }: { sequence: string; part: number }): Address =>
  address(PARKED_CHANGES, `${sequence.padStart(40, '0')}#${String(part).padStart(2, '0')}`)

/** The last heartbeat of the table's stream: as it was sent, and as it came through. */
export const heartbeatAddress = (which: 'sent' | 'received'): Address => address('@heartbeat', which)

/** The number of started dispatches of a change. */
export const dispatchTriesAddress = ({ sequence }: { sequence: string }): Address => address(`@dispatch|${sequence}`)
