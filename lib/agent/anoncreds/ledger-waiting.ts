/** How long, and with which pauses, a job waits until a ledger has what an operator was to write to it. */
import type { LedgerState, LedgerTransaction } from '../../indy/transactions.ts'
import type { JsonObject } from '../../json.ts'
import { onLedger } from './indy-writes.ts'

/** Ms: the first look comes soon, later ones are a tenth of the time that has passed apart. */
const MIN_PAUSE = 5_000
const MAX_PAUSE = 60 * 60_000
/** Ms: an operator who has not written it by then will not. */
const LIFETIME = 30 * 24 * 60 * 60_000

/** Ms since a time (ISO 8601). */
const ageOf = (since: string): number => Date.now() - Date.parse(since)

/** Ms until the next look at what is waited for since a time (ISO 8601). */
export const pauseSince = (since: string): number => Math.min(MAX_PAUSE, Math.max(MIN_PAUSE, ageOf(since) / 10))

/** Whether it was waited for long enough. */
export const isOverdue = (since: string): boolean => ageOf(since) > LIFETIME
export const OVERDUE = 'it was not written within 30 days'

/** `transaction`: as this service has stored it. A proxy that does not answer is asked again like one that has not got it yet. */
export const stateOnLedger = async (transaction: JsonObject): Promise<LedgerState['state']> => {
  try {
    return (await onLedger(transaction as unknown as LedgerTransaction)).state
  } catch {
    return 'absent'
  }
}
