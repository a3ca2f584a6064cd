/** Brings parked changes back, once what was wrong with them or with this code is mended. For an operator's tool. */
import { dispatchParked } from './dispatch.ts'
import { parkedChanges } from './parked-change.ts'

export interface Redriven {
  done: number
  /** Those that are still where they were. */
  left: number
}

/** Dispatches all parked changes, the oldest first. What was written of one before is not written twice. Throws `store.unavailable`. */
export const redriveParked = async (): Promise<Redriven> => {
  const redriven: Redriven = { done: 0, left: 0 }
  for await (const { record, remove } of parkedChanges()) {
    if (await dispatchParked(record)) {
      await remove()
      redriven.done += 1
    } else redriven.left += 1
  }
  return redriven
}
