/** Notifies the other agent that this one abandons an exchange, with or without a connection. */
import { type AgentContext, CredoError, JsonTransformer } from '@credo-ts/core'
import {
  DidCommMessage,
  DidCommMessageRepository,
  DidCommMessageRole,
  DidCommMessageSender,
  type DidCommProblemReportError,
  getOutboundDidCommMessageContext,
} from '@credo-ts/didcomm'
import { AgentError } from '../../errors.ts'
import { defined } from '../../json.ts'
import { readyConnection, sendOn } from '../connections/index.ts'
import type { Exchange } from '../threads/index.ts'
import { notifyOtherAgent } from './notify-other-agent.ts'

/** Sends the report of an error in the running unit of work. Logs if the other agent is unreachable. */
export const reportAbandonment = async (
  agentContext: AgentContext,
  exchange: Exchange,
  { problemReport }: DidCommProblemReportError,
): Promise<void> => {
  const { connectionId, threadId, parentThreadId } = exchange
  problemReport.setThread({ threadId, ...(parentThreadId !== undefined && { parentThreadId }) })
  await notifyOtherAgent(agentContext, exchange, async () =>
    connectionId === undefined
      ? sendWithoutConnection(agentContext, exchange, problemReport)
      : sendOn(agentContext, await readyConnection(agentContext, connectionId), problemReport, exchange),
  )
}

/** To the service of the other agent's last message or invitation. Throws `connection.no_endpoint` if there is none. */
const sendWithoutConnection = async (
  agentContext: AgentContext,
  associatedRecord: Exchange,
  message: DidCommMessage,
): Promise<void> => {
  const repository = agentContext.resolve(DidCommMessageRepository)
  const messages = await repository.findByQuery(agentContext, { associatedRecordId: associatedRecord.id })
  const lastOf = (role: DidCommMessageRole) => {
    const last = messages.findLast((one) => one.role === role)
    return last && JsonTransformer.fromJSON(last.message, DidCommMessage, { validate: false })
  }
  const of = defined({
    lastSentMessage: lastOf(DidCommMessageRole.Sender),
    lastReceivedMessage: lastOf(DidCommMessageRole.Receiver),
  })
  const outbound = await getOutboundDidCommMessageContext(agentContext, { message, associatedRecord, ...of }).catch(
    (cause) => {
      if (!(cause instanceof CredoError)) throw cause
      throw new AgentError('connection.no_endpoint', 'the other agent has given no address', { cause })
    },
  )
  await agentContext.resolve(DidCommMessageSender).sendMessage(outbound)
}
