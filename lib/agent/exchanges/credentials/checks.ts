/** Checks of both versions of issue-credential: previews are readable, requests and credentials match the offer. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommAttachment,
  DidCommAutoAcceptCredential,
  type DidCommCredentialExchangeRecord,
  type DidCommCredentialFormatService,
  type DidCommCredentialProtocol,
  DidCommCredentialRole,
  DidCommCredentialState,
  type DidCommOfferCredentialV2Message,
  DidCommProblemReportError,
  type DidCommProposeCredentialV2Message,
  type DidCommInboundMessageContext as Inbound,
} from '@credo-ts/didcomm'
import { shortReason } from '../../../errors.ts'
import { MAX_ATTRIBUTES } from '../../../records/anoncreds-objects.ts'
import { w3cCredentialRecords } from '../../../records/kinds.ts'
import { UNVERIFIED } from '../../../records/record-json.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { type CheckedFormat, NOT_OFFERED, NotAsOfferedError } from '../../formats/index.ts'
import { abandonExchange, isFinished, updateExchange } from '../../threads/index.ts'
import { isVerificationPending, mayVerifyLater, verifyLater } from './verify-later.ts'

type Exchange = DidCommCredentialExchangeRecord

/** The decoded attachments of messages, by format. */
type FormatData = Partial<Record<'offer' | 'request', Record<string, unknown>>>

/** In characters: Credo finds something wrong with each part of a credential. */
const MAX_REASON = 1000

type Protocol = Pick<DidCommCredentialProtocol, 'findByProperties' | 'getByProperties' | 'getFormatData'>

/** A format of a received credential: its attachment, and those of the offer and the request. */
export interface ReceivedFormat {
  format: Pick<DidCommCredentialFormatService, 'processCredential'>
  attachment: DidCommAttachment | undefined
  offerAttachment: DidCommAttachment | undefined
  requestAttachment: DidCommAttachment | undefined
}

export type CredentialChecks = ReturnType<typeof credentialChecks>

/** The checks of one version. Each throws a problem report. `receivedFormats`: those of the credential that is kept. */
export const credentialChecks = (
  protocol: Protocol,
  formats: readonly CheckedFormat[],
  problemReport: (reason: string) => DidCommProblemReportError,
  receivedFormats: (agentContext: AgentContext, exchangeId: string) => Promise<ReceivedFormat[]>,
) => {
  /** Runs `act`. On a NotAsOfferedError it abandons the exchange, and stores none of its credentials. */
  const abandonUnlessOffered = async <T>(
    agentContext: AgentContext,
    exchange: Exchange,
    act: () => Promise<T>,
  ): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof NotAsOfferedError)) throw error
      const reason = shortReason(error.message, MAX_REASON)
      await removeNewCredentials()
      await abandonExchange(agentContext, exchange, reason)
      throw problemReport(reason)
    }
  }
  return {
    abandonUnlessOffered,

    /**
     * Runs `process` for a request. Abandons the exchange if the request does not match the offer, whatever
     * `autoAcceptCredential` is, and rejects a request without an offer, which could never be accepted.
     */
    processRequest: async (
      { agentContext, message }: Inbound,
      process: (offered: Exchange) => Promise<Exchange>,
    ): Promise<Exchange> => {
      const thread = { threadId: message.threadId, role: DidCommCredentialRole.Issuer }
      const offered = await protocol.findByProperties(agentContext, thread)
      if (offered === null) throw problemReport('nothing was offered on this thread')
      const exchange = await process(offered)
      if (await isAsOffered(protocol, formats, agentContext, exchange)) return exchange
      await abandonExchange(agentContext, exchange, NOT_OFFERED)
      throw problemReport(NOT_OFFERED)
    },

    /**
     * Runs `process` for a credential, if the thread has an exchange in which this agent is the holder. Without a
     * connection no problem report can be sent: the exchange is abandoned, and the message counts as handled. One that
     * can't be verified yet is kept: what another host does is not the issuer's fault.
     */
    processCredential: async (inbound: Inbound, process: () => Promise<Exchange>): Promise<Exchange> => {
      const { agentContext, connection, message } = inbound
      const thread = { threadId: message.threadId, role: DidCommCredentialRole.Holder }
      const properties = { ...thread, ...(connection && { connectionId: connection.id }) }
      const exchange = await protocol.getByProperties(agentContext, properties)
      if (isVerificationPending(exchange)) throw new CredoError('a credential of the exchange waits to be verified')
      try {
        return await abandonUnlessOffered(agentContext, exchange, process)
      } catch (error) {
        if (mayVerifyLater(error)) {
          await removeNewCredentials()
          await verifyLater(inbound, exchange, error)
        } else if (connection !== undefined || !(error instanceof DidCommProblemReportError)) throw error
        return exchange
      }
    },

    /**
     * Verifies and stores the credential that an exchange keeps. Returns the changed exchange. Throws what its formats
     * throw: then nothing may be committed.
     */
    verifyStored: (agentContext: AgentContext, original: Exchange): Promise<Exchange> =>
      abandonUnlessOffered(agentContext, original, async () => {
        // Formats write into the exchange, and a later one may find something else than was offered.
        const exchange = original.clone() as Exchange
        const received = await receivedFormats(agentContext, exchange.id)
        if (received.length === 0) throw new TypeError('the credential of the exchange is missing')
        for (const one of received) await processReceived(agentContext, exchange, one)
        exchange.metadata.delete(UNVERIFIED)
        exchange.state = DidCommCredentialState.CredentialReceived
        await updateExchange(agentContext, exchange)
        return exchange
      }),
  }
}

