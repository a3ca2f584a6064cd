/** The keys of items: only this file, anoncreds-keys.ts and pickup-keys.ts write keys. A part that starts with `@` is never a tenant's: ids have no `@` in them. */
import { createHash } from 'node:crypto'
import { AgentError } from '../errors.ts'
import type { RegistrationKind } from '../records/registration.ts'

export interface Address {
  pk: string
  sk: string
}

/** Sort key of items that are alone in their partition. */
export const ALONE = '-'

/** Values of any length in keys: SHA-256 in base64url. A did:peer:4 is over 1 KB, a key at most 2 KB. */
export const digest = (value: string): string => createHash('sha256').update(value).digest('base64url')

/** The shard that an id is in, of so many (256 at most): always the same one. */
export const shardOf = (id: string, shards: number): number =>
  (createHash('sha256').update(id).digest()[0] ?? 0) % shards

export const recordAddress = (tenant: string, type: string, id: string): Address => ({
  pk: `${tenant}|${type}|${id}`,
  sk: ALONE,
})

/** What a record's address says of it. */
export const recordKeyOf = (pk: string): { tenant: string; type: string; id: string } => {
  const [tenant, type, id] = pk.split('|')
  if (!tenant || !type || !id) throw new AgentError('internal', `no record at ${pk}`)
  return { tenant, type, id }
}

/** The index entries of one tag value. */
export const entryPartition = (tenant: string, type: string, tag: string, value: string): string =>
  `${tenant}|${type}|${tag}|${digest(value)}`

/** Entries of a partition are in the order of their records' creation, then by id. `createdAt`: ISO 8601. */
export const entryAddress = (pk: string, createdAt: unknown, id: string): Address => ({ pk, sk: `${createdAt}#${id}` })

/** Where the record of an entry is. */
export const recordOfEntry = ({ pk, sk }: Address): Address => {
  const [tenant, type] = pk.split('|')
  const [, id] = sk.split('#')
  if (tenant === undefined || type === undefined || id === undefined)
    throw new AgentError('internal', `no entry at ${pk} ${sk}`)
  return recordAddress(tenant, type, id)
}

export const keyAddress = (tenant: string, keyId: string): Address => ({ pk: `${tenant}|key|${keyId}`, sk: ALONE })

/** A sealed data key, which seals what belongs to `scope`. */
export const dataKeyAddress = (scope: string): Address => ({ pk: `${scope}|data-key`, sk: ALONE })

/** The mark of an inbound envelope; `envelope` is its ciphertext and tag. */
export const envelopeMarkAddress = (tenant: string, envelope: string): Address => ({
  pk: `${tenant}|inbound|${digest(envelope)}`,
  sk: ALONE,
})

/** The mark of an inbound message: the same message in a new envelope has the same sender key and `@id`. */
export const messageMarkAddress = (tenant: string, sender: string, messageId: string): Address => ({
  pk: `${tenant}|message|${digest(`${sender} ${messageId}`)}`,
  sk: ALONE,
})

/** A piece of an answer that is too large for the mark of its envelope. */
export const answerPieceAddress = (piece: { markPk: string; number: number }): Address => ({
  pk: piece.markPk,
  sk: String(piece.number),
})

/** An `Idempotency-Key` is its caller's own; a key has no space in it. */
export const idempotencyAddress = (tenant: string, subject: string, key: string): Address => ({
  pk: `${tenant}|idempotency|${digest(`${subject} ${key}`)}`,
  sk: ALONE,
})

/** How many strangers have asked for a connection in a minute (since the epoch); a shard of the count. */
export const strangersAddress = (tenant: string, minute: number, shard: number): Address => ({
  pk: `${tenant}|strangers|${minute}|${shard}`,
  sk: ALONE,
})

export const tenantAddress = (tenant: string): Address => ({ pk: `@tenant|${tenant}`, sk: ALONE })

/** An invitation of any of our agents, by its `@id`: whoever opens it names no tenant. */
export const invitationAddress = ({ id }: { id: string }): Address => ({ pk: `@invitation|${digest(id)}`, sk: ALONE })

/** The keys that an issuer of tokens serves at an address. */
export const issuerKeysAddress = ({ jwksUri }: { jwksUri: string }): Address => ({
  pk: `@issuer-keys|${digest(jwksUri)}`,
  sk: ALONE,
})

/** The tenants of an organization, by their ids. */
export const organizationTenants = (orgId: string): string => `@org|${orgId}|tenants`

/** All registrations of an organization; the scope of its data key too. */
export const organizationPartition = (orgId: string): string => `@org|${orgId}`

/** An organization's endpoint of a kind. */
export const endpointAddress = (orgId: string, kind: RegistrationKind): Address => ({
  pk: organizationPartition(orgId),
  sk: kind,
})

/** A signing secret opens at this address only, whether it is the endpoint's current or previous one. */
export const secretAddress = (orgId: string, kind: RegistrationKind): string =>
  `${organizationPartition(orgId)}|${kind}`

/** One of the few slots for registrations that wait for a token. */
export const pendingAddress = (orgId: string, slot: number): Address => ({
  pk: organizationPartition(orgId),
  sk: `notification#pending#${slot}`,
})

/** An item that stands for nothing. */
export const decoyAddress = (number: number): Address => ({ pk: `@decoy|${number}`, sk: ALONE })

/** A JSON-LD context that a verifier trusts, by the digest of its text. */
export const contextAddress = (context: { scope: string; digest: string }): Address => ({
  pk: `${context.scope}|context|${context.digest}`,
  sk: ALONE,
})

/** The DID that an agent issues with. */
export const issuerDidAddress = (tenant: string): Address => ({ pk: `${tenant}|issuer-did`, sk: ALONE })

