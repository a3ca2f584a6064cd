/**
 * Limits the credential definitions of a tenant: keys take seconds of processor time, and their secrets are stored
 * forever.
 */
import { AgentError } from '../../../errors.ts'
import type { Stored } from '../../../store/item.ts'
import { consumeRateLimit } from '../../../store/limits.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { slotItem } from './definition-items.ts'

/** One for each definition whose keys are generated at the same time. */
const SLOTS = ['1', '2']
/** Definitions per day (UTC). */
const MAX_A_DAY = 50
const DAY = 24 * 60 * 60

/** A slot that no definition has; undefined if there is none. */
export const findFreeSlot = async (unit: UnitOfWork): Promise<string | undefined> => {
  const used = (await readSlots(unit)).map(({ slot }) => slot)
  return SLOTS.find((slot) => !used.includes(slot))
}

/** Takes a free slot for a definition whose keys are to be generated, and counts it. Throws `quota.exceeded`. */
export const reserveQuota = async (unit: UnitOfWork, id: string, slot: string | undefined): Promise<void> => {
  const { tenant } = unit
  if (slot === undefined)
    throw new AgentError('quota.exceeded', `${SLOTS.length} credential definitions are being generated already`)
  const message = `${MAX_A_DAY} credential definitions were created today (UTC) already`
  const count = { tenant, of: 'definitions', seconds: DAY, max: MAX_A_DAY, message }
  await unit.operationState(slotItem, () => consumeRateLimit(count))
  unit.create(slotItem.encode({ tenant, slot, id }))
}

/** Ends the generation of a definition's keys, successful or not. */
export const releaseQuota = async (unit: UnitOfWork, id: string): Promise<void> => {
  const { tenant } = unit
  const slot = (await readSlots(unit)).find((one) => one.id === id)
  if (slot !== undefined) unit.delete(slotItem.addressOf({ tenant, ...slot }))
}

const readSlots = async (unit: UnitOfWork): Promise<Stored<typeof slotItem>[]> =>
  (await unit.getAll(SLOTS.map((slot) => slotItem.addressOf({ tenant: unit.tenant, slot })))).map(slotItem.decode)
