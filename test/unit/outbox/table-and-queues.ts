/** A table, and the queues of wake-ups in place of SQS: what tests of a file begin with that write what a queue is told of. */
import type { StartedTable } from '../store/started-table.ts'
import { type TableUse, useTable } from '../store/use-table.ts'
import { nameQueues, type SentWakeUps, watchQueues } from './sent-wake-ups.ts'

/** Before anything has asked for the settings. */
export const useTableAndQueues = async (use?: TableUse): Promise<{ table: StartedTable; queues: SentWakeUps }> => {
  nameQueues()
  const table = await useTable({ memory: true, ...use })
  return { table, queues: watchQueues() }
}
