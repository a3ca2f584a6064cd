/**
 * `npm run item -- <pk> <sk> --stage prod`: prints an item of the table as JSON, with texts unpacked and sealed bytes
 * unchanged. Works on AWS with the caller's credentials; the environment (`TABLE_NAME`, `DYNAMODB_ENDPOINT`) takes
 * precedence over the output of the stage's stack.
 */
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { SINGLE_SORT_KEY } from '../lib/store/keys.ts'
import { plainItem } from '../lib/store/plain-item.ts'
import { getItem } from '../lib/store/table.ts'
import { nameStage, StageName } from './deployment/name-stage.ts'
import { reason, StageFailure } from './failure.ts'

const USAGE = 'usage: npm run item -- <pk> [<sk>] --stage <stage>'

const Arguments = v.object({
  stage: StageName,
  address: v.strictTuple([v.string(USAGE), v.optional(v.string(), SINGLE_SORT_KEY)], USAGE),
})

if (import.meta.main) {
  try {
    const { values, positionals } = parseArgs({ options: { stage: { type: 'string' } }, allowPositionals: true })
    const { stage, address } = v.parse(Arguments, { ...values, address: positionals })
    const [pk, sk] = address
    await nameStage(stage, { TABLE_NAME: 'TableName' })
    const item = await getItem({ pk, sk })
    if (item === undefined) throw new StageFailure('there is no such item, or it has expired')
    console.log(JSON.stringify(plainItem(item), null, 2))
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}
