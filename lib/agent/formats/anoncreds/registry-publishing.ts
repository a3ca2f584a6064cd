/**
 * Publishes revocation registries (definition, first status list and tails file), or prepares them for a ledger's
 * operator.
 */
import {
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
  AnonCredsRegistryService,
  type AnonCredsRevocationRegistryDefinition,
  AnonCredsRevocationRegistryDefinitionPrivateRecord,
  AnonCredsRevocationRegistryDefinitionPrivateRepository,
  AnonCredsRevocationRegistryDefinitionRecord,
  AnonCredsRevocationRegistryDefinitionRepository,
  AnonCredsRevocationRegistryState,
} from '@credo-ts/anoncreds'
import { AgentError } from '../../../errors.ts'
import { legacyId, parseIndyId } from '../../../indy/ids.ts'
import { type NewRegistry, registryItem, waitForWrite } from '../../../revocation/registry.ts'
import { addTailsFile, removeTailsFile } from '../../../revocation/tails-file.ts'
import type { UnitOfWork } from '../../../store/unit-of-work.ts'
import { currentAgent } from '../../credo/index.ts'
import { assertAnonCredsLoads } from './library.ts'

export interface GeneratedRegistry {
  revocationRegistryDefinition: AnonCredsRevocationRegistryDefinition
  /** The private part. */
  keys: Record<string, unknown>
  tails: Uint8Array
}

/** Result of publishing: finished, or an operator must write the object. */
type Publication = { state: 'finished' } | { state: 'action'; transaction: unknown }

/** The result of publishing. Throws `registry.unavailable` if it failed. */
const publicationOf = (
  { state, reason }: { state: string; reason?: string },
  registrationMetadata: Record<string, unknown>,
): Publication => {
  if (state === 'finished') return { state }
  if (state === 'action') return { state, transaction: registrationMetadata.transaction }
  throw new AgentError('registry.unavailable', reason ?? 'the registry rejected it')
}

/** Publishes a registry in the running unit of work. Throws `registry.unavailable`. */
export const publishRegistry = async (
  unit: UnitOfWork,
  requested: NewRegistry,
  { revocationRegistryDefinition, keys, tails }: GeneratedRegistry,
): Promise<void> => {
  const { context } = await currentAgent()
  const { issuerId, value } = revocationRegistryDefinition
  const registry = context.resolve(AnonCredsRegistryService).getRegistryForIdentifier(context, issuerId)
  const { revocationRegistryDefinitionState: published, registrationMetadata } =
    await registry.registerRevocationRegistryDefinition(context, { revocationRegistryDefinition, options: {} })
  const definition = publicationOf(published, registrationMetadata)
  const registryId = published.revocationRegistryDefinitionId
  if (registryId === undefined) throw new AgentError('internal', 'the revocation registry has no id')
  for (const [id, registry] of inAllIds(registryId, revocationRegistryDefinition)) await saveAs(id, registry, keys)
  addTailsFile(unit, value.tailsHash, tails)
  // The first list comes after the definition, on a ledger too.
  const next = definition.state === 'finished' ? await publishFirstList(registryId) : definition
  if (next.state === 'finished') addRegistry(unit, requested, registryId)
  else await waitForWrite(unit, requested, { registryId, transaction: next.transaction })
}

/** The registry, and its form with unqualified ids if it has a qualified id of an Indy ledger. */
const inAllIds = (
  registryId: string,
  registry: AnonCredsRevocationRegistryDefinition,
): [string, AnonCredsRevocationRegistryDefinition][] => {
  const id = parseIndyId(registryId)
  if (id?.namespace === undefined) return [[registryId, registry]]
  const legacy = { ...registry, issuerId: id.did, credDefId: legacyId(registry.credDefId) }
  return [
    [registryId, registry],
    [legacyId(registryId), legacy],
  ]
}

/**
 * Stores the records that Credo needs for issuing and revoking. The format `indy` names the registry by its unqualified
 * id, by which Credo looks it up.
 */
const saveAs = async (
  revocationRegistryDefinitionId: string,
  revocationRegistryDefinition: AnonCredsRevocationRegistryDefinition,
  keys: Record<string, unknown>,
): Promise<void> => {
  const { context } = await currentAgent()
  await context
    .resolve(AnonCredsRevocationRegistryDefinitionRepository)
    .save(
      context,
      new AnonCredsRevocationRegistryDefinitionRecord({ revocationRegistryDefinition, revocationRegistryDefinitionId }),
    )
  const secret = new AnonCredsRevocationRegistryDefinitionPrivateRecord({
    revocationRegistryDefinitionId,
    credentialDefinitionId: revocationRegistryDefinition.credDefId,
    value: keys,
    // Active as long as offers may be accepted. lib/revocation counts the indexes.
    state: AnonCredsRevocationRegistryState.Active,
  })
  await context.resolve(AnonCredsRevocationRegistryDefinitionPrivateRepository).save(context, secret)
}

/**
 * Publishes the first list of a registry after its definition. A repetition produces the same list. Throws
 * `registry.unavailable`, `anoncreds.unavailable`.
 */
export const publishFirstList = async (registryId: string): Promise<Publication> => {
  assertAnonCredsLoads()
  const { context } = await currentAgent()
  const { revocationRegistryDefinition } = await context
    .resolve(AnonCredsRevocationRegistryDefinitionRepository)
    .getByRevocationRegistryDefinitionId(context, registryId)
  const { issuerId } = revocationRegistryDefinition
  const revocationStatusList = await context
    .resolve<AnonCredsIssuerService>(AnonCredsIssuerServiceSymbol)
    .createRevocationStatusList(context, {
      issuerId,
      revocationRegistryDefinitionId: registryId,
      revocationRegistryDefinition,
      // Only needed by the holder's library.
      tailsFilePath: '',
    })
  const { revocationStatusListState, registrationMetadata } = await context
    .resolve(AnonCredsRegistryService)
    .getRegistryForIdentifier(context, issuerId)
    .registerRevocationStatusList(context, { revocationStatusList, options: {} })
  return publicationOf(revocationStatusListState, registrationMetadata)
}

/** Makes a registry available for offers. */
export const addRegistry = (unit: UnitOfWork, registry: NewRegistry, registryId: string): void =>
  unit.create(registryItem.encode({ ...registry, registryId, taken: 0 }))

/** Deletes a registry that was not published, in the running unit of work. */
export const removeRegistry = async (unit: UnitOfWork, registryId: string): Promise<void> => {
  const { context } = await currentAgent()
  const definitions = context.resolve(AnonCredsRevocationRegistryDefinitionRepository)
  const record = await definitions.findByRevocationRegistryDefinitionId(context, registryId)
  if (record !== null) await removeTailsFile(unit, record.revocationRegistryDefinition.value.tailsHash)
  for (const repository of [definitions, context.resolve(AnonCredsRevocationRegistryDefinitionPrivateRepository)]) {
    for (const id of new Set([registryId, legacyId(registryId)])) {
      const record = await repository.findByRevocationRegistryDefinitionId(context, id)
      if (record !== null) await repository.deleteById(context, record.id)
    }
  }
}