/** Throws a NotAsOfferedError also for what made Credo refuse the message when it came. */
const processReceived = async (
  agentContext: AgentContext,
  credentialExchangeRecord: Exchange,
  { format, attachment, offerAttachment, requestAttachment }: ReceivedFormat,
): Promise<void> => {
  try {
    if (attachment === undefined || offerAttachment === undefined || requestAttachment === undefined)
      throw new NotAsOfferedError('the credential is not what was offered')
    const attachments = { attachment, offerAttachment, requestAttachment }
    await format.processCredential(agentContext, { credentialExchangeRecord, ...attachments })
  } catch (error) {
    if (!(error instanceof CredoError || error instanceof SyntaxError)) throw error
    throw error instanceof NotAsOfferedError ? error : new NotAsOfferedError(error.message, { cause: error })
  }
}

/** Removes the credentials that this unit of work adds: of several formats the first ones may be as offered. */
const removeNewCredentials = async (): Promise<void> => {
  const unit = currentUnit()
  for (const { type, id, version } of unit.writtenRecords())
    if (type === w3cCredentialRecords.type && version === 1) await unit.remove(unit.tenant, type, id)
}

const isAsOffered = async (
  protocol: Protocol,
  formats: readonly CheckedFormat[],
  agentContext: AgentContext,
  { id }: Exchange,
): Promise<boolean> => {
  try {
    const { offer = {}, request = {} }: FormatData = await protocol.getFormatData(agentContext, id)
    // Credo accepts no request without any of them.
    const requested = formats.filter(({ formatKey }) => Object.hasOwn(request, formatKey))
    return requested.every((one) => one.isAsOffered(offer[one.formatKey], request[one.formatKey]))
  } catch (error) {
    // The attachment is not JSON, or has no data.
    if (error instanceof SyntaxError || error instanceof CredoError) return false
    throw error
  }
}

/** Whether Credo's `contentApproved` applies: a stored request or credential was already compared with the offer. */
export const mayAutoRespond = (exchange: Exchange): boolean =>
  exchange.autoAcceptCredential !== DidCommAutoAcceptCredential.Never && !isFinished(exchange)

/** The same for a credential that was received, and stored. */
export const mayAcknowledge = (exchange: Exchange): boolean =>
  mayAutoRespond(exchange) && !isVerificationPending(exchange)

type Previewed = DidCommOfferCredentialV2Message | DidCommProposeCredentialV2Message

/**
 * The violation of a proposal or an offer whose preview no credential can match: its names must be those of a schema.
 * Credo accepts a preview without a list. Version 1 has the same preview.
 */
export const previewViolation = ({ message }: Inbound<Previewed>): string | undefined => {
  const attributes = message.credentialPreview?.attributes ?? []
  if (!Array.isArray(attributes)) return 'the attributes are not a list'
  const names = attributes.map(({ name }) => name)
  if (names.length > MAX_ATTRIBUTES) return `there are more than ${MAX_ATTRIBUTES} attributes`
  if (new Set(names).size < names.length) return 'an attribute is named twice'
  // Credo collects values in an object, where `__proto__` would be lost.
  return names.includes('__proto__') ? 'there is an attribute that no credential can have' : undefined
}
