/** ResolveDid: resolves any DID. */
import '../lib/agent/compose.ts'
import { resolveDid as resolve } from '../lib/agent/dids/index.ts'
import { query } from '../lib/http/query.ts'
import { ResolveDid } from '../lib/interface/dids.ts'

export const resolveDid = query(ResolveDid, ({ agent, path }) => resolve(agent, path.did))
