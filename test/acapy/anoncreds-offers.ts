/** Steps with AnonCreds that we issue: offered, accepted by the wallet, and revoked. */
import assert from 'node:assert/strict'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import type { OurAgent } from './agent.ts'
import { connect, invitationOf, receive } from './connect.ts'
import type { Definition } from './issuer.ts'
import type { Scene } from './scenario.ts'

export type Format = 'indy' | 'anoncreds'

export const PERSON = { name: 'Alice', degree: 'Bachelor', age: '24' }

export interface Offered {
  format: Format
  /** 2 by default. */
  protocolVersion?: 'v1' | 'v2'
  /** Of the attributes: PERSON by default. */
  values?: Record<string, string>
  withoutConnection?: boolean
}

const attributesOf = (values: Record<string, string>): object[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }))

export const offerOf = (
  { credentialDefinitionId }: Definition,
  { format, protocolVersion = 'v2', values = PERSON }: Offered,
): object => ({
  protocolVersion,
  credentialFormats: { [format]: { credentialDefinitionId, attributes: attributesOf(values) } },
})

/** Offers, as soon as there is a revocation registry to take an index of. */
export const offer = (agent: OurAgent, path: string, body: object): Promise<Json> =>
  waitFor('a revocation registry', () =>
    agent.ask(path, body).catch((error) => {
      if (!String(error).includes(' answers 409')) throw error
      return undefined
    }),
  )

/** The paths and fields of the two versions of the protocols in ACA-Py's admin API. */
const CREDENTIALS = {
  v1: {
    records: '/issue-credential/records',
    id: 'credential_exchange_id',
    received: 'credential_received',
    done: 'credential_acked',
    record: (answer: Json) => answer,
  },
  v2: {
    records: '/issue-credential-2.0/records',
    id: 'cred_ex_id',
    received: 'credential-received',
    done: 'done',
    record: (answer: Json) => answer.cred_ex_record,
  },
}

/** The wallet asks for what it was offered, and stores it. Resolves to the credential's id in its store. */
export const takeOffer = async (acapy: AcaPy, threadId: string, version: 'v1' | 'v2' = 'v2'): Promise<string> => {
  const { records, id, received, done, record } = CREDENTIALS[version]
  const offered = await waitFor('the wallet to have the offer', async () => {
    const { results } = await acapy.get(`${records}?thread_id=${threadId}`)
    return results[0] && record(results[0])
  })
  const path = `${records}/${offered[id]}`
  await acapy.post(`${path}/send-request`)
  await waitFor('the wallet to have the credential', async () => {
    const { error_msg: error, state } = record(await acapy.get(path))
    if (error) throw new Error(error)
    return state === received
  })
  const credentialId = crypto.randomUUID()
  const stored = await acapy.post(`${path}/store`, { credential_id: credentialId })
  assert.equal(record(stored).state, done)
  return credentialId
}

export interface Taken {
  /** Our exchange, when it is done. */
  ours: Json
  /** Of the wallet's store. */
  credentialId: string
  walletConnectionId: string
}

/** The issuer offers a credential on a connection; the wallet takes and stores it. */
export const issueOnConnection = async (scene: Scene, definition: Definition, offered: Offered): Promise<Taken> => {
  const { acapy } = scene
  const { agent } = await scene.issuer()
  const { connection, walletConnectionId } = await connect({ ...scene, agent })
  const body = { ...offerOf(definition, offered), connectionId: connection.id }
  const sent = await offer(agent, '/credentials/create-offer', body)
  const credentialId = await takeOffer(acapy, sent.threadId, offered.protocolVersion)
  return { ours: await agent.credentialIn(sent, 'done'), credentialId, walletConnectionId }
}

/** The same in an invitation, from which the connection comes as well. */
export const issueOutOfBand = async (scene: Scene, definition: Definition, offered: Offered): Promise<Taken> => {
  const { acapy } = scene
  const { agent } = await scene.issuer()
  const made = await offer(agent, '/credentials/create-offer-oob', offerOf(definition, offered))
  const { handshake_protocols: protocols, ...invitation } = invitationOf(made)
  const shown = offered.withoutConnection ? invitation : { ...invitation, handshake_protocols: protocols }
  const walletConnectionId = await receive(acapy, shown)
  const credentialId = await takeOffer(acapy, made.credentialRequestThId, offered.protocolVersion)
  const ours = await agent.credentialIn({ id: made.credentialRecordId }, 'done')
  return { ours, credentialId, walletConnectionId }
}

/** Revokes what the issuer has issued; resolves when it is published. */
export const revoke = async ({ issuer }: Scene, { ours }: Taken): Promise<void> => {
  const { agent } = await issuer()
  await agent.ask(`/credentials/${ours.id}/revoke`, {})
  await waitFor('the revocation to be published', async () => {
    const { metadata } = await agent.ask(`/credentials/${ours.id}`)
    return metadata['_agent/revocation'].state === 'published'
  })
}
