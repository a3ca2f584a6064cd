/** Corrupt items: an item that cannot be read is set aside unchanged, so that it does not block the items behind it. */
import { measure } from '../../metrics.ts'
import type { TableWrite } from '../../store/write.ts'

/** An item of a lane that cannot be read. */
export interface CorruptItem {
  /** The writes that remove it from its lane, and record its outcome as far as that is known. */
  writes: TableWrite[]
  /** Ids for the log. */
  about: Record<string, unknown>
}

/** Logs and counts an item that was set aside, as corrupt unless `about` names another `event`. */
export const logCorrupt = (about: Record<string, unknown>): void => {
  const fields = { event: 'outbox.item_corrupt', ...about } as const
  measure('error', 'waiting item set aside', fields, { values: { WorkGivenUp: 1 } })
}
