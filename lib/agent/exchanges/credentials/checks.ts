/** Checks of all versions of issue-credential: a request and a credential have to match the offer. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  DidCommAutoAcceptCredential,
  type DidCommCredentialExchangeRecord,
  DidCommCredentialRole,
  type DidCommInboundMessageContext,
  type DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { MAX_ATTRIBUTES } from '../../../records/anoncreds-objects.ts'
import { type CheckedFormat, NOT_OFFERED, NotAsOfferedError } from '../../formats/index.ts'
import { abandonExchange } from '../../threads/index.ts'

/** The decoded attachments of a message, by format. */
type FormatData = Record<string, unknown> | undefined

interface Protocol {
  findByProperties(
    agentContext: AgentContext,
    properties: { threadId: string; role: DidCommCredentialRole },
  ): Promise<DidCommCredentialExchangeRecord | null>
  getFormatData(agentContext: AgentContext, id: string): Promise<{ offer?: FormatData; request?: FormatData }>
}

interface Step {
  protocol: Protocol
  formats: readonly CheckedFormat[]
  inbound: DidCommInboundMessageContext
  /** Makes the problem report with which the exchange is abandoned. */
  refusal: (reason: string) => DidCommProblemReportError
}

/**
 * Runs `process` for a request. Abandons the exchange if the request does not match the offer, whatever `autoAcceptCredential` is, and refuses a
 * request without an offer, which could never be accepted. Throws a problem report in both cases.
 */
export const processOfferedRequest = async (
  step: Step,
  process: (offered: DidCommCredentialExchangeRecord) => Promise<DidCommCredentialExchangeRecord>,
): Promise<DidCommCredentialExchangeRecord> => {
  const { protocol, inbound, refusal } = step
  const { agentContext, message } = inbound
  const thread = { threadId: message.threadId, role: DidCommCredentialRole.Issuer }
  const offered = await protocol.findByProperties(agentContext, thread)
  if (offered === null) throw refusal('nothing was offered on this thread')
  const record = await process(offered)
  if (await isAsOffered(step, record)) return record
  await abandonExchange(agentContext, record, NOT_OFFERED)
  throw refusal(NOT_OFFERED)
}

const isAsOffered = async ({ protocol, formats, inbound }: Step, { id }: { id: string }): Promise<boolean> => {
  try {
    const { offer = {}, request = {} } = await protocol.getFormatData(inbound.agentContext, id)
    const requested = formats.filter(({ formatKey }) => Object.hasOwn(request, formatKey))
    return (
      requested.length > 0 && requested.every((one) => one.isAsOffered(offer[one.formatKey], request[one.formatKey]))
    )
  } catch (error) {
    // The attachment is not JSON, or has no data.
    if (error instanceof SyntaxError || error instanceof CredoError) return false
    throw error
  }
}

/** In characters: Credo finds something wrong with each part of a credential. */
const MAX_REASON = 1000

/** Runs `act`. On a NotAsOfferedError it abandons the exchange and throws a problem report. */
export const abandonedUnlessOffered = async <T>(
  agentContext: AgentContext,
  record: DidCommCredentialExchangeRecord,
  refusal: Step['refusal'],
  act: () => Promise<T>,
): Promise<T> => {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof NotAsOfferedError)) throw error
    const reason = error.message.slice(0, MAX_REASON)
    await abandonExchange(agentContext, record, reason)
    throw refusal(reason)
  }
}

/** Whether Credo's `contentApproved` applies: a stored request or credential was already compared with the offer. */
export const mayAutoRespond = ({ autoAcceptCredential }: DidCommCredentialExchangeRecord): boolean =>
  autoAcceptCredential !== DidCommAutoAcceptCredential.Never

/**
 * Throws if a preview of an offer or a proposal can't match any credential: its names have to be those of a schema. Credo accepts a preview without a
 * list.
 */
export const assertPreview = (attributes: readonly { name: string }[], refusal: Step['refusal']): void => {
  if (!Array.isArray(attributes)) throw refusal('the attributes are no list')
  const names = attributes.map(({ name }) => name)
  if (names.length > MAX_ATTRIBUTES) throw refusal(`there are more than ${MAX_ATTRIBUTES} attributes`)
  if (new Set(names).size < names.length) throw refusal('an attribute is named twice')
  // Credo collects values in an object, where `__proto__` would be lost.
  if (names.includes('__proto__')) throw refusal('there is an attribute that no credential can have')
}
