/** Credentials and proofs between the scene's tenant and its peer, as examples of proofs need them. */
import { offerBody, requestBody } from '../scenes.ts'
import type { Caller, Json } from '../stage/in-process-stage.ts'
import type { CallScene } from './call-scene.ts'

export const REQUEST = { ...requestBody, autoAcceptProof: 'never' }

/** Who issues or verifies, with its connection to the other. */
interface From {
  caller: Caller
  connectionId: string
}

export const scenes = (scene: CallScene): Caller => ({ tenantId: scene.tenantId })

/** Has one tenant issue a degree to another, which stores it. */
export const issue = async (scene: CallScene, { caller, connectionId }: From, holder: Caller): Promise<void> => {
  const { did } = await scene.done('CreateDid', { caller: holder, body: { method: 'key', keyType: 'ed25519' } })
  const { threadId } = await scene.done('CreateOffer', { caller, body: offerBody(connectionId, did) })
  const [offered] = await scene.until('GetCredentials', { caller: holder, query: { threadId } }, ([found]) => found)
  await scene.done('AcceptCredentialOffer', { caller: holder, body: { credentialRecordId: offered.id } })
  const path = { credentialRecordId: offered.id }
  await scene.until('GetCredentialById', { caller: holder, path }, ({ state }) => state === 'done')
}

/** The exchange on a thread, as soon as the caller has it. */
export const received = async (scene: CallScene, caller: Caller, { threadId }: Json): Promise<string> =>
  (await scene.until('GetProofs', { caller, query: { threadId } }, ([found]) => found))[0].id

/** A presentation of the scene's peer that the tenant has verified. */
export const presented = async (scene: CallScene): Promise<string> => {
  const { caller, connectionId } = await scene.peer()
  await scene.once("peer's degree", () => issue(scene, { caller: scenes(scene), connectionId }, caller))
  const request = await scene.done('RequestProof', { body: { connectionId, ...REQUEST } })
  const path = { proofRecordId: await received(scene, caller, request) }
  await scene.done('AcceptProofRequest', { caller, path, body: {} })
  await scene.until(
    'GetProofById',
    { path: { proofRecordId: request.id } },
    ({ state }) => state === 'presentation-received',
  )
  return request.id
}
