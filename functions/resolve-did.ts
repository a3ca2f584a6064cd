/** ResolveDid: resolves any DID. */
import { resolveDid as resolve } from '../lib/agent/dids/resolve-did.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { ResolveDid } from '../lib/interface/dids.ts'

export const resolveDid = defineOperation(ResolveDid, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ agent, path }) => resolve(agent, path.did),
})
