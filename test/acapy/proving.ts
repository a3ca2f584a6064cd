/** Steps where the wallet verifies and the agent proves: Present Proof 2.0 with presentation exchange, one call for each message. */
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { AcaPy } from './acapy.ts'
import { license } from './harness.ts'
import { accept, detailBy, offerOf, type ProofType } from './holding.ts'
import { type Invited, invite } from './inviter.ts'
import type { Scene } from './scenario.ts'

/** The agent holds a credential of the wallet's. Resolves to its W3C record. */
export const hold = async (
  scene: Scene,
  walletConnectionId: string,
  credentialAbout: (subject: string) => object,
  proofType?: ProofType,
): Promise<Json> =>
  accept(scene, await offerOf(scene, walletConnectionId, await detailBy(scene, credentialAbout, proofType)))

export const holdLicense = (scene: Scene, walletConnectionId: string, proofType?: ProofType): Promise<Json> =>
  hold(scene, walletConnectionId, license, proofType)

/** The agent's proof exchange on a thread, in one of these states. */
export const ourProofOf = ({ agent }: Scene, threadId: string, ...states: string[]): Promise<Json> => {
  let last: Json
  return waitFor(`our proof exchange to be ${states.join(' or ')}`, async () => {
    ;[last] = await agent.ask(`/proofs?threadId=${threadId}`)
    return states.includes(last?.state) && last
  }).catch((error) => {
    throw new Error(`${error.message}: it is ${last?.state}${last?.errorMessage ? ` (${last.errorMessage})` : ''}`)
  })
}

/** The wallet's proof exchange on a thread, in one of these states. */
export const theirProofOf = (acapy: AcaPy, threadId: string, ...states: string[]): Promise<Json> => {
  let last: Json
  return waitFor(`the wallet's proof exchange to be ${states.join(' or ')}`, async () => {
    const { results } = await acapy.get(`/present-proof-2.0/records?thread_id=${threadId}`)
    last = results[0]
    return states.includes(last?.state) && last
  }).catch((error) => {
    throw new Error(`${error.message}: it is ${last?.state}${last?.error_msg ? ` (${last.error_msg})` : ''}`)
  })
}

/** The wallet asks on a connection. Resolves to our exchange. */
export const requestOf = async (scene: Scene, walletConnectionId: string, dif: object): Promise<Json> => {
  const { thread_id: threadId } = await scene.acapy.post('/present-proof-2.0/send-request', {
    connection_id: walletConnectionId,
    presentation_request: { dif },
    auto_verify: false,
  })
  return ourProofOf(scene, threadId, 'request-received')
}

/** The wallet asks in an invitation; `body` has further fields of it. */
export const requestInInvitation = async (
  acapy: AcaPy,
  dif: object,
  body: object = {},
): Promise<{ invited: Invited; threadId: string }> => {
  const request = await acapy.post('/present-proof-2.0/create-request', { presentation_request: { dif } })
  const attachments = [{ id: request.pres_ex_id, type: 'present-proof' }]
  return { invited: await invite(acapy, { attachments, ...body }), threadId: request.thread_id }
}

/** From the request to its verification by the wallet, each step by a call. `body` is that of AcceptProofRequest. */
export const prove = async (scene: Scene, { id, threadId }: Json, body: object = {}): Promise<Json> => {
  const { acapy, agent } = scene
  await agent.ask(`/proofs/${id}/accept-request`, body)
  const { pres_ex_id: theirs } = await theirProofOf(acapy, threadId, 'presentation-received')
  await acapy.post(`/present-proof-2.0/records/${theirs}/verify-presentation`)
  const record = await theirProofOf(acapy, threadId, 'done', 'abandoned')
  if (record.verified !== 'true') throw new Error(`the wallet says verified: ${record.verified}`)
  await ourProofOf(scene, threadId, 'done')
  return record
}
