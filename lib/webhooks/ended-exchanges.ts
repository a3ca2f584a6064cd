/** Metrics of ended exchanges, by format and final state. */
import { isObject } from '../json.ts'
import { type Format, measure } from '../metrics.ts'
import { recordsOf } from '../records/kinds.ts'
import type { StoredRecord } from '../store/stored-record.ts'

export interface EndedExchange {
  format: Format
  /** One of the final states of its kind. */
  state: string
}

/** Undefined for other records and for exchanges that continue. */
export const endOf = ({ type, value }: Pick<StoredRecord, 'type' | 'value'>): EndedExchange | undefined => {
  const { state, metadata } = value
  const ends = recordsOf(type)?.ends
  if (ends === undefined || typeof state !== 'string' || !ends.states.includes(state)) return undefined
  return { format: ends.format(isObject(metadata) ? metadata : {}), state }
}

/** Writes one line for each format and state. A repeated batch of the stream is counted again. */
export const countEnded = (facts: readonly { ended?: EndedExchange | undefined }[]): void => {
  const ends = facts.flatMap(({ ended }) => (ended === undefined ? [] : [ended]))
  for (const same of Map.groupBy(ends, ({ format, state }) => `${format} ${state}`).values()) {
    const [{ format, state } = { format: '', state: '' }] = same
    const measured = { values: { ExchangesEnded: same.length }, by: { Format: format, State: state } }
    measure('info', 'exchanges ended', { event: 'exchange.ended' }, measured)
  }
}
