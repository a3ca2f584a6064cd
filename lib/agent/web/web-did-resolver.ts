/** Credo's resolver of did:web, which reads with the guarded client. */
import { type AgentContext, type ParsedDid, WebDidResolver } from '@credo-ts/core'
import { resolveWebDid } from './did-documents.ts'

export class GuardedWebDidResolver extends WebDidResolver {
  override async resolve(_agentContext: AgentContext, did: string, parsed: ParsedDid) {
    return resolveWebDid(did, parsed)
  }
}
