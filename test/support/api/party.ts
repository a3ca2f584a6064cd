/** An agent of the test world with all kinds of records: connected, with messages, an issued degree and its presentation. */
import {
  DidCommConnectionProblemReportMessage,
  DidCommMessageSender,
  DidCommOutboundMessageContext,
} from '@credo-ts/didcomm'
import { waitFor } from '../../wallet/wait.ts'
import type { Wallet } from '../../wallet/wallet.ts'
import { offerBody, requestBody } from '../scenes.ts'
import type { Json } from '../stage/in-process-stage.ts'
import { type CaughtEnvelope, catchEnvelope } from '../wallets/new-envelope.ts'
import type { ApiClient } from './client.ts'
import { sign, type TestIssuer } from './tokens.ts'

/** Messages of each side. */
const MESSAGES = 3

/** Who acts, before anything has happened. */
export interface Actor {
  label: string
  /** None: the base agent. */
  tenantId?: string
  orgId: string
  /** Acts in the agent, and has no role in any organization. */
  token: string
}

/** The resulting records. */
export interface Party extends Actor {
  /** Acts in the agent; owner of its organization. */
  ownerToken: string
  /** Of the completed connection with the wallet. */
  connectionId: string
  theirDid: string
  outOfBandId: string
  /** The `@id` of the invitation of the connection. */
  invitationId: string
  /** Of a connection with a wallet that has no endpoint. */
  silentConnectionId: string
  /** Of a connection that the other side has abandoned. */
  abandonedConnectionId: string
  /** What was said on the connection, oldest first. */
  contents: string[]
  credentialRecordId: string
  /** The did:key that it issues with. */
  issuerDid: string
  proofRecordId: string
  invitationDid: string
  /** Fingerprint of a key of `invitationDid`. */
  recipientKey: string
  /** Envelopes of a handshake that the agent has not received yet. Each is valid once. */
  newEnvelopes: CaughtEnvelope[]
}

export interface Scene {
  api: ApiClient
  issuer: TestIssuer
  /** Answers everything automatically. */
  wallet: Wallet
  /** Has no endpoint. */
  silentWallet: Wallet
}

export const tenantOf = async ({ api, issuer }: Scene, rootToken: string, label: string): Promise<Actor> => {
  const { body: tenant } = await api.post('/multi-tenancy/create-tenant', {
    token: rootToken,
    body: { config: { label } },
  })
  const claims = { role: 'RestTenantAgent', tenantId: tenant.id }
  return { label, tenantId: tenant.id, orgId: tenant.orgId, token: await sign(issuer, claims) }
}

const connect = async ({ api }: Scene, { token }: Actor, wallet: Wallet) => {
  const { body: request } = await api.post('/proofs/create-request-oob', { token, body: requestBody })
  const { id: walletConnectionId } = await wallet.connect(request.invitationUrl)
  const connection = await waitFor('the connection to be completed', async () => {
    const { body } = await api.get(`/connections?outOfBandId=${request.outOfBandRecord.id}`, { token })
    return body[0]?.state === 'completed' && body[0]
  })
  return { request, connection, walletConnectionId }
}

const talk = async (
  { api, wallet }: Scene,
  { token, label }: Actor,
  connectionId: string,
  walletConnectionId: string,
) => {
  const contents: string[] = []
  for (let number = 1; number <= MESSAGES; number++) {
    const content = `${label} says ${number}`
    await api.post(`/basic-messages/${connectionId}`, { token, body: { content } })
    await wallet.sendMessage(walletConnectionId, `${content}, the wallet answers`)
    contents.push(content, `${content}, the wallet answers`)
  }
  return contents
}

const giveUp = async (wallet: Wallet, connectionId: string): Promise<void> => {
  const connection = await wallet.agent.didcomm.connections.getById(connectionId)
  const message = new DidCommConnectionProblemReportMessage({ description: { code: 'gone', en: 'I am leaving' } })
  const context = new DidCommOutboundMessageContext(message, { agentContext: wallet.agent.context, connection })
  await wallet.agent.dependencyManager.resolve(DidCommMessageSender).sendMessage(context)
}

const issue = async ({ api, wallet }: Scene, { token }: Actor, connectionId: string): Promise<Json> => {
  const { body: offered } = await api.post('/credentials/create-offer', {
    token,
    body: offerBody(connectionId, wallet.did),
  })
  return waitFor('the credential to be issued', async () => {
    const { body } = await api.get(`/credentials/${offered.id}`, { token })
    return body.state === 'done' && body
  })
}

/** The issuer of an exchange's credential. */
const issuerOf = async (wallet: Wallet, threadId: string): Promise<string> => {
  const exchange = (await wallet.credentialExchanges()).find((one) => one.threadId === threadId)
  const held = (await wallet.credentials()).find(({ id }) => id === exchange?.credentials[0]?.credentialRecordId)
  const credential: Json = held?.firstCredential
  return credential.issuerId
}

/** Runs an agent through all of it. */
export const settle = async (scene: Scene, actor: Actor): Promise<Party> => {
  const { api, issuer, wallet, silentWallet } = scene
  const { token, tenantId, orgId } = actor
  const { request, connection, walletConnectionId } = await connect(scene, actor, wallet)
  const contents = await talk(scene, actor, connection.id, walletConnectionId)
  const credential = await issue(scene, actor, connection.id)
  const silent = await connect(scene, actor, silentWallet)
  const abandoned = await connect(scene, actor, silentWallet)
  await giveUp(silentWallet, abandoned.walletConnectionId)
  const newEnvelopes: CaughtEnvelope[] = []
  for (let number = 0; number < 3; number++) {
    const { body } = await api.post('/proofs/create-request-oob', { token, body: requestBody })
    newEnvelopes.push(await catchEnvelope(body.invitationUrl))
  }
  const role = tenantId === undefined ? { role: 'RestRootAgent' } : { role: 'RestTenantAgent', tenantId }
  return {
    ...actor,
    ownerToken: await sign(issuer, { ...role, resource_access: { [orgId]: { roles: ['owner'] } } }),
    connectionId: connection.id,
    theirDid: connection.theirDid,
    outOfBandId: request.outOfBandRecord.id,
    invitationId: request.invitation['@id'],
    silentConnectionId: silent.connection.id,
    abandonedConnectionId: abandoned.connection.id,
    contents,
    credentialRecordId: credential.id,
    issuerDid: await issuerOf(wallet, credential.threadId),
    proofRecordId: request.proofRecordId,
    invitationDid: request.invitationDid,
    recipientKey: request.outOfBandRecord._tags.recipientKeyFingerprints[0],
    newEnvelopes,
  }
}
