/** The job that waits until a ledger has what an operator was to write of a revocation registry, and goes on from there. */
import { AgentError, isAgentError } from '../../errors.ts'
import type { Done, JobHandler, PutOff } from '../../jobs/handler.ts'
import type { JobKey } from '../../jobs/job.ts'
import { log } from '../../log.ts'
import { toLedgerObject } from '../../records/ledger-object.ts'
import { registryItem } from '../../revocation/registry-item.ts'
import { type WantedRegistry, wantedRegistry } from '../../revocation/registry-job.ts'
import { waitForNextWrite } from '../../revocation/registry-write.ts'
import { type RegistryWrite, registryWriteItem } from '../../store/ledger-objects.ts'
import { transaction } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { isOverdue, OVERDUE, pauseSince, stateOnLedger } from './ledger-waiting.ts'
import { addRegistry, publishFirstList, removeRegistry } from './registry-publishing.ts'

export const registryWriteJob: JobHandler = {
  run: async (job) => {
    const registry = registryOf(job)
    try {
      return await transaction(job.tenant, (unit) => look(unit, registry))
    } catch (error) {
      if (!isAgentError(error, 'registry.unavailable')) throw error
      return { later: pauseSince(job.createdAt) }
    }
  },

  giveUp: async (unit, job, reason) => {
    const registry = registryOf(job)
    const write = await unit.load(registryWriteItem, registry)
    if (write !== undefined) await fail(unit, registry, write, reason)
  },
}

const registryOf = (job: JobKey): WantedRegistry => {
  const registry = wantedRegistry(job)
  if (registry === undefined) throw new AgentError('internal', `no registry is named by ${job.id}`)
  return registry
}

/** This job alone changes what waits, so the commit finds what was looked at. */
const look = async (unit: UnitOfWork, registry: WantedRegistry): Promise<Done | PutOff> => {
  const write = await unit.load(registryWriteItem, registry)
  if (write === undefined) return { commit: async () => {} }
  const state = await stateOnLedger(write.transaction)
  if (state === 'same') return written(registry, write)
  if (state === 'other')
    return { commit: (unit) => fail(unit, registry, write, 'the ledger has something else in its place') }
  // What is revoked has to be written, however late.
  if (isOverdue(write.since) && (await unit.load(registryItem, registry)) === undefined)
    return { commit: (unit) => fail(unit, registry, write, OVERDUE) }
  return { later: pauseSince(write.since) }
}

const written = async (registry: WantedRegistry, write: RegistryWrite): Promise<Done | PutOff> => {
  const { registryId, since } = write
  if (toLedgerObject(write.transaction).type === 'REVOC_REG_ENTRY')
    return { commit: (unit) => finish(unit, registry, registryId) }
  const first = await publishFirstList(registryId)
  if (first.state === 'finished') return { commit: (unit) => finish(unit, registry, registryId) }
  const next = { registryId, transaction: first.transaction }
  return {
    later: pauseSince(new Date().toISOString()),
    commit: async (unit) => waitForNextWrite(unit, registry, next, since),
  }
}

/** The ledger has an entry: the first one makes the registry usable, and the jobs of those who are revoked look for any other. */
const finish = async (unit: UnitOfWork, registry: WantedRegistry, registryId: string): Promise<void> => {
  unit.delete(registryWriteItem.addressOf(registry))
  if ((await unit.load(registryItem, registry)) === undefined) addRegistry(unit, registry, registryId)
}

/**
 * What waits is not written any more. A registry that no credential is of is forgotten, and the next offer asks for another one; for one in use
 * the jobs of those who are revoked make another entry, on top of what the ledger has by then.
 */
const fail = async (
  unit: UnitOfWork,
  registry: WantedRegistry,
  { registryId, transaction: failed }: RegistryWrite,
  reason: string,
): Promise<void> => {
  unit.delete(registryWriteItem.addressOf(registry))
  if ((await unit.load(registryItem, registry)) === undefined) await removeRegistry(unit, registryId)
  unit.afterCommit(() =>
    log('error', 'what waited to be written to a ledger has failed', {
      event: 'ledger.write_failed',
      ...{ tenant: unit.tenant, registryId, type: toLedgerObject(failed).type, reason },
    }),
  )
}
