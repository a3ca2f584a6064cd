/** Metrics of ended exchanges, by format and final state. */
import { isObject } from '../json.ts'
import { FINAL_STATES, type Format, measure } from '../metrics.ts'
import { ANONCREDS } from '../records/credential-exchange.ts'
import { PROVES_DEFINITION, VERIFIER_CONTEXTS } from '../records/record-json.ts'
import type { StoredRecord } from '../store/stored-record.ts'

export interface EndedExchange {
  format: Format
  /** One of `FINAL_STATES`. */
  state: string
}

/** The format, by the record's metadata. A further format of `FORMATS` needs its own mark there. */
const formatOf = ({ type, value: { metadata } }: Pick<StoredRecord, 'type' | 'value'>): Format => {
  const has = (name: string): boolean => isObject(metadata) && name in metadata
  // An offer in both formats counts as AnonCreds, because the wallet's choice is unknown.
  if (type === 'CredentialRecord') return has(ANONCREDS) ? 'credential/anoncreds' : 'credential/json-ld'
  const isOfDefinition = has(VERIFIER_CONTEXTS) || has(PROVES_DEFINITION)
  return isOfDefinition ? 'proof/presentation-exchange' : 'proof/anoncreds'
}

/** Undefined for other records and for exchanges that continue. */
export const endOf = (stored: Pick<StoredRecord, 'type' | 'value'>): EndedExchange | undefined => {
  const { state } = stored.value
  if (!['CredentialRecord', 'ProofRecord'].includes(stored.type) || typeof state !== 'string') return undefined
  return FINAL_STATES.some((one) => one === state) ? { format: formatOf(stored), state } : undefined
}

/** Writes one line for each format and state. A repeated batch of the stream is counted again. */
export const countEnded = (facts: readonly { ended?: EndedExchange }[]): void => {
  const ends = facts.flatMap(({ ended }) => (ended === undefined ? [] : [ended]))
  for (const same of Map.groupBy(ends, ({ format, state }) => `${format} ${state}`).values()) {
    const [{ format, state } = { format: '', state: '' }] = same
    const measured = { values: { ExchangesEnded: same.length }, by: { Format: format, State: state } }
    measure('info', 'exchanges have ended', { event: 'exchange.ended' }, measured)
  }
}
