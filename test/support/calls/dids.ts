/** Example calls on DIDs. */
import type { CallScene, Examples } from './call-scene.ts'

const webDidOf = (scene: CallScene): Promise<string> =>
  scene.once('did:web', async () => (await scene.done('CreateDid', { body: { method: 'web' } })).did)

export const dids: Examples = {
  CreateDid: async () => ({
    asked: { body: { method: 'key', keyType: 'ed25519' } },
    other: { body: { method: 'peer', numAlgo: 4 } },
  }),
  GetDids: async (scene) => {
    await webDidOf(scene)
    return { asked: { query: { limit: '10' } } }
  },
  ResolveDid: async (scene) => ({ asked: { path: { did: await webDidOf(scene) } }, isPublic: true }),
  GetWebDidDocument: async (scene) => {
    await webDidOf(scene)
    return { asked: { path: { tenantId: scene.tenantId } }, isPublic: true }
  },
}
