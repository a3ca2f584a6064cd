/** The simulation of outbound delivery: `npm run simulate -- --scale 100 --run 503` (a hundredth of the size; all runs unless told). */
import { parseArgs } from 'node:util'
import '../support/environment.ts'
import './queue-urls.ts'

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1000' },
    run: { type: 'string', multiple: true },
    /** A table in memory instead of the embedded database: the same results in an eighth of the time. */
    memory: { type: 'boolean', default: false },
  },
})

/** The service reads its settings when it is loaded, after the table has started. */
const startTable = async () => {
  if (!values.memory) return (await import('../unit/store/started-table.ts')).startTable({ stream: false })
  Object.assign(process.env, { TABLE_NAME: 'agent', AWS_REGION: 'eu-west-1' })
  const { MemoryTable } = await import('./memory-table.ts')
  return new MemoryTable()
}

const table = await startTable()
const { RUNS } = await import('./runs.ts')
const scale = 1 / Number(values.scale)
try {
  for (const [name, run] of Object.entries(RUNS)) {
    if (values.run !== undefined && !values.run.includes(name)) continue
    console.log(JSON.stringify({ run: name, scale: `1/${values.scale}`, ...(await run(table, scale)) }, undefined, 2))
  }
} finally {
  if ('stop' in table) await table.stop()
}
