/** Example calls of the service's own information. */
import type { Examples } from './call-scene.ts'

export const service: Examples = {
  GetOpenApi: async () => ({ asked: {} }),
  GetHealth: async () => ({ asked: {} }),
}
