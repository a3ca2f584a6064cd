/** Which connection a message belongs to, and whether its sender is the connection's current DID. */
import { type AgentContext, CredoError, DidRepository } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  type DidCommInboundMessageContext,
} from '@credo-ts/didcomm'
import { didsWithKey, isOfDid } from '../dids/index.ts'
import type { Ed25519Key } from '../keys/index.ts'

/**
 * The connection of our key, which is unique to a connection, with one of all DIDs of the sender's key. Credo expects
 * one DID for the sender's key, so a second document with that key, which anybody can write, would break the
 * connection.
 */
export const connectionOfKeys = async (
  agentContext: AgentContext,
  { senderKey, recipientKey }: { senderKey: Ed25519Key; recipientKey: Ed25519Key },
): Promise<DidCommConnectionRecord | null> => {
  const theirs = await didsWithKey(agentContext, senderKey)
  if (theirs.length === 0) return null
  const isTheirs = (did: string | undefined) => theirs.some((record) => isOfDid(record, did))
  const connection = (await connectionsOfOurKey(agentContext, recipientKey)).findLast(
    ({ isReady, theirDid, previousTheirDids }) => isReady && [theirDid, ...previousTheirDids].some(isTheirs),
  )
  return connection ?? null
}

/** Whether a message comes from the other agent's current DID. A former DID must not take over the connection. */
export const isOfCurrentDid = async (
  { agentContext, senderKey }: DidCommInboundMessageContext,
  { theirDid }: DidCommConnectionRecord,
): Promise<boolean> =>
  senderKey !== undefined && (await didsWithKey(agentContext, senderKey)).some((record) => isOfDid(record, theirDid))

/** The connection of a message. Throws a CredoError if the sender's DID is a former one. */
export const currentConnection = async (inbound: DidCommInboundMessageContext): Promise<DidCommConnectionRecord> => {
  const connection = inbound.assertReadyConnection()
  if (await isOfCurrentDid(inbound, connection)) return connection
  throw new CredoError('the sender is not the current DID of the connection')
}

/** Connections whose current or former DID of ours has this key. */
export const connectionsOfOurKey = async (
  agentContext: AgentContext,
  key: Ed25519Key,
): Promise<DidCommConnectionRecord[]> => {
  const ours = await agentContext.resolve(DidRepository).findCreatedDidByRecipientKey(agentContext, key)
  if (ours === null) return []
  return agentContext
    .resolve(DidCommConnectionRepository)
    .findByQuery(agentContext, { $or: [{ did: ours.did }, { previousDids: [ours.did] }] })
}
