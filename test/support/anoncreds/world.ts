/** A tenant with a credential definition, connected to a wallet: what tests of AnonCreds begin with. */
import type { AnonCredsApi } from '@credo-ts/anoncreds'
import { waitFor } from '../../wallet/wait.ts'
import { Wallet } from '../../wallet/wallet.ts'
import { connect, createTenant } from '../scenes.ts'
import { type InProcessStage, type Json, startInProcessStage } from '../stage/in-process-stage.ts'

export interface AnonCredsWorld {
  stage: InProcessStage
  wallet: Wallet
  caller: { tenantId: string }
  connectionId: string
  schemaId: string
  credentialDefinitionId: string
  revocable: boolean
  stop(): Promise<void>
}

/** `revocable`: its credentials can be revoked; the number is the size of the registries. */
export const startAnonCredsWorld = async ({ revocable }: { revocable?: number } = {}): Promise<AnonCredsWorld> => {
  const stage = await startInProcessStage()
  stage.line.run()
  const caller = await createTenant(stage)
  const wallet = await Wallet.start({ answerProofs: false })
  const { connectionId } = await connect(stage, wallet, caller)
  const ids = await inTenant(caller.tenantId, (anoncreds, issuerId) =>
    registerDegree(anoncreds, issuerId, revocable !== undefined),
  )
  if (revocable !== undefined) {
    const { ensureRegistry } = await import('../../../lib/revocation/registry-job.ts')
    await ensureRegistry({
      tenant: caller.tenantId,
      credentialDefinitionId: ids.credentialDefinitionId,
      number: 1,
      size: revocable,
    })
  }
  return {
    stage,
    wallet,
    caller,
    connectionId,
    ...ids,
    revocable: revocable !== undefined,
    stop: async () => {
      await wallet.stop()
      await stage.stop()
    },
  }
}

/** Acts as the agent of a tenant, in one transaction. */
const inTenant = async <T>(
  tenant: string,
  act: (anoncreds: AnonCredsApi, issuerId: string) => Promise<T>,
): Promise<T> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  const { currentAgent } = await import('../../../lib/agent/agent.ts')
  const { webvhIssuer } = await import('../../../lib/agent/anoncreds/webvh-issuer.ts')
  return transaction(tenant, async () => {
    const agent = await currentAgent()
    return act(agent.modules.anoncreds, await webvhIssuer(agent))
  })
}

const registerDegree = async (anoncreds: AnonCredsApi, issuerId: string, supportRevocation: boolean) => {
  const schema = { name: 'degree', version: '1.0', issuerId, attrNames: ['degree', 'age'] }
  const { schemaState } = await anoncreds.registerSchema({ schema, options: {} })
  const { schemaId = '' } = schemaState
  const { credentialDefinitionState } = await anoncreds.registerCredentialDefinition({
    credentialDefinition: { issuerId, schemaId, tag: 'default' },
    options: { supportRevocation },
  })
  const { credentialDefinitionId = '' } = credentialDefinitionState
  return { schemaId, credentialDefinitionId }
}

/** Issues a credential with these values. Resolves when the exchange is done, to its record as GetCredentialById shows it. */
export const issueAnonCreds = async (
  { stage, caller, connectionId, credentialDefinitionId, revocable }: AnonCredsWorld,
  values: Record<string, string>,
): Promise<{ exchange: Json }> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  const { currentAgent } = await import('../../../lib/agent/agent.ts')
  const { takeRevocationIndex } = await import('../../../lib/revocation/take-index.ts')
  const index = () =>
    waitFor('a revocation registry', async () => {
      const taken = await takeRevocationIndex(caller.tenantId, credentialDefinitionId).catch((error) => {
        if (error.code !== 'revocation.no_index') throw error
      })
      return taken && { revocationRegistryDefinitionId: taken.registryId, revocationRegistryIndex: taken.index }
    })
  const attributes = Object.entries(values).map(([name, value]) => ({ name, value }))
  const revocation = revocable ? await index() : undefined
  const { id } = await transaction(caller.tenantId, async () =>
    (await currentAgent()).didcomm.credentials.offerCredential({
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
