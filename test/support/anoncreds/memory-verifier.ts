/** A verifier of presentations on the bare library, and on objects in memory. It remembers which of them it has read. */
import { PresentationError } from '../../../lib/agent/formats/anoncreds/presentation-checks/assignments.ts'
import { type Verifier, verifyPresentation } from '../../../lib/agent/formats/anoncreds/verify-presentation.ts'
import type { Json } from '../stage/in-process-stage.ts'
import { libraryVerifies, type PublishedObjects } from './bare-library.ts'

export const memoryVerifier = ({ schemas, definitions, registries, lists }: PublishedObjects) => {
  const read: string[] = []
  const found = (id: string, object: Json | undefined) => {
    read.push(id)
    if (object === undefined) throw new PresentationError('an object could not be read')
    return structuredClone(object) as never
  }
  const verifier: Verifier = {
    schema: async (id) => found(id, schemas[id]),
    credentialDefinition: async (id) => found(id, definitions[id]),
    revocationRegistry: async (id) => found(id, registries[id]),
    statusList: async (id, at) =>
      found(
        `${id} at ${at}`,
        lists.findLast(({ revRegDefId, timestamp }) => revRegDefId === id && timestamp <= at),
      ),
    verify: async ({ proofRequest, proof, schemas, credentialDefinitions, revocationRegistries }) =>
      libraryVerifies(proofRequest, proof as never, {
        schemas,
        definitions: credentialDefinitions as never,
        registries: Object.fromEntries(
          Object.entries(revocationRegistries).map(([id, { definition }]) => [id, definition]),
        ),
        lists: Object.values(revocationRegistries).flatMap(({ revocationStatusLists }) =>
          Object.values(revocationStatusLists),
        ),
      }),
  }
  /** The verifier's verdict on a presentation. */
  const verdictOn = async (request: Json, presentation: Json): Promise<string> => {
    try {
      await verifyPresentation(request, presentation, verifier)
      return 'verified'
    } catch (error) {
      if (error instanceof PresentationError) return error.message
      throw error
    }
  }
  return { verifier, verdictOn, read }
}
