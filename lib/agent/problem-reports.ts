/** Problem reports of all protocols (Aries RFC 0035): they end the sender's own exchange, and are never answered. */
import { CredoError } from '@credo-ts/core'
import {
  DidCommConnectionService,
  DidCommDidExchangeState,
  type DidCommInboundMessageContext,
  DidCommMessage,
  type DidCommMessageHandler,
  DidCommMessageHandlerRegistry,
  DidCommOutOfBandService,
  DidCommOutOfBandState,
  parseMessageType,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { abandonExchange, EXCHANGE_PROTOCOLS, type Exchange, findExchanges, isFinished } from './exchanges.ts'
import { findInvitationOfRequest } from './invitations.ts'
import { joinExchange } from './thread-owner.ts'

type Inbound = DidCommInboundMessageContext

/** In characters. */
const MAX_ERROR_MESSAGE = 1000

/** The only field that is read: wallets differ in the spelling and case of all others. */
const Description = v.union([
  v.pipe(
    v.object({ code: v.string(), en: v.string() }),
    v.transform(({ code, en }) => `${code}: ${en}`),
  ),
  v.pipe(
    v.object({ code: v.string() }),
    v.transform(({ code }) => code),
  ),
  v.string(),
])
const Report = v.object({ description: v.fallback(Description, '') })

export const isProblemReport = (messageType: string): boolean =>
  /^problem[-_]report$/.test(parseMessageType(messageType).messageName)

/** One handler for the reports of all protocols, known or not. Credo's own look for the exchange by the thread alone. */
export class MessageHandlerRegistry extends DidCommMessageHandlerRegistry {
  readonly #reports = new ProblemReportHandler()

  override getHandlerForMessageType(messageType: string): DidCommMessageHandler | undefined {
    return isProblemReport(messageType) ? this.#reports : super.getHandlerForMessageType(messageType)
  }

  /** A report is read without Credo's validators, which refuse what RFC 0035 spells in lower case. */
  override getMessageClassForMessageType(messageType: string): typeof DidCommMessage | undefined {
    return isProblemReport(messageType) ? DidCommMessage : super.getMessageClassForMessageType(messageType)
  }
}

class ProblemReportHandler implements DidCommMessageHandler {
  readonly supportedMessages = []

  /** Throws a CredoError for a report of a stranger that concerns nothing. */
  async handle(inbound: Inbound): Promise<undefined> {
    const errorMessage = v.parse(Report, inbound.message).description.slice(0, MAX_ERROR_MESSAGE)
    const exchange = await findReported(inbound)
    if (exchange !== undefined) await abandon(inbound, exchange, errorMessage)
    else if (inbound.connection === undefined) throw new CredoError('the report concerns nothing of its sender')
    else if (isOfHandshake(inbound)) await abandonHandshake(inbound, errorMessage)
  }
}

/** The message that a report is about is in the same thread (ACA-Py), or has begun the parent thread (RFC 0035). */
const threadsOf = ({ threadId, thread }: DidCommMessage): string[] =>
  [threadId, thread?.parentThreadId].filter((id) => id !== undefined)

const findReported = async (inbound: Inbound): Promise<Exchange | undefined> => {
  for (const threadId of threadsOf(inbound.message))
    for (const protocol of EXCHANGE_PROTOCOLS)
      for (const exchange of await findExchanges(inbound.agentContext, protocol, threadId))
        if (await joinExchange(inbound, exchange)) return exchange
  return undefined
}

/** An exchange that is finished stays as it is. */
const abandon = async ({ agentContext }: Inbound, exchange: Exchange, errorMessage: string): Promise<void> => {
  if (isFinished(exchange)) return
  await abandonExchange(agentContext, exchange, errorMessage)
  if (exchange.connectionId !== undefined) return
  const invitation = await findInvitationOfRequest(agentContext, exchange.threadId)
  if (invitation !== undefined)
    await agentContext
      .resolve(DidCommOutOfBandService)
      .updateState(agentContext, invitation, DidCommOutOfBandState.Done)
}

const isOfHandshake = ({ connection, message }: Inbound): boolean =>
  connection?.state === DidCommDidExchangeState.ResponseSent &&
  (['connections', 'connection', 'didexchange'].includes(parseMessageType(message.type).protocolName) ||
    threadsOf(message).some((threadId) => threadId === connection.threadId))

const abandonHandshake = async ({ agentContext, connection }: Inbound, errorMessage: string): Promise<void> => {
  if (connection === undefined) return
  connection.errorMessage = errorMessage
  await agentContext
    .resolve(DidCommConnectionService)
    .updateState(agentContext, connection, DidCommDidExchangeState.Abandoned)
}
