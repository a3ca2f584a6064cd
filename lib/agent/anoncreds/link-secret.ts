/** The link secret of an agent, by which its AnonCreds credentials are bound to it: one, under a fixed key. */
import { AnonCredsLinkSecretRecord, AnonCredsLinkSecretRepository } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { LinkSecret } from '@hyperledger/anoncreds-shared'

/** Its record's id too: two first offers at once write to one address, and one of the transactions starts again. */
const LINK_SECRET = 'default'

/** The id of the link secret, which the first call makes in the running unit of work. */
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
