/** The interface between a delivery and the contents of a lane. It has one adapter for messages and one for events. */
import type { PostOutcome } from '../../egress/post.ts'
import type { MetricName } from '../../metrics.ts'
import type { TableWrite } from '../../store/write.ts'
import type { CorruptItem } from './corrupt-item.ts'
import type { RetryPlan } from './retry-plan.ts'

/**
 * The contents of a lane, and how they are delivered: messages to a wallet, or events of a record to a webhook
 * endpoint.
 */
export interface LaneContents<T> {
  plan: RetryPlan
  /** The metrics that count the outcomes of the items. */
  metrics: { delivered: MetricName; givenUp: MetricName }
  /**
   * The first waiting items in order, whether there are more, and those that cannot be read. `now`: ms since the epoch.
   */
  read(now: number): Promise<{ items: T[]; more: boolean; corrupt: CorruptItem[] }>
  /** Unique in its lane. */
  idOf(item: T): string
  /** Ms since the epoch. */
  giveUpAt(item: T): number
  destinationOf(item: T): string
  /** The lane's owner, if several owners share the destination: failures of one party alone do not close it. */
  party?: string
  /** The writes that remove an item without sending it; undefined if it must be sent. */
  endWithoutSending(item: T): TableWrite[] | undefined
  /** Sends the item. Errors of the receiver are an outcome and are not thrown. */
  send(item: T, now: number): Promise<PostOutcome>
  /** Called after an attempt, and after a success was recorded. Its writes may be lost. */
  afterAttempt?(item: T, attempt: Attempt): Promise<void>
  /**
   * The writes that record an attempt: the item was delivered, or waits for the next one. `nextAttemptAt`: ms since the
   * epoch.
   */
  delivered(item: T, attempt: Attempt): TableWrite[]
  failed(item: T, attempt: Attempt, nextAttemptAt: number): TableWrite[]
  /** The writes that record that the item was given up, with or without a last attempt. */
  givenUp(item: T, now: number, attempt?: Attempt): TableWrite[]
  /** Ids for the log. */
  about(item: T): Record<string, unknown>
}

export interface Attempt {
  outcome: PostOutcome
  /** Ms since the epoch. */
  startedAt: number
  endedAt: number
}
