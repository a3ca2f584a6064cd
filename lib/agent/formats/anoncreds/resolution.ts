/** Results of registries without an object: it does not exist, or the registry could not be read. */
import { AnonCredsRegistryService } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { AgentError } from '../../../errors.ts'

/** The metadata of a result. */
export interface Resolution {
  resolutionMetadata: { error?: string; message?: string }
}

const NOT_FOUND_ERRORS = ['notFound', 'unsupportedAnonCredsMethod', 'invalid']

/** Whether the object does not exist, rather than being unreadable. */
export const isNotFound = ({ error = '' }: Resolution['resolutionMetadata']): boolean =>
  NOT_FOUND_ERRORS.includes(error)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

/**
 * The result of reading an object: the result of `read` or, after an error, its reason. Credo copies the message to its
 * own errors.
 */
export const resolutionResult = async <Base, Found>(
  base: Base,
  isUnknown: (error: unknown) => boolean,
  read: () => Promise<Found>,
) => {
  try {
    return { ...base, ...(await read()), resolutionMetadata: {} }
  } catch (error) {
    const resolutionMetadata = { error: isUnknown(error) ? 'unavailable' : 'notFound', message: messageOf(error) }
    return { ...base, resolutionMetadata }
  }
}

interface ObjectIds {
  cred_def_id: string
  schema_id: string
  rev_reg_id?: string | null | undefined
}

/**
 * Throws `registry.unavailable` if an object that an offer or credential names could not be read. Credo does not
 * distinguish that from an object that does not exist. Credo reads the objects again, from the cache of the unit of
 * work.
 */
export const assertReadable = async (
  agentContext: AgentContext,
  { cred_def_id, schema_id, rev_reg_id }: ObjectIds,
): Promise<void> => {
  const registries = agentContext.resolve(AnonCredsRegistryService)
  const registryOf = (id: string) => registries.getRegistryForIdentifier(agentContext, id)
  const results: Resolution[] = [
    await registryOf(cred_def_id).getCredentialDefinition(agentContext, cred_def_id),
    await registryOf(schema_id).getSchema(agentContext, schema_id),
    ...(rev_reg_id ? [await registryOf(rev_reg_id).getRevocationRegistryDefinition(agentContext, rev_reg_id)] : []),
  ]
  if (
    results.some(({ resolutionMetadata }) => resolutionMetadata.error !== undefined && !isNotFound(resolutionMetadata))
  )
    throw new AgentError('registry.unavailable', 'the registry of the credential does not respond')
}
