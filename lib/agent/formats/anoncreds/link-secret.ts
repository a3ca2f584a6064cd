/** The agent's link secret, to which its AnonCreds credentials are bound. Each agent has one, with a fixed id. */
import { AnonCredsLinkSecretRecord, AnonCredsLinkSecretRepository } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { LinkSecret } from '@hyperledger/anoncreds-shared'

/** Also the record's id: of concurrent first offers, which write the same key, one transaction is repeated. */
const LINK_SECRET = 'default'

/** The id of the link secret. The first call creates the secret in the running unit of work. */
export const ensureLinkSecret = async (agentContext: AgentContext): Promise<string> => {
  const repository = agentContext.resolve(AnonCredsLinkSecretRepository)
  if ((await repository.findById(agentContext, LINK_SECRET)) === null) {
    const record = new AnonCredsLinkSecretRecord({
      id: LINK_SECRET,
      linkSecretId: LINK_SECRET,
      value: LinkSecret.create(),
    })
    record.setTag('isDefault', true)
    await repository.save(agentContext, record)
  }
  return LINK_SECRET
}
