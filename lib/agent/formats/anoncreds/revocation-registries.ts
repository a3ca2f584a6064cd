/**
 * The job that creates revocation registries: it generates keys and tails file, and publishes both in one transaction.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AnonCredsCredentialDefinitionRepository,
  type AnonCredsIssuerService,
  AnonCredsIssuerServiceSymbol,
} from '@credo-ts/anoncreds'
import { AgentError } from '../../../errors.ts'
import type { JobHandler } from '../../../jobs/job.ts'
import { type NewRegistry, registryOfJob } from '../../../revocation/registry.ts'
import { settings } from '../../../settings.ts'
import { transaction } from '../../../store/transaction.ts'
import { currentAgent } from '../../credo/index.ts'
import { type GeneratedRegistry, publishRegistry } from './registry-publishing.ts'

/** Generates keys and tails file outside of any transaction: 2 s of processor time for 5,000 credentials. */
const generateRegistry = async ({
  tenant,
  credentialDefinitionId,
  number,
  size,
}: NewRegistry): Promise<GeneratedRegistry> => {
  const { context, credentialDefinition } = await transaction(tenant, async () => {
    const { context } = await currentAgent()
    const definitions = context.resolve(AnonCredsCredentialDefinitionRepository)
    const { credentialDefinition } = await definitions.getByCredentialDefinitionId(context, credentialDefinitionId)
    return { context, credentialDefinition }
  })
  const folder = await mkdtemp(join(tmpdir(), 'tails-'))
  try {
    const { revocationRegistryDefinition, revocationRegistryDefinitionPrivate: keys } = await context
      .resolve<AnonCredsIssuerService>(AnonCredsIssuerServiceSymbol)
      .createRevocationRegistryDefinition(context, {
        issuerId: credentialDefinition.issuerId,
        // On a ledger the id contains the tag, and a failed registry may exist.
        tag: `${number}-${randomUUID()}`,
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

export const revocationRegistryJob: JobHandler = {
  async run(job) {
    const requested = registryOfJob(job)
    const generated = await generateRegistry(requested)
    return { commit: (unit) => publishRegistry(unit, requested, generated) }
  },

  /** The next offer requests it again. */
  giveUp: async () => undefined,
}
