/** Example calls on AnonCreds' objects. */
import { randomUUID } from 'node:crypto'
import type { CallScene, Examples } from './call-scene.ts'

const newSchema = () => ({ name: `degree-${randomUUID()}`, version: '1.0', attributes: ['degree'] })

/** One for all: its tenant publishes it in its own name. */
export const schemaIdOf = (scene: CallScene): Promise<string> =>
  scene.once('schema', async () => (await scene.done('CreateSchema', { body: newSchema() })).schemaId)

export const anoncreds: Examples = {
  CreateSchema: async () => ({ asked: { body: newSchema() }, other: { body: newSchema() } }),
  GetSchemaById: async (scene) => ({ asked: { path: { schemaId: await schemaIdOf(scene) } }, isPublic: true }),
  CreateCredentialDefinition: async (scene) => {
    const schemaId = await schemaIdOf(scene)
    return {
      asked: { body: { schemaId, tag: randomUUID() } },
      other: { body: { schemaId, tag: 'another' } },
      // An agent generates two at a time.
      caller: await scene.newTenant(),
      // Keys take a processor seconds.
      generateFrom: [{ body: { schemaId: 'did:webvh:nothing', tag: 'default', supportRevocation: true } }],
    }
  },
  GetCredentialDefinitions: async () => ({ asked: { query: { limit: '10' } } }),
  GetCredentialDefinitionById: async (scene) => {
    const schemaId = await schemaIdOf(scene)
    const { id, caller } = await scene.once('definition', async () => {
      const caller = await scene.newTenant()
      const body = { schemaId, tag: 'default' }
      return { caller, id: (await scene.done('CreateCredentialDefinition', { caller, body })).id }
    })
    return { asked: { path: { credentialDefinitionId: id } }, caller }
  },
}
