/** Steps where the wallet issues and the agent holds: Issue Credential 2.0 with JSON-LD, one call for each message. */
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import type { OurAgent } from './agent.ts'
import { newHolderDid } from './credentials.ts'
import { type Invited, invite } from './inviter.ts'
import type { Scene } from './scenario.ts'

export type ProofType = 'Ed25519Signature2018' | 'Ed25519Signature2020'

export interface Detail {
  credential: Json
  options: { proofType: ProofType }
}

/** A did:key of the agent. */
const newAgentDid = async (agent: OurAgent): Promise<string> => (await agent.ask('/dids/write', { method: 'key' })).did

/** A credential of the wallet's about a DID of the agent, as an offer or proposal describes it. */
export const detailBy = async (
  { acapy, agent }: Scene,
  credentialAbout: (subject: string) => object,
  proofType: ProofType = 'Ed25519Signature2018',
): Promise<Detail> => {
  const credential = { ...credentialAbout(await newAgentDid(agent)), issuer: await newHolderDid(acapy) }
  return { credential, options: { proofType } }
}

/** The agent's credential exchange on a thread of the wallet's, in one of these states. */
export const ourExchangeOf = async (agent: OurAgent, threadId: string, ...states: string[]): Promise<Json> => {
  const ours = await waitFor(
    'our credential exchange',
    async () => (await agent.ask(`/credentials?threadId=${threadId}`))[0],
  )
  return agent.credentialIn(ours, ...states)
}

/** The wallet's exchange on a thread, in one of these states. */
export const theirExchangeOf = (acapy: AcaPy, threadId: string, ...states: string[]): Promise<Json> =>
  waitFor(`the wallet's exchange to be ${states.join(' or ')}`, async () => {
    const { results } = await acapy.get(`/issue-credential-2.0/records?thread_id=${threadId}`)
    const record = results[0]?.cred_ex_record
    return states.includes(record?.state) && record
  })

/** The wallet offers on a connection. Resolves to our exchange. */
export const offerOf = async (scene: Scene, walletConnectionId: string, detail: Detail): Promise<Json> => {
  const { acapy, agent } = scene
  const sent = await acapy.post('/issue-credential-2.0/send-offer', {
    connection_id: walletConnectionId,
    filter: { ld_proof: detail },
  })
  return ourExchangeOf(agent, sent.thread_id, 'offer-received')
}

/** The wallet offers in an invitation; `body` has further fields of it. */
export const offerInInvitation = async (
  acapy: AcaPy,
  detail: Detail,
  body: object = {},
): Promise<{ invited: Invited; threadId: string }> => {
  const offer = await acapy.post('/issue-credential-2.0/create-offer', { filter: { ld_proof: detail } })
  const attachments = [{ id: offer.cred_ex_id, type: 'credential-offer' }]
  return { invited: await invite(acapy, { attachments, ...body }), threadId: offer.thread_id }
}

/** From the offer to the stored credential, each step by a call. Resolves to the W3C record. */
export const accept = async ({ acapy, agent }: Scene, { id, threadId }: Json): Promise<Json> => {
  await agent.ask('/credentials/accept-offer', { credentialRecordId: id, autoAcceptCredential: 'never' })
  const { cred_ex_id: theirs } = await theirExchangeOf(acapy, threadId, 'request-received')
  await acapy.post(`/issue-credential-2.0/records/${theirs}/issue`, {})
  await agent.credentialIn({ id }, 'credential-received')
  await agent.ask('/credentials/accept-credential', { credentialRecordId: id })
  const { credentials } = await agent.credentialIn({ id }, 'done')
  await theirExchangeOf(acapy, threadId, 'done')
  return agent.ask(`/credentials/w3c/${credentials[0].credentialRecordId}`)
}
