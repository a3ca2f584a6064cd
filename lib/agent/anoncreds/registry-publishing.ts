/** Publishes revocation registries, or has them written to their ledger: definition, first status list and tails file. */
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
import { AgentError } from '../../errors.ts'
import { legacyId, parseIndyId } from '../../indy/ids.ts'
import { registryItem } from '../../revocation/registry-item.ts'
import type { WantedRegistry } from '../../revocation/registry-job.ts'
import { waitForWrite } from '../../revocation/registry-write.ts'
import { addTailsFile, removeTailsFile } from '../../revocation/tails-file.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { currentAgent } from '../agent.ts'

export interface MadeRegistry {
  revocationRegistryDefinition: AnonCredsRevocationRegistryDefinition
  /** The private part. */
  keys: Record<string, unknown>
  tails: Uint8Array
}

/** What has become of something that was published: it is there, or an operator writes it. */
export type Publication = { state: 'finished' } | { state: 'action'; transaction: unknown }

/** What a registry of AnonCreds answers. Throws `registry.unavailable` where it has refused. */
const publicationOf = (
  { state, reason }: { state: string; reason?: string },
  registrationMetadata: Record<string, unknown>,
): Publication => {
  if (state === 'finished') return { state }
  if (state === 'action') return { state, transaction: registrationMetadata.transaction }
  throw new AgentError('registry.unavailable', reason ?? 'the registry did not take it')
}

/** Publishes a registry in the running unit of work. Throws `registry.unavailable`. */
export const publishRegistry = async (
  unit: UnitOfWork,
  wanted: WantedRegistry,
  { revocationRegistryDefinition, keys, tails }: MadeRegistry,
): Promise<void> => {
  const { context } = await currentAgent()
  const { issuerId, value } = revocationRegistryDefinition
  const registry = context.resolve(AnonCredsRegistryService).getRegistryForIdentifier(context, issuerId)
  const { revocationRegistryDefinitionState: published, registrationMetadata } =
    await registry.registerRevocationRegistryDefinition(context, { revocationRegistryDefinition, options: {} })
  const definition = publicationOf(published, registrationMetadata)
  const registryId = published.revocationRegistryDefinitionId
  if (registryId === undefined) throw new AgentError('internal', 'the revocation registry has no id')
  await saveRegistry(registryId, { revocationRegistryDefinition, keys })
  addTailsFile(unit, value.tailsHash, tails)
  // The first list comes after the definition, also on a ledger.
  const next = definition.state === 'finished' ? await publishFirstList(registryId) : definition
  if (next.state === 'finished') addRegistry(unit, wanted, registryId)
  else waitForWrite(unit, wanted, { registryId, transaction: next.transaction })
}

/** A registry with its ids as an Indy ledger writes them, where they are not written so. */
const inLegacyIds = (
  registryId: string,
  registry: AnonCredsRevocationRegistryDefinition,
): [string, AnonCredsRevocationRegistryDefinition][] => {
  const id = parseIndyId(registryId)
  return id?.namespace === undefined
    ? []
    : [[legacyId(registryId), { ...registry, issuerId: id.did, credDefId: legacyId(registry.credDefId) }]]
}

/** What Credo issues and revokes with. In the format `indy` a credential names its registry by the unqualified id, under which Credo looks. */
const saveRegistry = async (
  registryId: string,
  { revocationRegistryDefinition: registry, keys }: Omit<MadeRegistry, 'tails'>,
): Promise<void> => {
  for (const [id, definition] of [[registryId, registry] as const, ...inLegacyIds(registryId, registry)])
    await saveAs(id, definition, keys)
}

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
    // For as long as an offer may still be accepted: the indexes are counted elsewhere.
    state: AnonCredsRevocationRegistryState.Active,
  })
  await context.resolve(AnonCredsRevocationRegistryDefinitionPrivateRepository).save(context, secret)
}

/** Publishes the first list of a registry whose definition is published. Made again, it is the same list. Throws `registry.unavailable`. */
export const publishFirstList = async (registryId: string): Promise<Publication> => {
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
      // Only the holder's library reads the tails.
      tailsFilePath: '',
    })
  const { revocationStatusListState, registrationMetadata } = await context
    .resolve(AnonCredsRegistryService)
    .getRegistryForIdentifier(context, issuerId)
    .registerRevocationStatusList(context, { revocationStatusList, options: {} })
  return publicationOf(revocationStatusListState, registrationMetadata)
}

/** The registry gives indexes from here on. */
export const addRegistry = (unit: UnitOfWork, registry: WantedRegistry, registryId: string): void =>
  unit.create(registryItem.encode({ ...registry, registryId, taken: 0 }))

/** Forgets a registry that never came to be, in the running unit of work. */
export const removeRegistry = async (unit: UnitOfWork, registryId: string): Promise<void> => {
  const { context } = await currentAgent()
  const definitions = context.resolve(AnonCredsRevocationRegistryDefinitionRepository)
  const found = await definitions.findByRevocationRegistryDefinitionId(context, registryId)
  if (found !== null) await removeTailsFile(unit, found.revocationRegistryDefinition.value.tailsHash)
  for (const repository of [definitions, context.resolve(AnonCredsRevocationRegistryDefinitionPrivateRepository)]) {
    for (const id of new Set([registryId, legacyId(registryId)])) {
      const record = await repository.findByRevocationRegistryDefinitionId(context, id)
      if (record !== null) await repository.deleteById(context, record.id)
    }
  }
}
