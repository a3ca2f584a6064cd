/** The issuer of AnonCreds objects: the agent's did:webvh, or the one that the caller names. */
import { invalidField } from '../../errors.ts'
import { currentUnit } from '../../store/transaction.ts'
import { parseWebvhDid } from '../../webvh/did.ts'
import { logIn } from '../../webvh/published.ts'
import type { TenantAgent } from '../agent.ts'
import { webvhIssuer } from './webvh-issuer.ts'

/** The issuer in `issuerId`, by default the agent's did:webvh. Throws `request.invalid` for another agent's did:webvh. */
export const issuerOf = async (agent: TenantAgent, named: string | undefined): Promise<string> => {
  if (named === undefined) return webvhIssuer(agent)
  const unit = currentUnit()
  if (parseWebvhDid(named) !== undefined && (await logIn(unit, unit.tenant))?.did !== named)
    throw invalidField('issuerId', 'is not a DID of this agent')
  return named
}
