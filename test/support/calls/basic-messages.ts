/** Example calls on basic messages. */
import type { Examples } from './call-scene.ts'

export const basicMessages: Examples = {
  SendMessage: async (scene) => ({
    asked: { path: { connectionId: await scene.connection() }, body: { content: 'hello' } },
    other: { path: { connectionId: await scene.connection('second') }, body: { content: 'hello' } },
  }),
  GetBasicMessages: async (scene) => ({
    asked: { path: { connectionId: await scene.connection() }, query: { limit: '10' } },
  }),
  tenant_GetBasicMessages: async (scene) => ({
    asked: { path: { connectionId: await scene.connection(), tenantId: scene.tenantId } },
    stranger: await scene.newTenant(),
  }),
}
