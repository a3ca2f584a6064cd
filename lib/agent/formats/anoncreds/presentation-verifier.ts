/**
 * The dependencies of verification: objects, read through Credo's registries within the budget of the running unit of
 * work, and the library.
 */
import {
  type AnonCredsRegistry,
  AnonCredsRegistryService,
  type AnonCredsVerifierService,
  AnonCredsVerifierServiceSymbol,
  getUnqualifiedDidIndyCredentialDefinition,
  getUnqualifiedDidIndyRevocationRegistryDefinition,
  getUnqualifiedDidIndySchema,
  isUnqualifiedCredentialDefinitionId,
  isUnqualifiedRevocationRegistryId,
  isUnqualifiedSchemaId,
  type VerifyProofOptions,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  CredentialDefinition,
  RevocationRegistryDefinition,
  RevocationStatusList,
  Schema,
} from '@hyperledger/anoncreds-shared'
import { AgentError } from '../../../errors.ts'
import { legacyId, parseIndyDid } from '../../../indy/ids.ts'
import { isInvalidInputError } from './invalid-input-errors.ts'
import { PresentationError } from './presentation-checks/index.ts'
import { isNotFound, type Resolution } from './resolution.ts'
import type { Verifier } from './verify-presentation.ts'

/**
 * An object that does not exist is a `PresentationError`. One that cannot be read is another error: the presentation
 * may be valid.
 */
export const presentationVerifier = (agentContext: AgentContext): Verifier => {
  const registryOf = (what: string, id: string): AnonCredsRegistry => {
    try {
      return agentContext.resolve(AnonCredsRegistryService).getRegistryForIdentifier(agentContext, id)
    } catch (error) {
      if (error instanceof CredoError) throw unavailable(what)
      throw error
    }
  }
  return {
    schema: async (id) => {
      const what = 'a schema'
      const result = await registryOf(what, id).getSchema(agentContext, id)
      const schema = required(what, result.schema, result)
      return isUnqualifiedSchemaId(id) ? getUnqualifiedDidIndySchema(schema) : schema
    },
    credentialDefinition: async (id) => {
      const what = 'a credential definition'
      const result = await registryOf(what, id).getCredentialDefinition(agentContext, id)
      const definition = required(what, result.credentialDefinition, result)
      return isUnqualifiedCredentialDefinitionId(id)
        ? getUnqualifiedDidIndyCredentialDefinition(definition)
        : definition
    },
    revocationRegistry: async (id) => {
      const what = 'a revocation registry'
      const result = await registryOf(what, id).getRevocationRegistryDefinition(agentContext, id)
      const registry = required(what, result.revocationRegistryDefinition, result)
      return isUnqualifiedRevocationRegistryId(id)
        ? getUnqualifiedDidIndyRevocationRegistryDefinition(registry)
        : registry
    },
    statusList: async (id, at) => {
      const what = 'a revocation status list'
      const result = await registryOf(what, id).getRevocationStatusList(agentContext, id, at)
      const list = required(what, result.revocationStatusList, result)
      if (!isUnqualifiedRevocationRegistryId(id)) return list
      const { revRegDefId, issuerId } = list
      // Credo's own function throws for unqualified ids.
      return { ...list, revRegDefId: legacyId(revRegDefId), issuerId: parseIndyDid(issuerId)?.did ?? issuerId }
    },
    verify: (options) => verify(agentContext, options),
  }
}

const unreadable = (what: string): string => `${what} of the presentation could not be read`

const unavailable = (what: string, cause?: unknown): AgentError =>
  new AgentError('registry.unavailable', unreadable(what), { cause })

const required = <T>(what: string, object: T | undefined, { resolutionMetadata }: Resolution): T => {
  if (object !== undefined) return object
  throw isNotFound(resolutionMetadata) ? new PresentationError(unreadable(what)) : unavailable(what)
}

/**
 * The library's result. It reports invalid objects of the registries with the same codes as an invalid presentation, so
 * those are checked after an error.
 */
const verify = async (agentContext: AgentContext, options: VerifyProofOptions): Promise<boolean> => {
  try {
    const service = agentContext.resolve<AnonCredsVerifierService>(AnonCredsVerifierServiceSymbol)
    return await service.verifyProof(agentContext, options)
  } catch (error) {
    if (!isInvalidInputError(error)) throw error
    assertReadableByLibrary(options)
    return false
  }
}

type Parsed = { fromJson(json: never): { handle: { clear(): void } } }

/** Throws `registry.unavailable` if the library cannot read one of the objects. */
const assertReadableByLibrary = ({
  schemas,
  credentialDefinitions,
  revocationRegistries,
}: VerifyProofOptions): void => {
  const registries = Object.values(revocationRegistries)
  const parts: [string, Parsed, object[]][] = [
    ['a schema', Schema, Object.values(schemas)],
    ['a credential definition', CredentialDefinition, Object.values(credentialDefinitions)],
    ['a revocation registry', RevocationRegistryDefinition, registries.map(({ definition }) => definition)],
    [
      'a revocation status list',
      RevocationStatusList,
      registries.flatMap(({ revocationStatusLists }) => Object.values(revocationStatusLists)),
    ],
  ]
  for (const [what, type, objects] of parts)
    for (const object of objects)
      try {
        type.fromJson(object as never).handle.clear()
      } catch (cause) {
        throw unavailable(what, cause)
      }
}
