/** The job that waits until an operator has written an object to a ledger. */
import type { AnonCredsCredentialDefinition } from '@credo-ts/anoncreds'
import * as v from 'valibot'
import { ledgerObjectItem } from '../../../anoncreds/ledger-objects.ts'
import { AgentError } from '../../../errors.ts'
import { LedgerTransaction } from '../../../indy/transactions.ts'
import type { Job, JobHandler } from '../../../jobs/job.ts'
import type { StoredCredentialDefinition } from '../../../records/credential-definition.ts'
import { transaction } from '../../../store/transaction.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { failDefinition, finishDefinition } from './definition-outcomes.ts'
import { readDefinition } from './definition-records.ts'
import { isOverdue, nextPollDelay, overdueReason, stateOnLedger } from './ledger-polling.ts'

export const ledgerJob: JobHandler = {
  run: async (job) => {
    const { tenant, id } = job
    const polled = await transaction(tenant, (unit) => poll(unit, id))
    if (polled === undefined) return { commit: async () => {} }
    const { state, waiting } = polled
    if (state === 'same') return { commit: (unit) => finish(unit, id, waiting) }
    if (state === 'other') return { givenUp: 'the ledger already has a different object' }
    if (isOverdue(job.createdAt)) return { givenUp: overdueReason(state) }
    return { later: nextPollDelay(job.createdAt) }
  },
  giveUp: (unit: UnitOfWork, { id }: Job, reason: string) => failDefinition(unit, id, reason),
}

interface PendingObject {
  credentialDefinitionId: string
  transaction: LedgerTransaction
}

/** Undefined if nothing is waiting any more. */
const poll = async (unit: UnitOfWork, id: string) => {
  const record = await readDefinition(unit, id)
  const object = await unit.load(ledgerObjectItem, { tenant: unit.tenant, id })
  if (record?.state !== 'action' || record.credentialDefinitionId === undefined || object === undefined)
    return undefined
  const pending = {
    credentialDefinitionId: record.credentialDefinitionId,
    transaction: v.parse(LedgerTransaction, object.transaction),
  }
  return { state: await stateOnLedger(object.transaction), waiting: pending }
}

const finish = async (unit: UnitOfWork, id: string, pending: PendingObject): Promise<void> => {
  const record = await readDefinition(unit, id)
  if (record?.state !== 'action') return
  const { credentialDefinitionId, transaction: written } = pending
  unit.delete(ledgerObjectItem.addressOf({ tenant: unit.tenant, id }))
  await finishDefinition(unit, { ...record, credentialDefinitionId }, definitionOf(record, written))
}

/** The ledger's definition in the form of AnonCreds. */
const definitionOf = (
  { issuerId, schemaId, tag }: StoredCredentialDefinition,
  { request: { operation } }: LedgerTransaction,
): AnonCredsCredentialDefinition => {
  if (operation.type !== '102') throw new AgentError('internal', 'the transaction must be of a credential definition')
  return { issuerId, schemaId, tag, type: 'CL', value: operation.data }
}
