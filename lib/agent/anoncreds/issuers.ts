/** Who issues AnonCreds: the agent's own did:webvh, or who else the caller names. */
import { invalidField } from '../../errors.ts'
import { currentUnit } from '../../store/transaction.ts'
import { parseWebvhDid } from '../../webvh/did.ts'
import { logIn } from '../../webvh/published.ts'
import type { TenantAgent } from '../agent.ts'
import { webvhIssuer } from './webvh-issuer.ts'

/** The issuer that the caller names in `issuerId`; by default the agent's did:webvh. Throws `request.invalid` for somebody else's did:webvh. */
export const issuerOf = async (agent: TenantAgent, named: string | undefined): Promise<string> => {
  if (named === undefined) return webvhIssuer(agent)
  const unit = currentUnit()
  if (parseWebvhDid(named) !== undefined && (await logIn(unit, unit.tenant))?.did !== named)
    throw invalidField('issuerId', 'is not a DID of this agent')
  return named
}
