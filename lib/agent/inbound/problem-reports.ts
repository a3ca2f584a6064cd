/**
 * Problem reports of all protocols (Aries RFC 0035). A report abandons the sender's own exchange, unless it is a
 * warning, and is never answered.
 */
import { CredoError } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommConnectionService,
  DidCommDidExchangeState,
  type DidCommInboundMessageContext,
  type DidCommMessage,
  type DidCommMessageHandler,
  type DidCommMessageHandlerMiddleware,
  parseMessageType,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { shortReason } from '../../errors.ts'
import { log } from '../../log.ts'
import { currentUnit } from '../../store/transaction.ts'
import { isOfCurrentDid, withOurKey } from '../connections/index.ts'
import { findInvitationOfRequest, isOfInviterOf, markUsed } from '../invitations/index.ts'
import {
  abandonExchange,
  EXCHANGE_PROTOCOLS,
  type Exchange,
  findExchanges,
  isFinished,
  isProblemReport,
} from '../threads/index.ts'
import { joinExchange } from './thread-owner.ts'

type Inbound = DidCommInboundMessageContext

/** In characters. */
const MAX_ERROR_MESSAGE = 1000

/** The only field that is read: wallets differ in the spelling of all others. */
const Description = v.union([
  v.pipe(
    v.object({ code: v.string(), en: v.optional(v.string()) }),
    v.transform(({ code, en }) => (en === undefined ? [code] : [code, en])),
  ),
  v.pipe(
    v.string(),
    v.transform((text) => [text]),
  ),
])
const Report = v.object({ description: v.fallback(Description, []) })

/** Codes of warnings that RFC 0003 names. Others begin with `w.`. */
const WARNINGS = ['fields-ignored', 'fields-ignored-due-to-version-mismatch', 'version-with-degraded-features']

/** After a warning the exchange continues (RFC 0035, "Unknown Error"; RFC 0003, "Semver Rules for Protocols"). */
const isWarning = (code = ''): boolean => code.startsWith('w.') || WARNINGS.includes(code)

/**
 * The code of a problem report that this agent sends, from Credo's error or message. It has no text of the other
 * agent.
 */
const ReportCode = v.union([
  v.pipe(
    v.object({ problemReport: v.object({ description: v.object({ code: v.string() }) }) }),
    v.transform(({ problemReport }) => problemReport.description.code),
  ),
  v.pipe(
    v.object({ type: v.pipe(v.string(), v.check(isProblemReport)), description: v.object({ code: v.string() }) }),
    v.transform(({ description }) => description.code),
  ),
])

const logReport = (message: unknown): void => {
  const code = v.safeParse(ReportCode, message)
  if (!code.success) return
  const unit = currentUnit()
  unit.afterCommit(() =>
    log('info', 'inbound message rejected with a problem report', {
      event: 'inbound.refused',
      ...{ tenant: unit.tenant, error: code.output },
    }),
  )
}

/**
 * Logs messages that are rejected with a problem report; others are logged in lib/agent/inbound/receive.ts. Credo calls
 * this before all other middlewares.
 */
export const logProblemReports: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  try {
    await next()
    logReport(inbound.responseMessage?.message)
  } catch (error) {
    // Without a connection the message is rejected without a report, and nothing is committed.
    logReport(error)
    throw error
  }
}

/** For all protocols, supported or not. Credo's own handlers find the exchange by the thread alone. */
export class ProblemReportHandler implements DidCommMessageHandler {
  readonly supportedMessages = []

  /** Throws a CredoError for a report that belongs to no exchange or connection of its sender. */
  async handle(inbound: Inbound): Promise<undefined> {
    const { description } = v.parse(Report, inbound.message)
    const isEnd = !isWarning(description[0])
    const exchange = isEnd ? await findReportedExchange(inbound) : undefined
    const connection = isEnd && exchange === undefined ? await findReportedConnection(inbound) : undefined
    if (exchange !== undefined) await abandon(inbound, exchange, shortReason(description.join(': '), MAX_ERROR_MESSAGE))
    else if (connection !== undefined)
      await abandonConnection(inbound, connection, shortReason(description.join(' : '), MAX_ERROR_MESSAGE))
    else if (inbound.connection === undefined) throw new CredoError('the sender has no such exchange or connection')
  }
}

/** The reported message is in the report's thread (ACA-Py), or started its parent thread (RFC 0035). */
const threadsOf = ({ threadId, thread }: DidCommMessage): string[] =>
  [threadId, thread?.parentThreadId].filter((id) => id !== undefined)

const findReportedExchange = async (inbound: Inbound): Promise<Exchange | undefined> => {
  for (const threadId of threadsOf(inbound.message))
    for (const protocol of EXCHANGE_PROTOCOLS)
      for (const exchange of await findExchanges(inbound.agentContext, protocol, threadId))
        if (await joinExchange(inbound, exchange)) return exchange
  return undefined
}

/** Finished exchanges do not change. */
const abandon = async ({ agentContext }: Inbound, exchange: Exchange, errorMessage: string): Promise<void> => {
  if (isFinished(exchange)) return
  await abandonExchange(agentContext, exchange, errorMessage)
  const invitation =
    exchange.connectionId === undefined && (await findInvitationOfRequest(agentContext, exchange.threadId))
  if (invitation) await markUsed(agentContext, invitation)
}

/** Protocols whose reports abandon a connection, even a completed one. Credo writes "connection" for "connections". */
const HANDSHAKES = ['connections', 'connection', 'didexchange']

const isOfConnection = ({ state, threadId }: DidCommConnectionRecord, { thread, type }: DidCommMessage): boolean => {
  const reportedThreadId = thread?.threadId ?? thread?.parentThreadId
  if (HANDSHAKES.includes(parseMessageType(type).protocolName))
    return reportedThreadId === undefined || reportedThreadId === threadId
  return reportedThreadId === threadId && state === DidCommDidExchangeState.ResponseSent
}

/** The connection that a report abandons. */
const findReportedConnection = async (inbound: Inbound): Promise<DidCommConnectionRecord | undefined> => {
  const { connection, message } = inbound
  if (connection === undefined) return findRequestedConnection(inbound)
  return isOfConnection(connection, message) && (await isOfCurrentDid(inbound, connection)) ? connection : undefined
}

/** States that only a requester's connection has. */
const REQUESTED_STATES: string[] = [DidCommDidExchangeState.RequestSent, DidCommDidExchangeState.ResponseReceived]

/** A requested connection that is not ready: the other agent reports with a key of its invitation or DID. */
const findRequestedConnection = async (inbound: Inbound): Promise<DidCommConnectionRecord | undefined> => {
  const { agentContext, message, recipientKey } = inbound
  const repository = agentContext.resolve(DidCommConnectionRepository)
  const connections = await Promise.all(
    threadsOf(message).map((threadId) => repository.findByQuery(agentContext, { threadId })),
  )
  const requested = (await withOurKey(agentContext, recipientKey, connections.flat())).find(({ state }) =>
    REQUESTED_STATES.includes(state),
  )
  if (requested === undefined) return undefined
  return (await isOfInviterOf(inbound, requested)) || (await isOfCurrentDid(inbound, requested)) ? requested : undefined
}

const abandonConnection = async (
  { agentContext }: Inbound,
  connection: DidCommConnectionRecord,
  errorMessage: string,
): Promise<void> => {
  connection.errorMessage = errorMessage
  await agentContext
    .resolve(DidCommConnectionService)
    .updateState(agentContext, connection, DidCommDidExchangeState.Abandoned)
}
