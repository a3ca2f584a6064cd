/** What a registry's result says where it has no object: that there is none, or that this is unknown. */
import { AnonCredsRegistryService } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { AgentError } from '../../../errors.ts'

/** The metadata of a result. */
export interface Resolution {
  resolutionMetadata: { error?: string; message?: string }
}

const ABSENT = ['notFound', 'unsupportedAnonCredsMethod', 'invalid']

/** Whether the object does not exist, rather than being unreadable. */
export const isAbsent = ({ error = '' }: Resolution['resolutionMetadata']): boolean => ABSENT.includes(error)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')

/**
 * The result of reading an object: what `read` returns or, after an error, why there is none. Credo copies the message
 * to its own errors.
 */
export const resolved = async <Base, Found>(
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

interface Named {
  cred_def_id: string
  schema_id: string
  rev_reg_id?: string | null | undefined
}

/**
 * Throws `registry.unavailable` if it is unknown whether there is one of the objects that an offer or credential names.
 * Credo's own reading does not tell that from an object that does not exist; it repeats this one, which the unit of
 * work caches.
 */
export const assertReadable = async (
  agentContext: AgentContext,
  { cred_def_id, schema_id, rev_reg_id }: Named,
): Promise<void> => {
  const registries = agentContext.resolve(AnonCredsRegistryService)
  const registryOf = (id: string) => registries.getRegistryForIdentifier(agentContext, id)
  const results: Resolution[] = [
    await registryOf(cred_def_id).getCredentialDefinition(agentContext, cred_def_id),
    await registryOf(schema_id).getSchema(agentContext, schema_id),
    ...(rev_reg_id ? [await registryOf(rev_reg_id).getRevocationRegistryDefinition(agentContext, rev_reg_id)] : []),
  ]
  if (results.some(({ resolutionMetadata }) => resolutionMetadata.error !== undefined && !isAbsent(resolutionMetadata)))
    throw new AgentError('registry.unavailable', 'the registry of the credential does not respond')
}
