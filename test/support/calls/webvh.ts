/** Example calls of public documents that holders and verifiers read. */
import { createHash, randomBytes } from 'node:crypto'
import { TypedArrayEncoder } from '@credo-ts/core'
import { schemaIdOf } from './anoncreds.ts'
import type { Examples } from './call-scene.ts'

/** Puts a tails file into the table of the service in this process. Resolves to its hash. */
const addTails = async (): Promise<string> => {
  const { transaction } = await import('../../../lib/store/transaction.ts')
  const { addTailsFile } = await import('../../../lib/revocation/tails-file.ts')
  const content = randomBytes(64)
  const hash = TypedArrayEncoder.toBase58(createHash('sha256').update(content).digest())
  await transaction('acme', async (unit) => addTailsFile(unit, hash, content))
  return hash
}

export const webvh: Examples = {
  GetWebvhLog: async (scene) => {
    await schemaIdOf(scene)
    return { asked: { path: { tenantId: scene.tenantId } }, isPublic: true }
  },
  GetWebvhResource: async (scene) => {
    const resourceId = (await schemaIdOf(scene)).split('/').at(-1) ?? ''
    return { asked: { path: { tenantId: scene.tenantId, resourceId } }, isPublic: true }
  },
  GetTailsFile: async () => ({ asked: { path: { hash: await addTails() } }, isPublic: true }),
}
