/** The table of a test file: started before its tests, checked and stopped after them. */
import { afterAll, beforeAll, expect } from 'vitest'
import { StartedTable } from './started-table.ts'

export interface TableUse {
  /** False: the tests write items that no operation would leave behind. */
  check?: boolean
}

export const useTable = ({ check = true }: TableUse = {}): StartedTable => {
  const table = new StartedTable()
  beforeAll(async () => {
    await table.start()
  })
  afterAll(async () => {
    if (check) expect(await table.check()).toEqual([])
    await table.stop()
  })
  return table
}
