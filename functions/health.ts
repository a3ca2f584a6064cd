/** GET /health: whether the service is there, and which version of it. Asks nothing of the table: a load balancer would scale on it. */
import { defineOperation } from '../lib/http/operation.ts'
import { GetHealth } from '../lib/interface/service.ts'
import packageJson from '../package.json' with { type: 'json' }

export const health = defineOperation(GetHealth, {
  handle: async () => ({ status: 'ok', version: packageJson.version }),
})
