/** A table, and queues of wake-ups in place of SQS, for the tests of a file. */
import type { StartedTable } from '../store/started-table.ts'
import { type TableUse, useTable } from '../store/use-table.ts'
import { nameQueues, type SentWakeUps, watchQueues } from './sent-wake-ups.ts'

/** Must run before the settings are read. */
export const useTableAndQueues = async (use?: TableUse): Promise<{ table: StartedTable; queues: SentWakeUps }> => {
  nameQueues()
  const table = await useTable({ memory: true, ...use })
  return { table, queues: watchQueues() }
}
