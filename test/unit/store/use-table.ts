/** The table of a test file: started at its top, checked and stopped after its tests. */
import { afterAll, expect } from 'vitest'
import { stopAtEnd } from '../../support/stop-at-end.ts'
import { type StartedTable, startTable, type TableOptions } from './started-table.ts'

export interface TableUse extends TableOptions {
  /** False: the tests write items that no operation would leave behind. */
  check?: boolean
}

export const useTable = async ({ check = true, ...options }: TableUse = {}): Promise<StartedTable> => {
  const table = await stopAtEnd(startTable(options))
  if (check) afterAll(async () => expect(await table.check()).toEqual([]))
  return table
}
