/** Makes revocation registries: definition, first status list and tails file, published in one transaction. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AnonCredsCredentialDefinitionRepository,
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
import type { AgentContext } from '@credo-ts/core'
import { AgentError } from '../../errors.ts'
import type { JobHandler } from '../../jobs/handler.ts'
import { log } from '../../log.ts'
import { registryItem } from '../../revocation/registry-item.ts'
import { type WantedRegistry, wantedRegistry } from '../../revocation/registry-job.ts'
import { addTailsFile } from '../../revocation/tails-file.ts'
import { settings } from '../../settings.ts'
import { transaction } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { currentAgent } from '../agent.ts'

interface MadeRegistry {
  revocationRegistryDefinition: AnonCredsRevocationRegistryDefinition
  /** The private part. */
  keys: Record<string, unknown>
  tails: Uint8Array
}

const issuerService = (context: AgentContext): AnonCredsIssuerService => context.resolve(AnonCredsIssuerServiceSymbol)

/** Makes the keys and the tails file outside of any transaction: 2 s of processor time for 5,000 credentials. */
const makeRegistry = async ({
  tenant,
  credentialDefinitionId,
  number,
  size,
}: WantedRegistry): Promise<MadeRegistry> => {
  const { context, credentialDefinition } = await transaction(tenant, async () => {
    const { context } = await currentAgent()
    const definitions = context.resolve(AnonCredsCredentialDefinitionRepository)
    const { credentialDefinition } = await definitions.getByCredentialDefinitionId(context, credentialDefinitionId)
    return { context, credentialDefinition }
  })
  const folder = await mkdtemp(join(tmpdir(), 'tails-'))
  try {
    const { revocationRegistryDefinition, revocationRegistryDefinitionPrivate: keys } = await issuerService(
      context,
    ).createRevocationRegistryDefinition(context, {
      issuerId: credentialDefinition.issuerId,
      tag: String(number),
      credentialDefinitionId,
      credentialDefinition,
      maximumCredentialNumber: size,
      tailsDirectoryPath: folder,
    })
    if (keys === undefined) throw new AgentError('internal', 'the registry has no private part')
    const { value } = revocationRegistryDefinition
    const tails = await readFile(value.tailsLocation)
    value.tailsLocation = `${settings().PUBLIC_URL}/anoncreds/tails/${value.tailsHash}`
    return { revocationRegistryDefinition, keys, tails }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Publishes a registry in the running unit of work. */
const publishRegistry = async (
  unit: UnitOfWork,
  { tenant, credentialDefinitionId, number, size }: WantedRegistry,
  { revocationRegistryDefinition, keys, tails }: MadeRegistry,
): Promise<void> => {
  const { context } = await currentAgent()
  const { issuerId } = revocationRegistryDefinition
  const registry = context.resolve(AnonCredsRegistryService).getRegistryForIdentifier(context, issuerId)
  const { revocationRegistryDefinitionState: published } = await registry.registerRevocationRegistryDefinition(
    context,
    {
      revocationRegistryDefinition,
      options: {},
    },
  )
  const revocationRegistryDefinitionId = published.revocationRegistryDefinitionId
  if (published.state !== 'finished' || revocationRegistryDefinitionId === undefined)
    throw new AgentError('internal', 'the revocation registry was not published')
  await context
    .resolve(AnonCredsRevocationRegistryDefinitionRepository)
    .save(
      context,
      new AnonCredsRevocationRegistryDefinitionRecord({ revocationRegistryDefinition, revocationRegistryDefinitionId }),
    )
  await context.resolve(AnonCredsRevocationRegistryDefinitionPrivateRepository).save(
    context,
    new AnonCredsRevocationRegistryDefinitionPrivateRecord({
      revocationRegistryDefinitionId,
      credentialDefinitionId,
      value: keys,
      // For as long as an offer may still be accepted: the indexes are counted elsewhere.
      state: AnonCredsRevocationRegistryState.Active,
    }),
  )
  const revocationStatusList = await issuerService(context).createRevocationStatusList(context, {
    issuerId,
    revocationRegistryDefinitionId,
    revocationRegistryDefinition,
    // Only the holder's library reads the tails.
    tailsFilePath: '',
  })
  const { revocationStatusListState } = await registry.registerRevocationStatusList(context, {
    revocationStatusList,
    options: {},
  })
  if (revocationStatusListState.state !== 'finished')
    throw new AgentError('internal', 'the first status list of the revocation registry was not published')
  addTailsFile(unit, revocationRegistryDefinition.value.tailsHash, tails)
  unit.create(
    registryItem.encode({
      ...{ tenant, credentialDefinitionId, number, size, taken: 0 },
      registryId: revocationRegistryDefinitionId,
    }),
  )
}

export const revocationRegistryJob: JobHandler = {
  async run(job) {
    const wanted = wantedRegistry(job)
    if (wanted === undefined) throw new AgentError('internal', `no registry is wanted by ${job.id}`)
    const made = await makeRegistry(wanted)
    return { commit: (unit) => publishRegistry(unit, wanted, made) }
  },

  /** The next offer asks for it again. */
  async giveUp(_unit, { tenant }, reason) {
    log('error', 'a revocation registry was not made', { event: 'revocation.registry_failed', tenant, reason })
  },
}
