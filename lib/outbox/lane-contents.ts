/** What lanes deliver: what an adapter for messages, or for events, tells a turn. */
import type { PostOutcome } from '../egress/post.ts'
import type { TableWrite } from '../store/write.ts'
import type { CorruptItem } from './corrupt-item.ts'
import type { RetryPlan } from './retry-plan.ts'

/** What a lane delivers, and how: messages to a wallet, or events of a record to a webhook endpoint. */
export interface LaneContents<T> {
  plan: RetryPlan
  kind: 'message' | 'event'
  /** The first items that wait, in order, and whether there are more; and those among them that cannot be read. `now`: ms since the epoch. */
  read(now: number): Promise<{ items: T[]; more: boolean; corrupt: CorruptItem[] }>
  /** Ms since the epoch. */
  giveUpAt(item: T): number
  destinationOf(item: T): string
  /** Whose lane it is, where others share its destination: failures of one party alone do not close it. */
  party?: string
  /** How an item ends that is not to be sent any more; undefined for one that is. */
  settle(item: T): TableWrite[] | undefined
  /** Sends it. The receiver's faults are an outcome, not a throw. */
  send(item: T, now: number): Promise<PostOutcome>
  /** After an attempt: what is written here may be lost, the outcome may not, and of a success is written before. */
  note?(item: T, outcome: PostOutcome, now: number): Promise<void>
  /** What an attempt leaves in the table: the item delivered, or still waiting. */
  delivered(item: T, attempt: Attempt): TableWrite[]
  failed(item: T, attempt: Attempt): TableWrite[]
  /** What giving up leaves in the table, with or without another attempt. */
  givenUp(item: T, now: number, attempt?: Attempt): TableWrite[]
  /** Ids for the log. */
  about(item: T): Record<string, unknown>
}

export interface Attempt {
  outcome: PostOutcome
  /** Ms since the epoch. */
  startedAt: number
  endedAt: number
  /** Of a failed one; ms since the epoch. */
  nextAttemptAt?: number | undefined
}
