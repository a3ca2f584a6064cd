/** Example calls on basic messages. */
import type { Examples } from './call-scene.ts'

export const basicMessages: Examples = {
  SendMessage: async (scene) => ({
    asked: { path: { connectionId: await scene.connection() }, body: { content: 'hello' } },
    other: { path: { connectionId: await scene.connection('second') }, body: { content: 'hello' } },
  }),
}
