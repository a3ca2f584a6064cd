/** Polls a ledger for an object that an operator must write: pauses and time limit. */
import * as v from 'valibot'
import { type LedgerState, LedgerTransaction } from '../../../indy/transactions.ts'
import type { JsonObject } from '../../../json.ts'
import { log } from '../../../log.ts'
import { onLedger } from './indy-writes.ts'

/** In ms. A pause is a tenth of the time waited so far, within these bounds. */
const MIN_PAUSE = 5_000
const MAX_PAUSE = 60 * 60_000
/** In ms. After this time the operator is no longer expected to write the object. */
const LIFETIME = 30 * 24 * 60 * 60_000

/** Milliseconds since a time (ISO 8601). */
const ageOf = (since: string): number => Date.now() - Date.parse(since)

/** Milliseconds until the next poll, after waiting since a time (ISO 8601). */
export const nextPollDelay = (since: string): number =>
  Math.min(MAX_PAUSE, Math.max(MIN_PAUSE, Math.ceil(ageOf(since) / 10)))

/** Whether the time limit is over. */
export const isOverdue = (since: string): boolean => ageOf(since) > LIFETIME

/** `unknown`: the ledger could not be read. */
type PolledState = LedgerState['state'] | 'unknown'

/** The reason that the tenant reads after the time limit. */
export const overdueReason = (state: PolledState): string =>
  state === 'unknown' ? 'its ledger cannot be read' : 'it was not written within 30 days'

/** State of a stored transaction on its ledger. */
export const stateOnLedger = async (transaction: JsonObject): Promise<PolledState> => {
  try {
    return (await onLedger(v.parse(LedgerTransaction, transaction))).state
  } catch (error) {
    log('warn', 'ledger of an object that waits to be written cannot be read', {
      event: 'ledger.unreadable',
      reason: error instanceof Error ? error.message : 'unknown',
    })
    return 'unknown'
  }
}
