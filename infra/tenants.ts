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
  command: v.strictTuple([v.literal('leftovers', USAGE), v.pipe(v.string(USAGE), EntityId)], USAGE),
})
const SEGMENTS = 8

/** The search with which a run goes on: for a removal a complete one, else an unfinished one or a new one. */
const searchFor = (path: string, key: Pick<Search, 'table' | 'tenant' | 'removedAt'>, remove: boolean): Search => {
  const stored = readSearch(path)
  const isSame = stored?.table === key.table && stored.tenant === key.tenant && stored.removedAt === key.removedAt
  if (isSame && stored.places.every((place) => place === 'end') === remove) return stored
  if (remove) throw new StageFailure('there is no complete list of what is left: run this without --remove first')
  const places = Array.from({ length: SEGMENTS }, () => 'start' as const)
  return { ...key, units: 0, places, leftovers: [], handled: 0 }
}

const priceOf = async ({ units }: Search): Promise<string> => {
  const bytes = Math.max(0, (await tableBytes()) - (units / SCANNED_GB_UNITS) * 2 ** 30)
  return `This reads ${units === 0 ? 'the whole table' : 'the rest of the table'}, ${scanPrice(bytes)}.`
}

const leftovers = async ({ stage, command, rate, remove, yes }: v.InferOutput<typeof Arguments>): Promise<string> => {
  const [, tenant] = command
  const mark = await requireMark(tenant)
  // Some systems allow no colon in names of files.
  const path = `.tenants/${stage}/${encodeURIComponent(tenant)}.json`
  const search = searchFor(path, { table: settings().TABLE_NAME, tenant, removedAt: mark.removedAt }, remove)
  console.log(remove ? summary(search, mark) : await priceOf(search))
  if (!yes && !(await confirm('Go on? [y/N] '))) return 'nothing was done'
  if (remove) return `${await saving(path, search, () => removeLeftovers(search))} items were removed`
  await saving(path, search, () => findLeftovers(search, rate))
  return summary(search, mark)
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
