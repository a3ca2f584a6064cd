/** Credential exchanges between the scene's tenant and its peer, as examples of their steps need them. */
import { offerBody } from '../scenes.ts'
import type { Call, Json } from '../stage/in-process-stage.ts'
import type { CallScene } from './call-scene.ts'

const SUBJECT = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'

/** The exchange of a thread when it has this state, of the scene's tenant or of its peer. */
const exchangeIn = async (scene: CallScene, threadId: string, state: string, as: Call = {}): Promise<Json> =>
  (await scene.until('GetCredentials', { ...as, query: { threadId, state } }, ([found]) => found !== undefined))[0]

const never = { autoAcceptCredential: 'never' }

/** The id of an exchange in which the scene's tenant has an offer. */
export const offered = async (scene: CallScene): Promise<string> => {
  const { caller, theirConnectionId } = await scene.peer()
  const { threadId } = await scene.done('CreateOffer', { caller, body: offerBody(theirConnectionId, SUBJECT) })
  return (await exchangeIn(scene, threadId, 'offer-received')).id
}

/** The id of an exchange in which it has declined an offer. */
export const declined = async (scene: CallScene): Promise<string> => {
  const credentialRecordId = await offered(scene)
  await scene.done('DeclineCredentialOffer', { body: { credentialRecordId } })
  return credentialRecordId
}

/** The same with a credential that it has not acknowledged. */
export const issued = async (scene: CallScene): Promise<Json> => {
  const credentialRecordId = await offered(scene)
  const { threadId } = await scene.done('AcceptCredentialOffer', { body: { credentialRecordId, ...never } })
  return exchangeIn(scene, threadId, 'credential-received')
}

/** The id of an exchange in which the scene's tenant is asked for what it has offered. */
export const requested = async (scene: CallScene): Promise<string> => {
  const { caller, connectionId } = await scene.peer()
  const as = { caller }
  const { id, threadId } = await scene.done('CreateOffer', { body: { ...offerBody(connectionId, SUBJECT), ...never } })
  const { id: credentialRecordId } = await exchangeIn(scene, threadId, 'offer-received', as)
  await scene.done('AcceptCredentialOffer', { ...as, body: { credentialRecordId } })
  await exchangeIn(scene, threadId, 'request-received')
  return id
}

/** A proposal on a connection. */
export const proposalBody = (connectionId: string): Json => {
  const { protocolVersion, credentialFormats } = offerBody(connectionId, SUBJECT)
  return { connectionId, protocolVersion, credentialFormats }
}

/** The id of an exchange in which the scene's tenant has a proposal. */
export const proposed = async (scene: CallScene): Promise<string> => {
  const { caller, theirConnectionId } = await scene.peer()
  const { threadId } = await scene.done('ProposeCredential', { caller, body: proposalBody(theirConnectionId) })
  return (await exchangeIn(scene, threadId, 'proposal-received')).id
}
