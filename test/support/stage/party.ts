/** A tenant of a running stage and its calls of the API. */
import { waitFor } from '../../wallet/wait.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { requestBody } from '../scenes.ts'
import type { Json } from './in-process-stage.ts'
import type { RunningStage } from './stage.ts'

export interface StageTenant {
  tenantId: string
  /** Of the tenant's owner. */
  token: string
}

type Reachable = Pick<RunningStage, 'baseUrl'>

/** Rejects unless the call succeeds. */
export const askStage = async (baseUrl: string, token: string, path: string, body?: unknown): Promise<Json> => {
  const asked = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${baseUrl}${path}`, { ...asked, headers })
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

/** Makes a tenant, and a token that acts in it. */
export const newTenant = async (
  { baseUrl, rootToken, token }: Pick<RunningStage, 'baseUrl' | 'rootToken' | 'token'>,
  label: string,
): Promise<StageTenant> => {
  const { id: tenantId } = await askStage(baseUrl, rootToken, '/multi-tenancy/create-tenant', { config: { label } })
  return {
    tenantId,
    token: await token({ role: 'RestTenantAgent', tenantId, organizations: { [tenantId]: ['owner'] } }),
  }
}

/** An invitation of the tenant: a proof request, as all of them are here. */
export const invite = ({ baseUrl }: Reachable, { token }: StageTenant): Promise<Json> =>
  askStage(baseUrl, token, '/proofs/create-request-oob', requestBody)

/** The connection of an invitation, when it is completed. */
export const completed = ({ baseUrl }: Reachable, { token }: StageTenant, invitation: Json): Promise<Json> =>
  waitFor('the connection to be completed', async () => {
    const [connection] = await askStage(baseUrl, token, `/connections?outOfBandId=${invitation.outOfBandRecord.id}`)
    return connection?.state === 'completed' && connection
  })

/** Connects a wallet to the tenant; resolves to the tenant's connection. */
export const connectWallet = async (stage: RunningStage, tenant: StageTenant, wallet: Wallet): Promise<Json> => {
  const invitation = await invite(stage, tenant)
  await wallet.connect(invitation.invitationUrl)
  return completed(stage, tenant, invitation)
}

/** Basic messages of a connection as the API lists them. */
export const messagesOf = (
  { baseUrl }: RunningStage,
  { tenantId, token }: StageTenant,
  connectionId: string,
): Promise<Json[]> => askStage(baseUrl, token, `/multi-tenancy/basic-messages/${connectionId}/${tenantId}`)
