/** Objects of a revocation registry that an operator has to write to a ledger. */
import { AgentError } from '../errors.ts'
import { isObject, type JsonObject } from '../json.ts'
import { log } from '../log.ts'
import { registryWriteItem } from '../store/ledger-objects.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { enqueueRegistryWrite, type WantedRegistry } from './registry-job.ts'

interface Write {
  /** Id of the registry's definition. */
  registryId: string
  /** Prepared by the AnonCreds registry. */
  transaction: unknown
}

const itemOf = (registry: WantedRegistry, { registryId, transaction }: Write) => {
  if (!isObject(transaction)) throw new AgentError('internal', 'a ledger does not say what is to be written')
  return registryWriteItem.encode({ ...registry, registryId, transaction, since: new Date().toISOString() })
}

/** Logged for operators, because there is no event. */
const announce = (unit: UnitOfWork, { registryId }: Write): void =>
  unit.afterCommit(() =>
    log('info', 'a transaction waits to be written to a ledger', {
      event: 'ledger.write_wanted',
      ...{ tenant: unit.tenant, registryId },
    }),
  )

/** Starts waiting for the operator, with the job `registry-write`. Conflicts if something of the registry is waiting already. */
export const waitForWrite = (unit: UnitOfWork, registry: WantedRegistry, write: Write): void => {
  unit.create(itemOf(registry, write))
  enqueueRegistryWrite(unit, registry)
  announce(unit, write)
}

/** Waits for the next object in the same job. */
export const waitForNextWrite = (unit: UnitOfWork, registry: WantedRegistry, write: Write, since: string): void => {
  unit.replace(itemOf(registry, write), registryWriteItem.attributes({ since }))
  announce(unit, write)
}

/** Whether an entry revokes an index. */
export const revokes = ({ transaction }: { transaction: JsonObject }, index: number): boolean => {
  const { request } = transaction
  const operation = isObject(request) ? request.operation : undefined
  const value = isObject(operation) ? operation.value : undefined
  return isObject(value) && Array.isArray(value.revoked) && value.revoked.includes(index)
}
