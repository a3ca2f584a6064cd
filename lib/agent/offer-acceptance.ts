/** Offers that are accepted without an API call: if the agent's settings say so, or if this agent proposed the credential itself. */
import { CredoError } from '@credo-ts/core'
import { DidCommAutoAcceptCredential, type DidCommCredentialExchangeRecord } from '@credo-ts/didcomm'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { currentUnit } from '../store/transaction.ts'
import { autoAccept } from './auto-accept.ts'

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
