/** GetHealth: says that the service is available, and its version. It does not read the table, because a load balancer may call it often. */
import { defineOperation } from '../lib/http/operation.ts'
import { GetHealth } from '../lib/interface/service.ts'
import packageJson from '../package.json' with { type: 'json' }

export const health = defineOperation(GetHealth, {
  handle: async () => ({ status: 'ok', version: packageJson.version }),
})
