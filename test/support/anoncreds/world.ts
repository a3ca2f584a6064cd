/** A tenant with a credential definition, connected to a wallet: what tests of AnonCreds begin with. */
import type { AnonCredsApi } from '@credo-ts/anoncreds'
import { waitFor } from '../../wallet/wait.ts'
import { Wallet } from '../../wallet/wallet.ts'
import { connect, createTenant } from '../scenes.ts'
import { type InProcessStage, type Json, startInProcessStage } from '../stage/in-process-stage.ts'
import { MemoryRegistry } from './memory-registry.ts'

export interface AnonCredsWorld {
  stage: InProcessStage
  wallet: Wallet
  caller: { tenantId: string }
  connectionId: string
  schemaId: string
  credentialDefinitionId: string
  stop(): Promise<void>
}

const ISSUER = 'did:memory:issuer'

export const startAnonCredsWorld = async (): Promise<AnonCredsWorld> => {
  const { registries } = await import('../../../lib/agent/anoncreds/registries.ts')
  if (!registries.some((one) => one instanceof MemoryRegistry)) registries.push(new MemoryRegistry())
  const stage = await startInProcessStage()
  stage.line.run()
  const caller = await createTenant(stage)
  const wallet = await Wallet.start({ answerProofs: false })
  const { connectionId } = await connect(stage, wallet, caller)
  const ids = await inTenant(caller.tenantId, registerDegree)
  return {
    stage,
    wallet,
    caller,
    connectionId,
    ...ids,
    stop: async () => {
      await wallet.stop()
      await stage.stop()
    },
  }
}

/** Acts as the agent of a tenant, in one transaction. */
const inTenant = async <T>(tenant: string, act: (anoncreds: AnonCredsApi) => Promise<T>): Promise<T> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  const { currentAgent } = await import('../../../lib/agent/agent.ts')
  return transaction(tenant, async () => act((await currentAgent()).modules.anoncreds))
}

const registerDegree = async (anoncreds: AnonCredsApi) => {
  const schema = { name: 'degree', version: '1.0', issuerId: ISSUER, attrNames: ['degree', 'age'] }
  const { schemaState } = await anoncreds.registerSchema({ schema, options: {} })
  const { schemaId = '' } = schemaState
  const { credentialDefinitionState } = await anoncreds.registerCredentialDefinition({
    credentialDefinition: { issuerId: ISSUER, schemaId, tag: 'default' },
    options: { supportRevocation: false },
  })
  const { credentialDefinitionId = '' } = credentialDefinitionState
  return { schemaId, credentialDefinitionId }
}

/** Issues a credential with these values. Resolves when the exchange is done, to its record as GetCredentialById shows it. */
export const issueAnonCreds = async (
  { stage, caller, connectionId, credentialDefinitionId }: AnonCredsWorld,
  values: Record<string, string>,
): Promise<{ exchange: Json }> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  const { currentAgent } = await import('../../../lib/agent/agent.ts')
  const attributes = Object.entries(values).map(([name, value]) => ({ name, value }))
  const { id } = await transaction(caller.tenantId, async () =>
    (await currentAgent()).didcomm.credentials.offerCredential({
      connectionId,
      protocolVersion: 'v2',
      credentialFormats: { anoncreds: { credentialDefinitionId, attributes } },
    }),
  )
  const exchange = await waitFor('the credential exchange to be done', async () => {
    const { body } = await stage.call('getCredentialById', { caller, path: { credentialRecordId: id } })
    if (body.state === 'abandoned') throw new Error(body.errorMessage)
    return body.state === 'done' && body
  })
  return { exchange }
}
