/** The job that waits until an operator has written an object of a revocation registry, and continues from there. */

import { type RegistryWrite, registryWriteItem } from '../../../anoncreds/ledger-objects.ts'
import { isAgentError } from '../../../errors.ts'
import type { Done, GivenUp, JobHandler, Postponed } from '../../../jobs/job.ts'
import { log } from '../../../log.ts'
import { toLedgerObject } from '../../../records/ledger-object.ts'
import { type NewRegistry, registryItem, registryOfJob, waitForNextWrite } from '../../../revocation/registry.ts'
import { transaction } from '../../../store/transaction.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { isOverdue, nextPollDelay, overdueReason, stateOnLedger } from './ledger-polling.ts'
import { addRegistry, publishFirstList, removeRegistry } from './registry-publishing.ts'

export const registryWriteJob: JobHandler = {
  run: async (job) => {
    const registry = registryOfJob(job)
    try {
      return await transaction(job.tenant, (unit) => poll(unit, registry))
    } catch (error) {
      if (!isAgentError(error, 'registry.unavailable') && !isAgentError(error, 'anoncreds.unavailable')) throw error
      return { later: nextPollDelay(job.createdAt) }
    }
  },

  giveUp: async (unit, job, reason) => {
    const registry = registryOfJob(job)
    const write = await unit.load(registryWriteItem, registry)
    if (write !== undefined) await fail(unit, registry, write, reason)
  },
}

/** Only this job changes the waiting object, so the commit applies to what was read here. */
const poll = async (unit: UnitOfWork, registry: NewRegistry): Promise<Done | Postponed | GivenUp> => {
  const write = await unit.load(registryWriteItem, registry)
  if (write === undefined) return { commit: async () => {} }
  const state = await stateOnLedger(write.transaction)
  if (state === 'same') return written(registry, write)
  if (state === 'other') return { givenUp: 'the ledger already has a different object' }
  // A revocation must be written, however late.
  if (isOverdue(write.since) && (await unit.load(registryItem, registry)) === undefined)
    return { givenUp: overdueReason(state) }
  return { later: nextPollDelay(write.since) }
}

const written = async (registry: NewRegistry, write: RegistryWrite): Promise<Done | Postponed> => {
  const { registryId, since } = write
  if (toLedgerObject(write.transaction).type === 'REVOC_REG_ENTRY')
    return { commit: (unit) => finish(unit, registry, registryId) }
  const first = await publishFirstList(registryId)
  if (first.state === 'finished') return { commit: (unit) => finish(unit, registry, registryId) }
  const next = { registryId, transaction: first.transaction }
  return {
    later: nextPollDelay(new Date().toISOString()),
    commit: (unit) => waitForNextWrite(unit, registry, next, since),
  }
}

/**
 * Called when the ledger has the entry. The first one makes the registry usable; revocation jobs check for all others.
 */
const finish = async (unit: UnitOfWork, registry: NewRegistry, registryId: string): Promise<void> => {
  unit.delete(registryWriteItem.addressOf(registry))
  if ((await unit.load(registryItem, registry)) === undefined) addRegistry(unit, registry, registryId)
}

/**
 * Called when the object will not be written. An unused registry is deleted, and the next offer requests another. For a
 * registry in use, revocation jobs prepare another entry on top of the ledger's current state.
 */
const fail = async (
  unit: UnitOfWork,
  registry: NewRegistry,
  { registryId, transaction: failed }: RegistryWrite,
  reason: string,
): Promise<void> => {
  unit.delete(registryWriteItem.addressOf(registry))
  if ((await unit.load(registryItem, registry)) === undefined) await removeRegistry(unit, registryId)
  unit.afterCommit(() =>
    log('error', 'object was not written to its ledger', {
      event: 'ledger.write_failed',
      ...{ tenant: unit.tenant, registryId, type: toLedgerObject(failed).type, reason },
    }),
  )
}
