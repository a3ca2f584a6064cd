/** GetHealth: says that the service is available, and its version. Load balancers call it often: it reads no table. */
import { query } from '../lib/http/query.ts'
import { GetHealth } from '../lib/interface/service.ts'
import packageJson from '../package.json' with { type: 'json' }

export const health = query(GetHealth, async () => ({ status: 'ok', version: packageJson.version }))
