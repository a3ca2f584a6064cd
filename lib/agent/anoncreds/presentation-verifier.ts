/** Inputs of verification: the objects, read through Credo's registries within the budget of the running unit of work, and the library. */
import {
  type AnonCredsVerifierService,
  AnonCredsVerifierServiceSymbol,
  fetchCredentialDefinition,
  fetchRevocationRegistryDefinition,
  fetchRevocationStatusList,
  fetchSchema,
  getUnqualifiedDidIndyCredentialDefinition,
  getUnqualifiedDidIndyRevocationRegistryDefinition,
  getUnqualifiedDidIndySchema,
  isUnqualifiedCredentialDefinitionId,
  isUnqualifiedRevocationRegistryId,
  isUnqualifiedSchemaId,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { isAgentError } from '../../errors.ts'
import { legacyId, parseIndyDid } from '../../indy/ids.ts'
import { Refused } from './presentation-checks/answers.ts'
import type { Verifier } from './verify-presentation.ts'

/**
 * Objects that do not exist, or whose host does not answer, are `Refused`: wallets do not send a presentation twice, so the verifier should know at
 * once and may ask again. An error of our own table ends the unit of work instead.
 */
export const presentationVerifier = (agentContext: AgentContext): Verifier => ({
  schema: (id) =>
    read('a schema', async () => {
      const { schema } = await fetchSchema(agentContext, id)
      return isUnqualifiedSchemaId(id) ? getUnqualifiedDidIndySchema(schema) : schema
    }),
  credentialDefinition: (id) =>
    read('a credential definition', async () => {
      const { credentialDefinition } = await fetchCredentialDefinition(agentContext, id)
      return isUnqualifiedCredentialDefinitionId(id)
        ? getUnqualifiedDidIndyCredentialDefinition(credentialDefinition)
        : credentialDefinition
    }),
  revocationRegistry: (id) =>
    read('a revocation registry', async () => {
      const { revocationRegistryDefinition } = await fetchRevocationRegistryDefinition(agentContext, id)
      return isUnqualifiedRevocationRegistryId(id)
        ? getUnqualifiedDidIndyRevocationRegistryDefinition(revocationRegistryDefinition)
        : revocationRegistryDefinition
    }),
  statusList: (id, at) =>
    read('a revocation status list', async () => {
      const { revocationStatusList: list } = await fetchRevocationStatusList(agentContext, id, at)
      if (!isUnqualifiedRevocationRegistryId(id)) return list
      const { revRegDefId, issuerId } = list
      // Credo's own function throws for unqualified ids.
      return { ...list, revRegDefId: legacyId(revRegDefId), issuerId: parseIndyDid(issuerId)?.did ?? issuerId }
    }),
  verify: (options) =>
    agentContext.resolve<AnonCredsVerifierService>(AnonCredsVerifierServiceSymbol).verifyProof(agentContext, options),
})

const read = async <Read>(what: string, resolve: () => Promise<Read>): Promise<Read> => {
  try {
    return await resolve()
  } catch (error) {
    if (isAgentError(error)) throw error
    throw new Refused(`${what} of the presentation could not be read`)
  }
}
