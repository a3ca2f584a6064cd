/** Runs an operation in a unit of work, commits it in one transaction, and retries after a conflict. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { AgentError, isAgentError } from '../errors.ts'
import type { ModuleStates } from './module-state.ts'
import { UnitOfWork } from './unit-of-work.ts'

const units = new AsyncLocalStorage<UnitOfWork>()

/** Default maximum number of retries. */
const MAX_RETRIES = 3
/** Backoff with full jitter: maximum pause before the first retry in ms, doubled each time up to 16 times as much. */
const MAX_PAUSE_MS = 25
const MAX_FACTOR = 16

/** The unit of work of the running operation. */
export const currentUnit = (): UnitOfWork => {
  const unit = units.getStore()
  if (unit === undefined) throw new AgentError('internal', 'there is no unit of work outside of transaction()')
  return unit
}

/**
 * Runs `act` for a tenant and commits its writes. If `act` throws, nothing is written. An error of the store takes
 * precedence over the error into which protocol code has changed it. Throws `store.conflict` after the last retry.
 */
export const transaction = async <T>(
  tenant: string,
  act: (unit: UnitOfWork) => Promise<T>,
  maxRetries = MAX_RETRIES,
): Promise<T> => {
  const operationStates: ModuleStates = new Map()
  for (let retry = 0; ; retry++) {
    const unit = new UnitOfWork(tenant, operationStates)
    try {
      return await runOnce(unit, act)
    } catch (error) {
      const isLast = retry >= Math.max(maxRetries, unit.minRetries)
      if (!isAgentError(error, 'store.conflict') || isLast) throw error
      await delay(Math.random() * MAX_PAUSE_MS * Math.min(MAX_FACTOR, 2 ** retry))
    }
  }
}

/** Runs `act` in a unit of work whose writes are not committed. */
export const withoutCommit = <T>(tenant: string, act: (unit: UnitOfWork) => Promise<T>): Promise<T> => {
  const unit = new UnitOfWork(tenant)
  return units.run(unit, () => act(unit))
}

const runOnce = <T>(unit: UnitOfWork, act: (unit: UnitOfWork) => Promise<T>): Promise<T> =>
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
