/** Which connection a message belongs to, and whether its sender is the connection's current DID. */
import { type AgentContext, CredoError, DidRepository } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  type DidCommInboundMessageContext,
} from '@credo-ts/didcomm'
import { hasDid, isKeyOf } from '../dids/index.ts'
import type { Ed25519Key } from '../keys/index.ts'

/**
 * The last connection of our key, which is usually unique to a connection, with a DID of the sender's key. Credo expects
 * one DID for the sender's key, so a second document with that key, which anybody can write, would break the
 * connection.
 */
export const connectionOfKeys = async (
  agentContext: AgentContext,
  { senderKey, recipientKey }: { senderKey: Ed25519Key; recipientKey: Ed25519Key },
): Promise<DidCommConnectionRecord | null> => {
  // A public DID may have thousands of connections, which are not read for a stranger.
  if (!(await hasDid(agentContext, senderKey))) return null
  const ofOurKey = await connectionsOfOurKey(agentContext, recipientKey)
  for (const connection of ofOurKey.filter(({ isReady }) => isReady).reverse()) {
    if (await isKeyOf(agentContext, senderKey, [connection.theirDid, ...connection.previousTheirDids]))
      return connection
  }
  return null
}

/** Whether a message comes from the other agent's current DID. A former DID must not take over the connection. */
export const isOfCurrentDid = async (
  { agentContext, senderKey }: DidCommInboundMessageContext,
  { theirDid }: DidCommConnectionRecord,
): Promise<boolean> => senderKey !== undefined && isKeyOf(agentContext, senderKey, [theirDid])

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
