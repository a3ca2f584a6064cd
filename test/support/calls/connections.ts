/** Example calls on connections. */
import { waitFor } from '../../wallet/wait.ts'
import type { CallScene, Examples } from './call-scene.ts'

/** A connection of the caller's agent, as soon as it is in this state. */
const connectionIn = (scene: CallScene, query: Record<string, string>, state: string): Promise<string> =>
  waitFor(`a connection that is ${state}`, async () => {
    const [found] = await scene.done('GetConnections', { query: { ...query, state } })
    return found?.id
  })

/** A request of the wallet that waits to be accepted. */
const waitingRequest = async (scene: CallScene): Promise<string> => {
  const invited = await scene.done('CreateInvitation', { body: { autoAcceptConnection: false } })
  await scene.wallet.receive(invited.invitationUrl)
  return connectionIn(scene, { outOfBandId: invited.outOfBandRecord.id }, 'request-received')
}

/** A response to a request of the scene's tenant that waits to be accepted. */
const waitingResponse = async (scene: CallScene): Promise<string> => {
  const { invitationUrl } = await scene.done('CreateInvitation', { caller: await scene.newTenant(), body: {} })
  const received = await scene.done('ReceiveInvitationUrl', { body: { invitationUrl, autoAcceptConnection: false } })
  return connectionIn(scene, { outOfBandId: received.outOfBandRecord.id }, 'response-received')
}

export const connections: Examples = {
  GetConnections: async () => ({
    asked: { query: { limit: '10' } },
    other: { query: { state: 'completed', order: 'desc' } },
  }),
  AcceptConnectionRequest: async (scene) => ({
    asked: { path: { connectionId: await waitingRequest(scene) } },
    other: { path: { connectionId: await scene.connection('second') } },
  }),
  AcceptConnectionResponse: async (scene) => ({
    asked: { path: { connectionId: await waitingResponse(scene) } },
    other: { path: { connectionId: await scene.connection('second') } },
  }),
  SendPing: async (scene) => ({
    asked: {
      path: { connectionId: await scene.connection() },
      body: { comment: 'still there?', responseRequested: false },
    },
    other: { path: { connectionId: await scene.connection('second') }, body: {} },
  }),
}
