/** Finds the connection of a message, and checks that its sender is the current DID of the connection. */
import { type AgentContext, CredoError, DidRepository } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  type DidCommInboundMessageContext,
} from '@credo-ts/didcomm'
import { shortForm } from '../../records/did-forms.ts'
import { connectionRecords } from '../../records/kinds.ts'
import { tagPartition } from '../../store/index-entries.ts'
import { currentUnit } from '../../store/transaction.ts'
import { formsOf, hasDid, isKeyOf, newestDidsWithKey } from '../dids/index.ts'
import type { Ed25519Key } from '../keys/index.ts'

interface Keys {
  senderKey: Ed25519Key
  recipientKey: Ed25519Key
}

/**
 * The newest connection of our key, which usually has only one, with a DID of the sender's key. Credo expects one DID
 * for the sender's key: a third party could break the connection with a second document that has that key.
 */
export const connectionOfKeys = async (
  agentContext: AgentContext,
  keys: Keys,
): Promise<DidCommConnectionRecord | null> => {
  for await (const connection of connectionsOfKeys(agentContext, keys)) {
    if (!connection.isReady) continue
    if (await isKeyOf(agentContext, keys.senderKey, [connection.theirDid, ...connection.previousTheirDids]))
      return connection
  }
  return null
}

/**
 * Maximum number of DIDs of a sender to look up after the newest connections of our DID: each is a query
 * (docs/adr/0041-few-queries-for-the-dids-of-a-key.md).
 */
const MAX_DIDS = 4

/**
 * Connections of our key that the sender's key may belong to, newest first; none for an unknown sender. A DID of ours
 * may have thousands of connections: only the newest are read, and after them those with a DID of the sender. /
 */
export async function* connectionsOfKeys(
  agentContext: AgentContext,
  { senderKey, recipientKey }: Keys,
): AsyncGenerator<DidCommConnectionRecord> {
  if (!(await hasDid(agentContext, senderKey))) return
  const did = await ownDidOf(agentContext, recipientKey)
  if (did === undefined) return
  const repository = agentContext.resolve(DidCommConnectionRepository)
  const newest = await repository.findByQuery(agentContext, { $or: [{ did }, { previousDids: [did] }] })
  yield* newest.reverse()
  const unit = currentUnit()
  if (!unit.hasOlder(tagPartition(unit.tenant, connectionRecords, 'did', did))) return
  const senderDids = (await newestDidsWithKey(agentContext, senderKey, MAX_DIDS)).flatMap(formsOf)
  const connectionsOfSender = await Promise.all(
    senderDids.map((one) =>
      repository.findByQuery(agentContext, { $or: [{ theirDid: one }, { previousTheirDids: [one] }] }),
    ),
  )
  const ofOurs = connectionsOfSender.flat().filter((connection) => isOfDid(connection, did))
  yield* ofOurs.sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime())
}

/** Whether a message comes from the other agent's current DID. A former DID must not take over the connection. */
export const isOfCurrentDid = async (
  { agentContext, senderKey }: DidCommInboundMessageContext,
  { theirDid }: DidCommConnectionRecord,
): Promise<boolean> => senderKey !== undefined && isKeyOf(agentContext, senderKey, [theirDid])

/** The violation of a message from a former DID. Throws a CredoError for a message without a connection. */
export const formerDidViolation = async (inbound: DidCommInboundMessageContext): Promise<string | undefined> =>
  (await isOfCurrentDid(inbound, inbound.assertReadyConnection()))
    ? undefined
    : 'the sender is not the current DID of the connection'

/** The connection of a message. Throws a CredoError if the sender's DID is a former one. */
export const currentConnection = async (inbound: DidCommInboundMessageContext): Promise<DidCommConnectionRecord> => {
  const violation = await formerDidViolation(inbound)
  if (violation !== undefined) throw new CredoError(violation)
  return inbound.assertReadyConnection()
}

const ownDidOf = async (agentContext: AgentContext, key: Ed25519Key): Promise<string | undefined> =>
  (await agentContext.resolve(DidRepository).findCreatedDidByRecipientKey(agentContext, key))?.did

/** Whether a connection has, or had, this DID of ours, in any form of a did:peer:4. */
const isOfDid = ({ did, previousDids }: { did?: unknown; previousDids?: unknown }, own: string): boolean =>
  [did, previousDids].flat().some((one) => typeof one === 'string' && shortForm(one) === shortForm(own))

/** The connections for which our current or a former DID has this key. */
export const withOurKey = async (
  agentContext: AgentContext,
  key: Ed25519Key | undefined,
  connections: readonly DidCommConnectionRecord[],
): Promise<DidCommConnectionRecord[]> => {
  if (key === undefined || connections.length === 0) return []
  const did = await ownDidOf(agentContext, key)
  return did === undefined ? [] : connections.filter((connection) => isOfDid(connection, did))
}
