/** The connections of a key: of ours, or of the other agent's. */
import { type AgentContext, DidRepository } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  type DidCommInboundMessageContext,
} from '@credo-ts/didcomm'
import { didsWithKey, isOfDid } from './did-repository.ts'
import type { Ed25519Key } from './keys/ed25519-key.ts'

/** Whether a message is of the DID that the other agent uses now: a former one may not change whose the connection is. */
export const isOfCurrentDid = async (
  { agentContext, senderKey }: DidCommInboundMessageContext,
  { theirDid }: DidCommConnectionRecord,
): Promise<boolean> =>
  senderKey !== undefined && (await didsWithKey(agentContext, senderKey)).some((record) => isOfDid(record, theirDid))

/** The connections that have, or had, the DID of one of our keys. */
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
