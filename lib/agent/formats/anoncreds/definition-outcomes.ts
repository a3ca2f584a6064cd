/** Outcomes of a credential definition's generation: published, to be written to a ledger, or failed. */
import {
  type AnonCredsCredentialDefinition,
  AnonCredsCredentialDefinitionPrivateRecord,
  AnonCredsCredentialDefinitionPrivateRepository,
  AnonCredsCredentialDefinitionRecord,
  AnonCredsCredentialDefinitionRepository,
  AnonCredsKeyCorrectnessProofRecord,
  AnonCredsKeyCorrectnessProofRepository,
  type CreateCredentialDefinitionReturn,
} from '@credo-ts/anoncreds'
import { ledgerObjectItem } from '../../../anoncreds/ledger-objects.ts'
import { AgentError } from '../../../errors.ts'
import { enqueue } from '../../../jobs/job.ts'
import { isObject } from '../../../json.ts'
import type { StoredCredentialDefinition } from '../../../records/credential-definition.ts'
import { enqueueFirstRegistry } from '../../../revocation/registry.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { currentAgent, type TenantAgent } from '../../credo/index.ts'
import { releaseQuota } from './definition-quota.ts'
import { changeDefinition, readDefinition } from './definition-records.ts'
import { registryOf } from './registries.ts'

/** Publishes the generated definition of a waiting record. Throws `registry.unavailable`. */
export const publishDefinition = async (
  unit: UnitOfWork,
  id: string,
  generated: CreateCredentialDefinitionReturn,
): Promise<void> => {
  const record = await readDefinition(unit, id)
  if (record?.state !== 'wait') return
  const agent = await currentAgent()
  const { credentialDefinition } = generated
  const { credentialDefinitionState, registrationMetadata } = await registryOf(
    record.issuerId,
    'issuerId',
  ).registerCredentialDefinition(agent.context, { credentialDefinition, options: {} })
  if (credentialDefinitionState.state === 'failed')
    throw new AgentError('registry.unavailable', credentialDefinitionState.reason)
  const { state, credentialDefinitionId } = credentialDefinitionState
  if (state === 'wait') throw new AgentError('internal', `a registry of credential definitions returned ${state}`)
  await releaseQuota(unit, id)
  await saveSecrets(agent, credentialDefinitionId, generated)
  if (state === 'finished') return finishDefinition(unit, { ...record, credentialDefinitionId }, credentialDefinition)
  waitForLedger(unit, id, registrationMetadata.transaction)
  await changeDefinition(unit, record, { state, credentialDefinitionId })
}

/** Marks a definition as published. The agent can issue with it from now on. */
export const finishDefinition = async (
  unit: UnitOfWork,
  record: StoredCredentialDefinition & { credentialDefinitionId: string },
  credentialDefinition: AnonCredsCredentialDefinition,
): Promise<void> => {
  const { context } = await currentAgent()
  const { credentialDefinitionId, issuerId } = record
  const { methodName } = registryOf(issuerId, 'issuerId')
  await context
    .resolve(AnonCredsCredentialDefinitionRepository)
    .save(
      context,
      new AnonCredsCredentialDefinitionRecord({ credentialDefinitionId, credentialDefinition, methodName }),
    )
  await changeDefinition(unit, record, { state: 'finished' })
  const { revocationRegistrySize: size } = record
  if (size !== undefined) enqueueFirstRegistry(unit, { tenant: unit.tenant, credentialDefinitionId, size })
}

const waitForLedger = (unit: UnitOfWork, id: string, transaction: unknown): void => {
  if (!isObject(transaction)) throw new AgentError('internal', 'a registry must return the transaction to write')
  const { tenant } = unit
  unit.create(ledgerObjectItem.encode({ tenant, id, transaction }))
  enqueue(unit, { tenant, type: 'ledger-object', id })
}

/** Stores the private parts that Credo needs for issuing. */
const saveSecrets = async (
  { context }: TenantAgent,
  credentialDefinitionId: string,
  { credentialDefinitionPrivate = {}, keyCorrectnessProof = {} }: CreateCredentialDefinitionReturn,
): Promise<void> => {
  await context
    .resolve(AnonCredsCredentialDefinitionPrivateRepository)
    .save(
      context,
      new AnonCredsCredentialDefinitionPrivateRecord({ credentialDefinitionId, value: credentialDefinitionPrivate }),
    )
  await context
    .resolve(AnonCredsKeyCorrectnessProofRepository)
    .save(context, new AnonCredsKeyCorrectnessProofRecord({ credentialDefinitionId, value: keyCorrectnessProof }))
}

/**
 * Marks a definition as failed. `reason` is a sentence for the tenant. Another definition may then be created for the
 * same issuer, schema and tag.
 */
export const failDefinition = async (unit: UnitOfWork, id: string, reason: string): Promise<void> => {
  const record = await readDefinition(unit, id)
  if (record === undefined || (record.state !== 'wait' && record.state !== 'action')) return
  const { credentialDefinitionId, ...others } = record
  if (record.state === 'wait') await releaseQuota(unit, id)
  else unit.delete(ledgerObjectItem.addressOf({ tenant: unit.tenant, id }))
  if (credentialDefinitionId !== undefined) await removeSecrets(credentialDefinitionId)
  await changeDefinition(unit, others, { state: 'failed', reason })
}

/** Removes the private parts: Credo would find two for one id. */
const removeSecrets = async (credentialDefinitionId: string): Promise<void> => {
  const { context } = await currentAgent()
  for (const repository of [
    context.resolve(AnonCredsCredentialDefinitionPrivateRepository),
    context.resolve(AnonCredsKeyCorrectnessProofRepository),
  ]) {
    const record = await repository.findByCredentialDefinitionId(context, credentialDefinitionId)
    if (record !== null) await repository.deleteById(context, record.id)
  }
}
