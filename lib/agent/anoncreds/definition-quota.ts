/** Limits the credential definitions of a tenant: keys take seconds of processor time, and their secrets are stored forever. */
import { AgentError } from '../../errors.ts'
import { definitionQuotaAddress } from '../../store/anoncreds-keys.ts'
import { defineItem } from '../../store/item.ts'
import { integer, text } from '../../store/item-fields.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'

/** Definitions whose keys are generated at the same time. */
const MAX_AT_A_TIME = 2
/** Definitions per day (UTC). */
const MAX_A_DAY = 50

const quotaItem = defineItem('definition-quota', ({ tenant }: { tenant: string }) => definitionQuotaAddress(tenant), {
  /** `YYYY-MM-DD`. */
  day: text(),
  made: integer(),
  running: integer(),
  version: integer(),
})

/** Counts a definition before its keys are generated. Throws `quota.exceeded`. */
export const reserveQuota = async (unit: UnitOfWork, now = Date.now()): Promise<void> => {
  const { tenant } = unit
  const day = new Date(now).toISOString().slice(0, 10)
  const held = await unit.load(quotaItem, { tenant })
  const made = held?.day === day ? held.made : 0
  const running = held?.running ?? 0
  if (running >= MAX_AT_A_TIME)
    throw new AgentError('quota.exceeded', `${MAX_AT_A_TIME} credential definitions are being made already`)
  if (made >= MAX_A_DAY)
    throw new AgentError('quota.exceeded', `${MAX_A_DAY} credential definitions were made today (UTC) already`)
  const item = { tenant, day, made: made + 1, running: running + 1 }
  if (held === undefined) unit.create(quotaItem.encode({ ...item, version: 1 }))
  else unit.replace(quotaItem.encode({ ...item, version: held.version + 1 }), held.version)
}

/** Ends the generation of a definition's keys, successful or not. */
export const releaseQuota = async (unit: UnitOfWork): Promise<void> => {
  const { tenant } = unit
  const held = await unit.load(quotaItem, { tenant })
  if (held === undefined) return
  const { day, made, running, version } = held
  unit.replace(
    quotaItem.encode({ tenant, day, made, running: Math.max(0, running - 1), version: version + 1 }),
    version,
  )
}
