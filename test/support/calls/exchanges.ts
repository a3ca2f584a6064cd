/** Another tenant that the scene's is connected to, and exchanges between the two, as examples of their steps need them. */
import { waitFor } from '../../wallet/wait.ts'
import { offerBody } from '../scenes.ts'
import type { Json } from '../stage/in-process-stage.ts'
import type { CallScene } from './call-scene.ts'

export interface Peer {
  tenantId: string
  /** Its connection to the scene's tenant. */
  connectionId: string
  /** The connection of the scene's tenant to it. */
  ours: string
}

const SUBJECT = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'

/** A tenant with a completed connection, by calls alone. */
export const peerOf = (scene: CallScene): Promise<Peer> =>
  scene.once('peer', async () => {
    const caller = await scene.newTenant()
    const { invitation, outOfBandRecord } = await scene.done('CreateInvitation', { caller, body: {} })
    const { messageType: _, ...message } = invitation
    const received = await scene.done('ReceiveInvitation', { body: { invitation: message } })
    const completed = (outOfBandId: string, as: object) =>
      waitFor('the connection to be completed', async () => {
        const [found] = await scene.done('GetConnections', { query: { outOfBandId }, ...as })
        return found?.state === 'completed' && found
      })
    const ours = await completed(received.outOfBandRecord.id, {})
    const theirs = await completed(outOfBandRecord.id, { caller })
    return { ...caller, connectionId: theirs.id, ours: ours.id }
  })

/** The exchange of a thread when it has this state, of the scene's tenant or of its peer. */
const exchangeIn = (scene: CallScene, threadId: string, state: string, as: object = {}): Promise<Json> =>
  waitFor(`the exchange to be ${state}`, async () => {
    const [found] = await scene.done('GetCredentials', { query: { threadId, state }, ...as })
    return found
  })

const never = { autoAcceptCredential: 'never' }

/** The id of an exchange in which the scene's tenant has an offer. */
export const offered = async (scene: CallScene): Promise<string> => {
  const { tenantId, connectionId } = await peerOf(scene)
  const body = offerBody(connectionId, SUBJECT)
  const { threadId } = await scene.done('CreateOffer', { caller: { tenantId }, body })
  return (await exchangeIn(scene, threadId, 'offer-received')).id
}

/** The same with a credential that it has not acknowledged. */
export const issued = async (scene: CallScene): Promise<Json> => {
  const credentialRecordId = await offered(scene)
  const { threadId } = await scene.done('AcceptCredentialOffer', { body: { credentialRecordId, ...never } })
  return exchangeIn(scene, threadId, 'credential-received')
}

/** The id of an exchange in which the scene's tenant is asked for what it has offered. */
export const requested = async (scene: CallScene): Promise<string> => {
  const { tenantId, ours } = await peerOf(scene)
  const { id, threadId } = await scene.done('CreateOffer', { body: { ...offerBody(ours, SUBJECT), ...never } })
  const as = { caller: { tenantId } }
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
  const { tenantId, connectionId } = await peerOf(scene)
  const body = proposalBody(connectionId)
  const { threadId } = await scene.done('ProposeCredential', { caller: { tenantId }, body })
  return (await exchangeIn(scene, threadId, 'proposal-received')).id
}
