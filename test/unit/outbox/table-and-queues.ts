/** A table, and the queues of wake-ups in place of SQS: what tests of a file begin with that write what a queue is told of. */
import { type StartedTable, startTable } from '../store/started-table.ts'
import { nameQueues, type SentWakeUps, watchQueues } from './sent-wake-ups.ts'

/** Before anything has asked for the settings. */
export const startTableAndQueues = async (): Promise<{ table: StartedTable; queues: SentWakeUps }> => {
  nameQueues()
  const table = await startTable()
  return { table, queues: watchQueues() }
}
