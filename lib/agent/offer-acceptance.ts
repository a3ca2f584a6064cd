/** Offers that are accepted without a call: where the agent's settings say so, and of what this agent has itself proposed. */
import { CredoError } from '@credo-ts/core'
import { DidCommAutoAcceptCredential, type DidCommCredentialExchangeRecord } from '@credo-ts/didcomm'
import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { currentUnit } from '../store/transaction.ts'
import { autoAccept } from './auto-accept.ts'

type Exchange = DidCommCredentialExchangeRecord

/** What accepting an offer gives: the request that is to be sent. */
interface Accepted<Message> {
  credentialExchangeRecord: Exchange
  message: Message
}

/** Whether an offer is to be accepted without a call. `isAsProposed`: whether it is what this agent has proposed, and no more. */
export const isAcceptedByItself = async (
  { autoAcceptCredential }: Exchange,
  isAsProposed: () => Promise<boolean>,
): Promise<boolean> => {
  if (autoAcceptCredential === DidCommAutoAcceptCredential.Never) return false
  if (autoAcceptCredential === DidCommAutoAcceptCredential.Always) return true
  if ((await autoAccept()).offers) return true
  try {
    return await isAsProposed()
  } catch (error) {
    // An attachment that is no JSON, or is missing.
    if (error instanceof CredoError || error instanceof SyntaxError) return false
    throw error
  }
}

/** The formats of an offer are all in the proposal: nothing is accepted beside what was proposed. */
export const proposesAllOf = ({ proposal, offer }: { proposal?: object; offer?: object }): boolean =>
  proposal !== undefined && Object.keys(offer ?? {}).every((format) => Object.hasOwn(proposal, format))

/**
 * Accepts an offer, by `accept`, as soon as it is known that it is accepted by itself: Credo asks first, and accepts then. An offer that
 * can not be accepted, as one of a definition that no registry has, is received all the same, and waits.
 */
export class OfferAcceptance<Message> {
  readonly #accepted = new WeakMap<Exchange, Accepted<Message>>()

  async tryTo(exchange: Exchange, accept: () => Promise<Accepted<Message>>): Promise<boolean> {
    try {
      this.#accepted.set(exchange, await accept())
      return true
    } catch (error) {
      // A fault of the store keeps the running unit of work from being committed.
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
