/** The runs of the simulation, by name. */
import type { StartedTable } from '../unit/store/started-table.ts'
import { BURST, DEAD, OUTAGE, runOutage, sizeOf } from './outage.ts'
import { type Answer, REFUSED, STALLING, UNAVAILABLE } from './service.ts'
import { runHostile, runTarpits, tarpitSize } from './strangers.ts'

type Run = (table: StartedTable, scale: number) => Promise<object>

const outage =
  (failing: Answer | undefined): Run =>
  (table, scale) =>
    runOutage(table, { ...OUTAGE, size: sizeOf(scale), failing })

export const RUNS: Record<string, Run> = {
  alone: outage(undefined),
  refused: outage(REFUSED),
  503: outage(UNAVAILABLE),
  stalling: outage(STALLING),
  'dead for longer than the plan': (table, scale) =>
    runOutage(table, { ...DEAD, size: sizeOf(scale), failing: REFUSED }),
  'all at once': (table) => runOutage(table, { ...BURST, failing: REFUSED }),
  'hostile 500': (table) => runHostile(table, 500),
  'hostile 503': (table) => runHostile(table, 503),
  'tarpits alone': (table, scale) => runTarpits(table, { ...tarpitSize(scale), tarpits: 0 }),
  tarpits: (table, scale) => runTarpits(table, tarpitSize(scale)),
}
