/**
 * `npm run tenants -- --stage prod leftovers <id>`: lists what the table still has of a removed tenant, by a scan with
 * `--rate` read units a second. It asks before, unless with `--yes`, and goes on where an earlier run has ended.
 * `--remove`: removes what was listed and has no other way to it. Works on AWS with the caller's credentials; the
 * environment (`TABLE_NAME`, `DYNAMODB_ENDPOINT`) takes precedence over the output of the stage's stack.
 */
import { parseArgs } from 'node:util'
import * as v from 'valibot'
import { EntityId } from '../lib/records/tenant.ts'
import { settings } from '../lib/settings.ts'
import { tableBytes } from '../lib/store/scan.ts'
import { confirm, SCANNED_GB_UNITS, scanPrice } from './confirm.ts'
import { nameStage, StageName } from './deployment/name-stage.ts'
import { reason, StageFailure } from './failure.ts'
import { findLeftovers, removeLeftovers, requireMark, summary } from './tenants/leftovers.ts'
import { readSearch, type Search, saving } from './tenants/search.ts'

const USAGE =
  'usage: npm run tenants -- --stage <stage> leftovers <id> [--rate <read units a second>] [--remove] [--yes]'

const text = { type: 'string' } as const
const flag = { type: 'boolean', default: false } as const
const OPTIONS = { stage: text, rate: { ...text, default: '2000' }, remove: flag, yes: flag }

const Arguments = v.object({
  stage: StageName,
  /** A new table on demand takes six times the default. */
  rate: v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/, '--rate is a number of read units'), v.transform(Number)),
  remove: v.boolean(),
  yes: v.boolean(),
  command: v.strictTuple([v.literal('leftovers', USAGE), EntityId], USAGE),
})
type Arguments = v.InferOutput<typeof Arguments>

const SEGMENTS = 8

const NOTHING = 'nothing was done'

const agrees = async (question: string, { yes }: Arguments): Promise<boolean> => {
  console.log(question)
  return yes || (await confirm('Go on? [y/N] '))
}

const find = async (path: string, search: Search, args: Arguments): Promise<string> => {
  const bytes = Math.max(0, (await tableBytes()) - (search.units / SCANNED_GB_UNITS) * 2 ** 30)
  const what = search.units === 0 ? 'the whole table' : 'the rest of the table'
  if (!(await agrees(`This reads ${what}, ${scanPrice(bytes)}.`, args))) return NOTHING
  await saving(path, search, () => findLeftovers(search, args.rate))
  return summary(search, await requireMark(search.tenant))
}

const remove = async (path: string, search: Search, args: Arguments): Promise<string> => {
  console.log(summary(search, await requireMark(search.tenant)))
  if (!(await agrees('This removes them.', args))) return NOTHING
  return `${await saving(path, search, () => removeLeftovers(search))} items were removed`
}

const leftovers = async (args: Arguments): Promise<string> => {
  const [, tenant] = args.command
  const { removedAt } = await requireMark(tenant)
  const table = settings().TABLE_NAME
  // Some systems allow no colon in names of files.
  const path = `.tenants/${args.stage}/${encodeURIComponent(tenant)}.json`
  const stored = readSearch(path)
  const isSame = stored?.table === table && stored.tenant === tenant && stored.removedAt === removedAt
  const isComplete = stored?.places.every((place) => place === 'end')
  if (args.remove && isSame && isComplete) return remove(path, stored, args)
  if (args.remove) throw new StageFailure('there is no complete list of what is left: run this without --remove first')
  const places = Array.from({ length: SEGMENTS }, () => 'start' as const)
  const none = { table, tenant, removedAt, units: 0, places, leftovers: [], handled: 0 }
  return find(path, isSame && !isComplete ? stored : none, args)
}

if (import.meta.main) {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true })
    const args = v.parse(Arguments, { ...values, command: positionals })
    await nameStage(args.stage, { TABLE_NAME: 'TableName' })
    console.log(await leftovers(args))
  } catch (error) {
    console.error(reason(error))
    process.exit(1)
  }
}
