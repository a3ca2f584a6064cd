/** Whether the objects that an offer or a credential names can be read. */
import type { AgentContext } from '@credo-ts/core'
import { expect, test } from 'vitest'
import { assertReadable } from '../../../../lib/agent/formats/anoncreds/resolution.ts'

const READERS = ['getCredentialDefinition', 'getSchema', 'getRevocationRegistryDefinition'] as const

/** An agent whose registries have everything, except for what one of the readers is asked for. */
const agentWithout = (reader: (typeof READERS)[number], error: string): AgentContext => {
  const result = (name: string) => async () => ({ resolutionMetadata: name === reader ? { error } : {} })
  const registry = Object.fromEntries(READERS.map((name) => [name, result(name)]))
  return Object({ resolve: () => ({ getRegistryForIdentifier: () => registry }) })
}

const NAMED = { cred_def_id: 'definition', schema_id: 'schema', rev_reg_id: 'registry' }

test.each(READERS)(
  'it is unknown where %s finds no ledger, and known where the ledger has no such object',
  async (reader) => {
    await expect(assertReadable(agentWithout(reader, 'unavailable'), NAMED)).rejects.toMatchObject({
      code: 'registry.unavailable',
    })
    for (const absent of ['notFound', 'unsupportedAnonCredsMethod', 'invalid'])
      await assertReadable(agentWithout(reader, absent), NAMED)
  },
)
