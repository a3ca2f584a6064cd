/** Example calls of what the service says of itself. */
import type { Examples } from './call-scene.ts'

export const service: Examples = {
  GetOpenApi: async () => ({ asked: {} }),
  GetHealth: async () => ({ asked: {} }),
}
