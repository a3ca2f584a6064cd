/** What records belong to (`belongsTo` of their description), and how those of an owner are found. */
import { isObject } from '../json.ts'
import { PENDING_DID } from './record-json.ts'

/** A record, an item by its kind, or `tenant`, with what belongs to it. */
export interface Owner {
  tenant: string
  /** Type of the record, or kind of the item. */
  type: string
  id: string
  value: Record<string, unknown>
}

/** All records of the type, in the list of all. */
export const OF_TENANT = { tenant: () => ({ '*': '*' }) }

export const OF_CONNECTION = { ConnectionRecord: ({ id }: Owner) => ({ connectionId: id }) }

const ofExchange = ({ id }: Owner) => ({ associatedRecordId: id })
export const OF_EXCHANGE = { CredentialRecord: ofExchange, ProofRecord: ofExchange }

const textsIn = (...values: unknown[]): string[] => values.flat().filter((one) => typeof one === 'string')

type Value = Readonly<Record<string, unknown>>

/** The DIDs of this agent in a connection, with former ones. */
export const ownDidsOf = ({ did, previousDids }: Value): string[] => textsIn(did, previousDids)

/** The DIDs of a connection, of this agent and of the other one, with former ones and one that it has not confirmed. */
export const didsOfConnection = (value: Value): string[] =>
  textsIn(...ownDidsOf(value), value.theirDid, value.previousTheirDids, pendingDid(value.metadata))

const pendingDid = (metadata: unknown): unknown => {
  const pending = isObject(metadata) ? metadata[PENDING_DID] : undefined
  return isObject(pending) ? pending.did : undefined
}

const servicesIn = ({ role, outOfBandInvitation }: Value): unknown[] =>
  role === 'sender' && isObject(outOfBandInvitation) ? [outOfBandInvitation.services].flat() : []

/** Of an invitation of this agent: the DIDs that are its services, and the did:keys of its inline services. */
export const didsOfInvitation = (value: Value): string[] =>
  servicesIn(value).flatMap((service) => textsIn(isObject(service) ? service.recipientKeys : service))

const anyOf = (dids: string[]) => ({ $or: dids.map((did) => ({ did })) })

/** The records of DIDs that connections and invitations name. */
export const BY_NAMES = {
  ConnectionRecord: ({ value }: Owner) => anyOf(didsOfConnection(value)),
  OutOfBandRecord: ({ value }: Owner) => anyOf(didsOfInvitation(value)),
}
