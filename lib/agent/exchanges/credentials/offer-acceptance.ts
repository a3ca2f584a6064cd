/** Offers that are accepted without an API call. By default they wait for one. */
import { CredoError } from '@credo-ts/core'
import { DidCommAutoAcceptCredential, type DidCommCredentialExchangeRecord } from '@credo-ts/didcomm'
import { errorName } from '../../../errors.ts'
import { log } from '../../../log.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { autoAccept } from '../index.ts'

type Exchange = DidCommCredentialExchangeRecord

/** Result of accepting an offer: the request to send. */
export interface AcceptedOffer<Message> {
  credentialExchangeRecord: Exchange
  message: Message
}

/** Whether to accept an offer. `isAsProposed`: whether it contains nothing beyond this agent's proposal. */
const isAccepted = async (
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
 * Accepts an offer when Credo asks whether to accept it, and returns the result when Credo accepts. An offer that
 * cannot be accepted, such as one whose definition is in no registry, is still received, and waits for a call. /
 */
export class OfferAcceptance<Message> {
  /** By record. */
  #acceptedOffers(): Map<string, AcceptedOffer<Message>> {
    return currentUnit().moduleState(this, () => new Map<string, AcceptedOffer<Message>>())
  }

  /** Accepts an offer with `accept`, unless it must wait for a call. Returns whether it was accepted. */
  async acceptIfAllowed(
    exchange: Exchange,
    isAsProposed: () => Promise<boolean>,
    accept: () => Promise<AcceptedOffer<Message>>,
  ): Promise<boolean> {
    if (!(await isAccepted(exchange, isAsProposed))) return false
    try {
      this.#acceptedOffers().set(exchange.id, await accept())
      return true
    } catch (error) {
      // After a store error the unit of work does not commit.
      const { tenant } = currentUnit()
      log('warn', 'offer not accepted automatically', {
        event: 'offer.not_accepted',
        ...{ tenant, credentialRecordId: exchange.id, error: errorName(error) },
      })
      return false
    }
  }

  resultOf(exchange: Exchange): AcceptedOffer<Message> | undefined {
    return this.#acceptedOffers().get(exchange.id)
  }
}
