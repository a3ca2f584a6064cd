/** Checks of both versions of issue-credential: previews are readable, and requests and credentials match the offer. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  DidCommAutoAcceptCredential,
  type DidCommCredentialExchangeRecord,
  type DidCommCredentialProtocol,
  DidCommCredentialRole,
  type DidCommInboundMessageContext,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { shortReason } from '../../../errors.ts'
import { MAX_ATTRIBUTES } from '../../../records/anoncreds-objects.ts'
import { w3cCredentialRecords } from '../../../records/kinds.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { type CheckedFormat, NOT_OFFERED, NotAsOfferedError } from '../../formats/index.ts'
import { abandonExchange, isFinished } from '../../threads/index.ts'

type Exchange = DidCommCredentialExchangeRecord

/** The decoded attachments of messages, by format. */
type FormatData = Partial<Record<'offer' | 'request', Record<string, unknown>>>

/** In characters: Credo finds something wrong with each part of a credential. */
const MAX_REASON = 1000

type Protocol = Pick<DidCommCredentialProtocol, 'findByProperties' | 'getByProperties' | 'getFormatData'>

export type CredentialChecks = ReturnType<typeof credentialChecks>

/** The checks of one version. Each throws a problem report. */
export const credentialChecks = (
  protocol: Protocol,
  formats: readonly CheckedFormat[],
  problemReport: (reason: string) => DidCommProblemReportError,
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

    /** Runs `process` unless the preview of an offer or a proposal can't match any credential. */
    processPreview: async (preview: Preview | undefined, process: () => Promise<Exchange>): Promise<Exchange> => {
      const problem = problemOfPreview(preview?.attributes ?? [])
      if (problem !== undefined) throw problemReport(problem)
      return process()
    },

    /**
     * Runs `process` for a request. Abandons the exchange if the request does not match the offer, whatever
     * `autoAcceptCredential` is, and rejects a request without an offer, which could never be accepted.
     */
    processRequest: async (
      { agentContext, message }: DidCommInboundMessageContext,
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
     * connection no problem report can be sent: the exchange is abandoned, and the message counts as handled.
     */
    processCredential: async (
      { agentContext, connection, message }: DidCommInboundMessageContext,
      process: () => Promise<Exchange>,
    ): Promise<Exchange> => {
      const thread = { threadId: message.threadId, role: DidCommCredentialRole.Holder }
      const properties = { ...thread, ...(connection && { connectionId: connection.id }) }
      const exchange = await protocol.getByProperties(agentContext, properties)
      return abandonUnlessOffered(agentContext, exchange, process).catch((error) => {
        if (connection === undefined && error instanceof DidCommProblemReportError) return exchange
        throw error
      })
    },
  }
}

/** Removes the credentials that this unit of work adds: of several formats the first ones may be as offered. */
const removeNewCredentials = async (): Promise<void> => {
  const unit = currentUnit()
  for (const { type, id, version } of unit.written())
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

interface Preview {
  attributes: readonly { name: string }[]
}

/** Its names have to be those of a schema. Credo accepts a preview without a list. */
const problemOfPreview = (attributes: Preview['attributes']): string | undefined => {
  if (!Array.isArray(attributes)) return 'the attributes are not a list'
  const names = attributes.map(({ name }) => name)
  if (names.length > MAX_ATTRIBUTES) return `there are more than ${MAX_ATTRIBUTES} attributes`
  if (new Set(names).size < names.length) return 'an attribute is named twice'
  // Credo collects values in an object, where `__proto__` would be lost.
  return names.includes('__proto__') ? 'there is an attribute that no credential can have' : undefined
}
