/** DID documents that follow from the DID itself: made once in a process, shared, and frozen because of that. */
import { type AgentContext, type DidResolutionResult, KeyDidResolver } from '@credo-ts/core'
import { Bounded } from '../bounded.ts'

/** Others choose their DIDs: one of 4,096 characters makes some ten thousand bytes of objects. */
const MAX_DOCUMENTS = 500

const documents = new Bounded<string, DidResolutionResult>(MAX_DOCUMENTS)

/** Freezes an object and all that it holds. */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}

/** What a DID resolves to, where that is the same for everybody and for ever. What does not resolve is not remembered. */
export const resolveOnce = async (
  did: string,
  resolve: () => Promise<DidResolutionResult>,
): Promise<DidResolutionResult> => {
  const known = documents.get(did)
  if (known !== undefined) return known
  const resolved = await resolve()
  return resolved.didDocument === null ? resolved : documents.set(did, deepFreeze(resolved))
}

export class SharedKeyDidResolver extends KeyDidResolver {
  override resolve(agentContext: AgentContext, did: string): Promise<DidResolutionResult> {
    return resolveOnce(did, () => super.resolve(agentContext, did))
  }
}
