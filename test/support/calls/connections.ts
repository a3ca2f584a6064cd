/** Example calls on connections. */
import type { Examples } from './call-scene.ts'

export const connections: Examples = {
  GetConnections: async () => ({
    asked: { query: { limit: '10' } },
    other: { query: { state: 'completed', order: 'desc' } },
  }),
  GetConnectionById: async (scene) => ({ asked: { path: { connectionId: await scene.connection() } } }),
}
