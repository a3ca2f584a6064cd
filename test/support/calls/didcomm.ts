/** Example calls of the endpoint for other agents. */
import { requestBody } from '../scenes.ts'
import { catchEnvelope } from '../wallets/new-envelope.ts'
import type { Examples } from './call-scene.ts'

export const didcomm: Examples = {
  /** An envelope is valid once. */
  ReceiveDidcomm: async (scene) => {
    const { invitationUrl } = await scene.done('CreateRequest', { body: requestBody })
    const { envelope } = await catchEnvelope(invitationUrl)
    return { asked: { path: { tenantId: scene.tenantId }, body: envelope } }
  },
}
