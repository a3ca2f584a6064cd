/** Offers and proof requests that are accepted without an API call. By default they wait for one. */
import { CredoError } from '@credo-ts/core'
import { DidCommAutoAcceptCredential, type DidCommCredentialExchangeRecord } from '@credo-ts/didcomm'
import { errorName, isAgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { BASE_AGENT } from '../../records/tenant.ts'
import { settings } from '../../settings.ts'
import { readTenant } from '../../store/tenants.ts'
import { currentUnit } from '../../store/transaction.ts'
import { prepareResponse } from '../formats/index.ts'

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

/**
 * Prepares the response to a proof request in one format, before Credo is told to send it. False if the agent does not hold the necessary
 * credentials, or has no AnonCreds library: then the request waits for a call.
 */
export const canRespond = async (...to: Parameters<typeof prepareResponse>): Promise<boolean> => {
  try {
    await prepareResponse(...to)
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
  /** By record. */
  #accepted(): Map<string, Accepted<Message>> {
    return currentUnit().slot(this, () => new Map<string, Accepted<Message>>())
  }

  async tryTo(exchange: Exchange, accept: () => Promise<Accepted<Message>>): Promise<boolean> {
    try {
      this.#accepted().set(exchange.id, await accept())
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
    return this.#accepted().get(exchange.id)
  }
}
