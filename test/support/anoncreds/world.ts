/** A tenant with a credential definition, connected to a wallet: the usual start of tests of AnonCreds. */
import type { TenantAgent } from '../../../lib/agent/credo/current.ts'
import { waitFor } from '../../wallet/wait.ts'
import type { WalletOptions } from '../../wallet/wallet-parts.ts'
import { connect } from '../scenes.ts'
import type { Json, StageOptions } from '../stage/in-process-stage.ts'
import { startTenantAndWallet, type TenantAndWallet } from '../stage/tenant-and-wallet.ts'
import { memoryRegistry, useMemoryRegistry } from './memory-registry.ts'
import { type PreparedDefinition, prepareDefinition } from './prepared-definition.ts'

export interface AnonCredsWorld extends TenantAndWallet {
  connectionId: string
  walletConnectionId: string
  schemaId: string
  credentialDefinitionId: string
  revocable: boolean
}

const ISSUER = 'did:memory:issuer'

export interface AnonCredsWorldOptions extends WalletOptions, StageOptions {
  /** Its credentials can be revoked, in registries of this size, and its objects are under the tenant's did:webvh. */
  revocable?: number
}

export const startAnonCredsWorld = async ({
  revocable,
  embedded = false,
  ...walletOptions
}: AnonCredsWorldOptions = {}): Promise<AnonCredsWorld> => {
  await useMemoryRegistry()
  const started = await startTenantAndWallet(walletOptions, { embedded })
  const { stage, caller, wallet } = started
  const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
  const ids = await (revocable === undefined
    ? definitionOf(caller.tenantId)
    : revocableDefinitionOf(caller.tenantId, revocable))
  return {
    ...started,
    connectionId,
    walletConnectionId,
    ...ids,
    revocable: revocable !== undefined,
  }
}

/** Acts as the agent of a tenant, in one transaction. */
export const inTenant = async <T>(tenant: string, act: (agent: TenantAgent) => Promise<T>): Promise<T> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  await import('../../../lib/agent/compose.ts')
  const { currentAgent } = await import('../../../lib/agent/credo/current.ts')
  return transaction(tenant, async () => act(await currentAgent()))
}

/** The wallet, which shares this process, has the tails file of a tenant's registry, as if it had fetched it. */
export const haveTails = async (tenant: string, registryId: string): Promise<void> => {
  const { TailsFiles } = await import('../../../lib/agent/formats/anoncreds/tails-files.ts')
  await inTenant(tenant, async ({ context, modules }) => {
    const { revocationRegistryDefinition } = await modules.anoncreds.getRevocationRegistryDefinition(registryId)
    if (revocationRegistryDefinition === undefined) throw new Error('there is no registry')
    await new TailsFiles().getTailsFile(context, { revocationRegistryDefinition })
  })
}

/** Gives a tenant a credential definition of a degree. */
export const definitionOf = (tenant: string, options: Partial<PreparedDefinition> = {}) =>
  inTenant(tenant, ({ context }) =>
    prepareDefinition(context, { registry: memoryRegistry, issuerId: ISSUER, ...options }),
  )

/** The same of a degree that can be revoked, under the tenant's did:webvh. Its first registry is being made. */
const revocableDefinitionOf = async (tenant: string, size: number) => {
  const { webvhIssuer } = await import('../../../lib/agent/dids/webvh-issuer.ts')
  const { ensureRegistry } = await import('../../../lib/revocation/registry.ts')
  const ids = await inTenant(tenant, async (agent) => {
    const issuerId = await webvhIssuer(agent)
    const { anoncreds } = agent.modules
    const schema = { name: 'degree', version: '1.0', issuerId, attrNames: ['degree', 'age'] }
    const { schemaId = '' } = (await anoncreds.registerSchema({ schema, options: {} })).schemaState
    const { credentialDefinitionState } = await anoncreds.registerCredentialDefinition({
      credentialDefinition: { issuerId, schemaId, tag: 'default' },
      options: { supportRevocation: true },
    })
    return { schemaId, credentialDefinitionId: credentialDefinitionState.credentialDefinitionId ?? '' }
  })
  await ensureRegistry({ tenant, credentialDefinitionId: ids.credentialDefinitionId, number: 1, size })
  return ids
}

/** Where a credential is in a registry, as soon as there is one. */
const nextIndex = async ({ caller, credentialDefinitionId }: AnonCredsWorld) => {
  const { allocateRevocationIndex } = await import('../../../lib/revocation/allocate-index.ts')
  return waitFor('a revocation registry', async () => {
    const taken = await allocateRevocationIndex(caller.tenantId, credentialDefinitionId).catch((error) => {
      if (error.code !== 'revocation.no_index') throw error
    })
    return taken && { revocationRegistryDefinitionId: taken.registryId, revocationRegistryIndex: taken.index }
  })
}

/** Issues a credential with these values. Resolves when the exchange is done, to its record as GetCredentialById shows it. */
export const issueAnonCreds = async (
  world: AnonCredsWorld,
  values: Record<string, string>,
): Promise<{ exchange: Json }> => {
  const { stage, caller, connectionId, credentialDefinitionId, revocable } = world
  const revocation = revocable ? await nextIndex(world) : undefined
  const attributes = Object.entries(values).map(([name, value]) => ({ name, value }))
  const { id } = await inTenant(caller.tenantId, ({ didcomm }) =>
    didcomm.credentials.offerCredential({
      connectionId,
      protocolVersion: 'v2',
      credentialFormats: { anoncreds: { credentialDefinitionId, attributes, ...revocation } },
    }),
  )
  const exchange = await waitFor('the credential exchange to be done', async () => {
    const { body } = await stage.call('getCredentialById', { caller, path: { credentialRecordId: id } })
    if (body.state === 'abandoned') throw new Error(body.errorMessage)
    return body.state === 'done' && body
  })
  return { exchange }
}
