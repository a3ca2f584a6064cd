/** Runs an operation as one transaction: in a unit of work that is committed afterwards, and repeated on conflict. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { AgentError, isAgentError } from '../errors.ts'
import type { Slots } from './slots.ts'
import { UnitOfWork } from './unit-of-work.ts'

const units = new AsyncLocalStorage<UnitOfWork>()

/** Maximum number of repetitions. */
const MAX_REPETITIONS = 3
/** Backoff with full jitter: maximum pause before the first repetition in ms, doubled each time up to 16 times as much. */
const MAX_PAUSE = 25
const MAX_FACTOR = 16

/** The unit of the running operation. */
export const currentUnit = (): UnitOfWork => {
  const unit = units.getStore()
  if (unit === undefined) throw new AgentError('internal', 'there is no unit of work outside of transaction()')
  return unit
}

/**
 * Runs `act` for a tenant and commits its writes. If `act` throws, nothing is written and its error is thrown; an error
 * of the store takes precedence over the error that protocol code made of it. Throws `store.conflict` after the last
 * repetition.
 */
export const transaction = async <T>(
  tenant: string,
  act: (unit: UnitOfWork) => Promise<T>,
  maxRepetitions = MAX_REPETITIONS,
): Promise<T> => {
  const operationSlots: Slots = new Map()
  for (let repetition = 0; ; repetition++) {
    const unit = new UnitOfWork(tenant, operationSlots)
    try {
      return await once(unit, act)
    } catch (error) {
      const isLast = repetition >= Math.max(maxRepetitions, unit.repetitions)
      if (!isAgentError(error, 'store.conflict') || isLast) throw error
      await delay(Math.random() * MAX_PAUSE * Math.min(MAX_FACTOR, 2 ** repetition))
    }
  }
}

const once = <T>(unit: UnitOfWork, act: (unit: UnitOfWork) => Promise<T>): Promise<T> =>
  units.run(unit, async () => {
    let result: T
    try {
      result = await act(unit)
    } catch (error) {
      throw unit.failure ?? error
    }
    await unit.commit()
    return result
  })
