/** Example calls of pages for people. */
import { requestBody } from '../scenes.ts'
import type { CallScene, Examples } from './call-scene.ts'

const invitationOf = (scene: CallScene) =>
  scene.once('invitation that is shown', () => scene.done('CreateRequest', { body: requestBody }))

export const pages: Examples = {
  ShowInvitation: async (scene) => {
    const { invitationUrl } = await invitationOf(scene)
    const oob = new URL(invitationUrl).searchParams.get('oob') ?? ''
    return { asked: { query: { oob } }, isPublic: true }
  },
  GetInvitationById: async (scene) => {
    const { invitation } = await invitationOf(scene)
    // Without it the answer is a redirect.
    const headers = { accept: 'application/json' }
    return { asked: { path: { invitationId: invitation['@id'] }, headers }, isPublic: true }
  },
  ShowDocs: async () => ({ asked: {}, isPublic: true }),
  GetBrowserFile: async () => ({ asked: { path: { file: 'page.css' } }, isPublic: true }),
}
