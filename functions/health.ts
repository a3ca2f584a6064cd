/** GetHealth: says that the service is available, and its version. It does not read the table, because a load balancer may call it often. */
import { query } from '../lib/http/query.ts'
import { GetHealth } from '../lib/interface/service.ts'
import packageJson from '../package.json' with { type: 'json' }

export const health = query(GetHealth, async () => ({ status: 'ok', version: packageJson.version }))
