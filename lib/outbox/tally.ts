/** The tally of a turn: the outcomes of its attempts, as metrics in one line of the log. */
import { type Measurements, measure } from '../metrics.ts'
import type { LaneContents } from './lane-contents.ts'

/** An attempt has delivered, or has failed; or there will be no other one. */
type Came = 'delivered' | 'failed' | 'givenUp'

const METRIC = {
  message: { delivered: 'MessagesDelivered', failed: 'AttemptsFailed', givenUp: 'MessagesGivenUp' },
  event: { delivered: 'EventsDelivered', failed: 'AttemptsFailed', givenUp: 'EventsGivenUp' },
} as const satisfies Record<LaneContents<unknown>['kind'], Record<Came, keyof Measurements>>

export class Tally {
  readonly #values: Measurements = {}

  count({ kind }: Pick<LaneContents<unknown>, 'kind'>, came: Came): void {
    const name = METRIC[kind][came]
    this.#values[name] = (this.#values[name] ?? 0) + 1
  }

  /** Nothing where nothing was tried. `now` in ms since the epoch. */
  report(now: number): void {
    if (Object.keys(this.#values).length === 0) return
    measure('info', 'a turn has ended', { event: 'outbox.turn_ended' }, { values: this.#values, now })
  }
}
