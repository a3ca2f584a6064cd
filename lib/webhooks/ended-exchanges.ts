/** Metrics of ended exchanges, by format and final state. */
import { isObject } from '../json.ts'
import { FINAL_STATES, type Format, measure } from '../metrics.ts'
import { recordsOf } from '../records/kinds.ts'
import type { StoredRecord } from '../store/stored-record.ts'

export interface EndedExchange {
  format: Format
  /** One of `FINAL_STATES`. */
  state: string
}

/** Undefined for other records and for exchanges that continue. */
export const endOf = ({ type, value }: Pick<StoredRecord, 'type' | 'value'>): EndedExchange | undefined => {
  const { state, metadata } = value
  const format = recordsOf(type)?.format
  if (format === undefined || typeof state !== 'string' || !FINAL_STATES.some((one) => one === state)) return undefined
  return { format: format(isObject(metadata) ? metadata : {}), state }
}

/** Writes one line for each format and state. A repeated batch of the stream is counted again. */
export const countEnded = (facts: readonly { ended?: EndedExchange | undefined }[]): void => {
  const ends = facts.flatMap(({ ended }) => (ended === undefined ? [] : [ended]))
  for (const same of Map.groupBy(ends, ({ format, state }) => `${format} ${state}`).values()) {
    const [{ format, state } = { format: '', state: '' }] = same
    const measured = { values: { ExchangesEnded: same.length }, by: { Format: format, State: state } }
    measure('info', 'exchanges have ended', { event: 'exchange.ended' }, measured)
  }
}