/** A job that is to be done for an agent. */
export const jobAddress = ({ tenant, type, id }: { tenant: string; type: string; id: string }): Address => ({
  pk: `${tenant}|job|${type}|${id}`,
  sk: ALONE,
})

/** The job whose item has this partition key; undefined where it is no job's. */
export const jobKeyOf = (pk: string): { tenant: string; type: string; id: string } | undefined => {
  const [tenant = '', job, type = '', id = '', ...rest] = pk.split('|')
  return tenant !== '' && job === 'job' && type !== '' && id !== '' && rest.length === 0
    ? { tenant, type, id }
    : undefined
}

/** The type of a connection's record. */
export const CONNECTION = 'ConnectionRecord'
export const DID = 'DidRecord'

/**
 * What of a lane waits to be delivered, in order: the lane's name is its partition. That of messages is the partition of their connection's
 * record, so that one request reads the record and the end of the lane.
 */
export const messageLane = (tenant: string, connectionId: string): string =>
  recordAddress(tenant, CONNECTION, connectionId).pk

/** Whose messages wait in a lane; undefined for another lane. */
export const messageLaneOf = (lane: string): { tenant: string; connectionId: string } | undefined => {
  const [tenant = '', type, connectionId = '', ...rest] = lane.split('|')
  return tenant !== '' && type === CONNECTION && connectionId !== '' && rest.length === 0
    ? { tenant, connectionId }
    : undefined
}

/** Sort keys of what waits are UUIDs: they come after the record's own. */
export const FIRST_WAITING = '0'

export const eventLane = (orgId: string, endpointId: string, recordId: string): string =>
  `@outbox|${orgId}|${endpointId}|${recordId}`

const EVENT_LANE = /^@outbox\|([^|]+)\|([^|]+)\|([^|]+)$/

/** Of which record events wait in a lane, and for which endpoint; undefined for another lane. */
export const eventLaneOf = (lane: string): { orgId: string; endpointId: string; recordId: string } | undefined => {
  const [, orgId, endpointId, recordId] = EVENT_LANE.exec(lane) ?? []
  return orgId === undefined || endpointId === undefined || recordId === undefined
    ? undefined
    : { orgId, endpointId, recordId }
}

/** Whose lane it is: a tenant's, or a webhook endpoint's. */
export const laneOwner = (lane: string): string => {
  const [first = '', ...rest] = lane.split('|')
  return first === '@outbox' ? rest.slice(0, 2).join('|') : first
}

/** The state of a lane: its lease, its retries. */
export const laneAddress = (lane: string): Address => ({ pk: `${lane}|lane`, sk: ALONE })

/** The destination of an endpoint's events: the endpoint itself, never its URL, for organizations share nothing. */
export const endpointDestination = (endpointId: string): string => `endpoint|${endpointId}`

/** An item that could not be read, taken from where it was. */
export const corruptAddress = ({ pk, sk }: Address): Address => ({ pk: `@corrupt|${digest(`${pk} ${sk}`)}`, sk: ALONE })

/** What can be down: an origin, a webhook endpoint. */
export const destinationAddress = (destination: string): Address => ({
  pk: `@destination|${digest(destination)}`,
  sk: ALONE,
})

export const waitingPartition = (destination: string, shard: number): string =>
  `@destination|${digest(destination)}|waiting|${shard}`

export const waitingAddress = (destination: string, shard: number, position: string): Address => ({
  pk: waitingPartition(destination, shard),
  sk: position,
})

export const slotAddress = (destination: string, slot: number): Address => ({
  pk: `@destination|${digest(destination)}|slot|${slot}`,
  sk: ALONE,
})

/** What has become of the messages to a connection. */
export const outcomeAddress = (tenant: string, connectionId: string, id: string): Address => ({
  pk: `${tenant}|delivery|${connectionId}`,
  sk: id,
})

/** What an endpoint has is spread, so that its events are not bound to the 1,000 writes a second of one partition. */
const ENDPOINT_SHARDS = 8

const endpointPartitions = (endpointId: string, list: string): string[] =>
  Array.from({ length: ENDPOINT_SHARDS }, (_, shard) => `@endpoint|${endpointId}|${list}|${shard}`)

/** All events of an endpoint, by when they occurred. */
export const eventPartitions = (endpointId: string): string[] => endpointPartitions(endpointId, 'events')

export const eventAddress = ({
  endpointId,
  occurredAt,
  id,
}: {
  endpointId: string
  occurredAt: string
  id: string
}): Address => ({
  pk: eventPartitions(endpointId)[shardOf(id, ENDPOINT_SHARDS)] ?? '',
  sk: `${occurredAt}#${id}`,
})

/** All attempts at an endpoint, by when they started. */
export const attemptPartitions = (endpointId: string): string[] => endpointPartitions(endpointId, 'attempts')

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
}): Address => ({
  pk: attemptPartitions(endpointId)[shardOf(eventId, ENDPOINT_SHARDS)] ?? '',
  sk: `${startedAt}#${eventId}#${attempt}`,
})

/** Changes of the stream that could not be dispatched, by their sequence numbers. */
export const PARKED_CHANGES = '@parked'

/** In the order of the stream: digits are as many as a sequence number may have. */
export const parkedAddress = ({ sequence, part }: { sequence: string; part: number }): Address => ({
  pk: PARKED_CHANGES,
  sk: `${sequence.padStart(40, '0')}#${String(part).padStart(2, '0')}`,
})

/** How often the dispatch of a change was begun. */
export const dispatchTriesAddress = ({ sequence }: { sequence: string }): Address => ({
  pk: `@dispatch|${sequence}`,
  sk: ALONE,
})
