/** A tenant with a definition on an Indy ledger, which an operator wrote, connected to a wallet that reads the same ledger. */
import type { AnonCredsApi } from '@credo-ts/anoncreds'
import { IndyLedgerRegistry } from '../../wallet/indy-ledger-registry.ts'
import { Wallet } from '../../wallet/wallet.ts'
import { connect, createTenant } from '../scenes.ts'
import { type InProcessStage, type Json, startInProcessStage } from '../stage/in-process-stage.ts'
import { type IndyProxy, startIndyProxy } from './indy-proxy.ts'

const NAMESPACE = 'local'
const ISSUER = 'WgWxqztrNooG92RXvxSTWv'
export const ISSUER_DID = `did:indy:${NAMESPACE}:${ISSUER}`

export interface IndyWorld {
  stage: InProcessStage
  wallet: Wallet
  proxy: IndyProxy
  caller: { tenantId: string }
  connectionId: string
  /** Unqualified, as the `indy` format has them. */
  schemaId: string
  credentialDefinitionId: string
  stop(): Promise<void>
}

/** Acts as the agent of a tenant, in one transaction. */
export const inTenant = async (tenant: string, act: (agent: Json) => Promise<Json>): Promise<Json> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  const { currentAgent } = await import('../../../lib/agent/agent.ts')
  return transaction(tenant, async () => act(await currentAgent()))
}

/** The issuer registers, the operator writes what the answers hold, and the issuer registers the same again, which now is `finished`. */
const register = async (anoncreds: (act: (api: AnonCredsApi) => Promise<Json>) => Promise<Json>, proxy: IndyProxy) => {
  const schema = { name: 'degree', version: '1.0', issuerId: ISSUER_DID, attrNames: ['degree', 'age'] }
  const registerSchema = () => anoncreds((api) => api.registerSchema({ schema, options: {} }))
  proxy.write((await registerSchema()).registrationMetadata.transaction.request)
  const { schemaState } = await registerSchema()
  const registerDefinition = (credentialDefinition: Json) =>
    anoncreds((api) =>
      api.registerCredentialDefinition({ credentialDefinition, options: { supportRevocation: false } }),
    )
  const { schemaId } = schemaState
  const made = await registerDefinition({ issuerId: ISSUER_DID, schemaId, tag: 'default' })
  proxy.write(made.registrationMetadata.transaction.request)
  const { credentialDefinitionState } = await registerDefinition(made.credentialDefinitionState.credentialDefinition)
  if (credentialDefinitionState.state !== 'finished') throw new Error(JSON.stringify(credentialDefinitionState))
}

export const startIndyWorld = async (): Promise<IndyWorld> => {
  const proxy = await startIndyProxy()
  const proxies = { [NAMESPACE]: proxy.address }
  process.env.INDY_PROXIES = JSON.stringify(proxies)
  IndyLedgerRegistry.proxies = proxies
  const stage = await startInProcessStage()
  stage.line.run()
  const caller = await createTenant(stage)
  const wallet = await Wallet.start({ answerProofs: false })
  const { connectionId } = await connect(stage, wallet, caller)
  await register((act) => inTenant(caller.tenantId, ({ modules }) => act(modules.anoncreds)), proxy)
  return {
    ...{ stage, wallet, proxy, caller, connectionId },
    schemaId: `${ISSUER}:2:degree:1.0`,
    credentialDefinitionId: `${ISSUER}:3:CL:10:default`,
    stop: async () => {
      await wallet.stop()
      await stage.stop()
      await proxy.stop()
    },
  }
}
