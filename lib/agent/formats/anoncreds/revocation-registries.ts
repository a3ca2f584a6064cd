/** The job that creates revocation registries: it generates keys and tails file, and publishes both in one transaction. */
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
import { log } from '../../../log.ts'
import { type NewRegistry, registryOfJob } from '../../../revocation/registry.ts'
import { settings } from '../../../settings.ts'
import { transaction } from '../../../store/transaction.ts'
import { currentAgent } from '../../credo/index.ts'
import { type MadeRegistry, publishRegistry } from './registry-publishing.ts'

/** Generates keys and tails file outside of any transaction: 2 s of processor time for 5,000 credentials. */
const makeRegistry = async ({ tenant, credentialDefinitionId, number, size }: NewRegistry): Promise<MadeRegistry> => {
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
    const wanted = registryOfJob(job)
    if (wanted === undefined) throw new AgentError('internal', `no registry is wanted by ${job.id}`)
    const made = await makeRegistry(wanted)
    return { commit: (unit) => publishRegistry(unit, wanted, made) }
  },

  /** The next offer requests it again. */
  async giveUp(_unit, { tenant }, reason) {
    log('error', 'a revocation registry was not made', { event: 'revocation.registry_failed', tenant, reason })
  },
}
