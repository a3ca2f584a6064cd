/** The simulation of outbound delivery: `npm run simulate -- --scale 100 --run 503` (a hundredth of the size; all runs unless told). */
import { parseArgs } from 'node:util'
import '../support/environment.ts'
import './queue-urls.ts'

const { values } = parseArgs({
  options: { scale: { type: 'string', default: '1000' }, run: { type: 'string', multiple: true } },
})
// The service reads its settings when it is loaded, after the table has started.
const { startTable } = await import('../unit/store/started-table.ts')
const table = await startTable({ stream: false })
const { RUNS } = await import('./runs.ts')
const scale = 1 / Number(values.scale)
try {
  for (const [name, run] of Object.entries(RUNS)) {
    if (values.run !== undefined && !values.run.includes(name)) continue
    console.log(JSON.stringify({ run: name, scale: `1/${values.scale}`, ...(await run(table, scale)) }, undefined, 2))
  }
} finally {
  await table.stop()
}
