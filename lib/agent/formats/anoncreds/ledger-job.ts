/** The job that waits until an operator has written an object to a ledger. */
import type { AnonCredsCredentialDefinition } from '@credo-ts/anoncreds'
import * as v from 'valibot'
import { LedgerTransaction } from '../../../indy/transactions.ts'
import type { Job, JobHandler } from '../../../jobs/job.ts'
import type { StoredCredentialDefinition } from '../../../records/credential-definition.ts'
import { ledgerObjectItem } from '../../../store/ledger-objects.ts'
import { transaction } from '../../../store/transaction.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { failDefinition, finishDefinition } from './definition-outcomes.ts'
import { readDefinition } from './definition-records.ts'
import { isOverdue, overdueReason, pauseSince, stateOnLedger } from './ledger-waiting.ts'

export const ledgerJob: JobHandler = {
  run: async (job) => {
    const { tenant, id } = job
    const found = await transaction(tenant, (unit) => poll(unit, id))
    if (found === undefined) return { commit: async () => {} }
    const { state, waiting } = found
    if (state === 'same') return { commit: (unit) => finish(unit, id, waiting) }
    if (state === 'other')
      return { commit: (unit) => failDefinition(unit, id, 'the ledger has another object in its place') }
    if (isOverdue(job.createdAt)) return { commit: (unit) => failDefinition(unit, id, overdueReason(state)) }
    return { later: pauseSince(job.createdAt) }
  },
  giveUp: (unit: UnitOfWork, { id }: Job, reason: string) => failDefinition(unit, id, reason),
}

interface Waiting {
  credentialDefinitionId: string
  transaction: LedgerTransaction
}

/** Undefined if nothing is waiting any more. */
const poll = async (
  unit: UnitOfWork,
  id: string,
): Promise<{ state: Awaited<ReturnType<typeof stateOnLedger>>; waiting: Waiting } | undefined> => {
  const record = await readDefinition(unit, id)
  const held = await unit.load(ledgerObjectItem, { tenant: unit.tenant, id })
  if (record?.state !== 'action' || record.credentialDefinitionId === undefined || held === undefined) return undefined
  const waiting = {
    credentialDefinitionId: record.credentialDefinitionId,
    transaction: v.parse(LedgerTransaction, held.transaction),
  }
  return { state: await stateOnLedger(held.transaction), waiting }
}

const finish = async (unit: UnitOfWork, id: string, waiting: Waiting): Promise<void> => {
  const record = await readDefinition(unit, id)
  if (record?.state !== 'action') return
  const { credentialDefinitionId, transaction: written } = waiting
  unit.delete(ledgerObjectItem.addressOf({ tenant: unit.tenant, id }))
  await finishDefinition(unit, { ...record, credentialDefinitionId }, definitionOf(record, written))
}

/** The ledger's definition in the form of AnonCreds. */
const definitionOf = (
  { issuerId, schemaId, tag }: StoredCredentialDefinition,
  { request: { operation } }: LedgerTransaction,
): AnonCredsCredentialDefinition => {
  if (operation.type !== '102') throw new TypeError('the operator has written no credential definition')
  return { issuerId, schemaId, tag, type: 'CL', value: operation.data }
}
