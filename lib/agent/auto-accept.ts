/** Offers and proof requests that are accepted without an API call. By default they wait for one. */
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommAttachment,
  DidCommAutoAcceptCredential,
  type DidCommCredentialExchangeRecord,
  type DidCommProofExchangeRecord,
  type DidCommProofFormatSpec,
} from '@credo-ts/didcomm'
import { errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { BASE_AGENT } from '../records/tenant.ts'
import { settings } from '../settings.ts'
import { readTenant } from '../store/tenants.ts'
import { currentUnit } from '../store/transaction.ts'

interface AutoAccept {
  offers: boolean
  proofRequests: boolean
}

/** The settings of the running unit of work's agent. Throws `resource.not_found` for a deleted tenant. */
export const autoAccept = async (): Promise<AutoAccept> => {
  const unit = currentUnit()
  if (unit.tenant === BASE_AGENT)
    return { offers: settings().AUTO_ACCEPT_OFFERS, proofRequests: settings().AUTO_ACCEPT_PROOF_REQUESTS }
  const { autoAcceptOffers = false, autoAcceptProofRequests = false } = await readTenant(unit.tenant, unit)
  return { offers: autoAcceptOffers, proofRequests: autoAcceptProofRequests }
}

interface Answer {
  attachment: DidCommAttachment
  format: DidCommProofFormatSpec
}

interface Request {
  proofRecord: DidCommProofExchangeRecord
  requestAttachment: DidCommAttachment
  attachmentId?: string
}

/** The part of a format service that answers requests. */
interface Answering {
  acceptRequest(agentContext: AgentContext, request: Request): Promise<Answer>
}

/** By record and format. */
const prepared = new WeakMap<DidCommProofExchangeRecord, Map<object, Answer>>()

/**
 * Prepares the answer to a proof request in one format, before Credo is told to send it. False if the agent does not hold the necessary credentials,
 * or has no AnonCreds library: then the request waits for a call.
 */
export const prepareAnswer = async (
  agentContext: AgentContext,
  format: Answering,
  request: Request,
): Promise<boolean> => {
  const { proofRecord } = request
  try {
    const answer = await format.acceptRequest(agentContext, request)
    prepared.set(proofRecord, new Map([...(prepared.get(proofRecord) ?? []), [format, answer]]))
    return true
  } catch (error) {
    const waits =
      error instanceof CredoError ||
      isAgentError(error, 'request.invalid') ||
      isAgentError(error, 'anoncreds.unavailable')
    if (waits && currentUnit().failure === undefined) return false
    throw error
  }
}

/** The answer that was prepared for a record, if any. */
export const preparedAnswer = (format: object, proofRecord: DidCommProofExchangeRecord): Answer | undefined =>
  prepared.get(proofRecord)?.get(format)

type Exchange = DidCommCredentialExchangeRecord

/** Result of accepting an offer: the request to send. */
interface Accepted<Message> {
  credentialExchangeRecord: Exchange
  message: Message
}

/** Whether to accept an offer without an API call. `isAsProposed`: whether the offer contains nothing beyond this agent's proposal. */
export const isAutoAccepted = async (
  { autoAcceptCredential }: Exchange,
  isAsProposed: () => Promise<boolean>,
): Promise<boolean> => {
  if (autoAcceptCredential === DidCommAutoAcceptCredential.Never) return false
  if (autoAcceptCredential === DidCommAutoAcceptCredential.Always) return true
  if ((await autoAccept()).offers) return true
  try {
    return await isAsProposed()
  } catch (error) {
    // The attachment is not JSON, or is missing.
    if (error instanceof CredoError || error instanceof SyntaxError) return false
    throw error
  }
}

/** Whether all formats of the offer were proposed. */
export const proposesAllOf = ({ proposal, offer }: { proposal?: object; offer?: object }): boolean =>
  proposal !== undefined && Object.keys(offer ?? {}).every((format) => Object.hasOwn(proposal, format))

/**
 * Accepts an offer with `accept` when Credo asks whether to accept it, and hands out the result when Credo accepts. An offer that can't be accepted,
 * such as one whose definition is in no registry, is still received, and waits for a call.
 */
export class OfferAcceptance<Message> {
  readonly #accepted = new WeakMap<Exchange, Accepted<Message>>()

  async tryTo(exchange: Exchange, accept: () => Promise<Accepted<Message>>): Promise<boolean> {
    try {
      this.#accepted.set(exchange, await accept())
      return true
    } catch (error) {
      // An error of the store prevents the commit by itself.
      const { tenant } = currentUnit()
      log('warn', 'an offer could not be accepted without a call', {
        event: 'offer.not_accepted',
        ...{ tenant, credentialRecordId: exchange.id, error: errorName(error) },
      })
      return false
    }
  }

  of(exchange: Exchange): Accepted<Message> | undefined {
    return this.#accepted.get(exchange)
  }
}
