/** The simulation of outbound delivery: `npm run simulate -- --scale 100 --run 503` (a hundredth of the size; all runs without `--run`). */
import { parseArgs } from 'node:util'
import '../support/environment.ts'
import { RUNS } from './runs.ts'

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1000' },
    run: { type: 'string', multiple: true },
  },
})

for (const [name, run] of Object.entries(RUNS)) {
  if (values.run !== undefined && !values.run.includes(name)) continue
  const result = await run(1 / Number(values.scale))
  console.log(JSON.stringify({ run: name, scale: `1/${values.scale}`, ...result }, undefined, 2))
}
