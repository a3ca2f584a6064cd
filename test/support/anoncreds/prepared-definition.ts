/** Credential definitions of a degree whose keys were made before: to make them takes a processor 0.4 to 11 s. */
// First: Credo's AnonCreds copies the library's name when it is imported.
import '../../../lib/agent/formats/anoncreds/library.ts'

import { readFileSync } from 'node:fs'
import {
  AnonCredsCredentialDefinitionPrivateRecord,
  AnonCredsCredentialDefinitionPrivateRepository,
  AnonCredsCredentialDefinitionRecord,
  AnonCredsCredentialDefinitionRepository,
  AnonCredsKeyCorrectnessProofRecord,
  AnonCredsKeyCorrectnessProofRepository,
  type AnonCredsRegistry,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import type { Json } from '../stage/in-process-stage.ts'

interface Keys {
  value: Json
  private: Record<string, unknown>
  proof: Record<string, unknown>
}

/** Of two definitions with the attributes `degree` and `age`. They name neither issuer nor schema, so any may use them. */
const [first, second]: Keys[] = JSON.parse(readFileSync(new URL('./degree-keys.json', import.meta.url), 'utf8'))

const DEGREE_KEYS = first as Keys
export const OTHER_DEGREE_KEYS = second as Keys

export interface PreparedDefinition {
  registry: AnonCredsRegistry
  issuerId: string
  tag?: string
  keys?: Keys
  attrNames?: string[]
}

/** Publishes a schema and a definition, and stores the issuer's private part, in the running unit of work. */
export const prepareDefinition = async (
  agentContext: AgentContext,
  { registry, issuerId, tag = 'default', keys = DEGREE_KEYS, attrNames = ['degree', 'age'] }: PreparedDefinition,
): Promise<{ schemaId: string; credentialDefinitionId: string }> => {
  const schema = { name: 'degree', version: '1.0', issuerId, attrNames }
  const { schemaState } = await registry.registerSchema(agentContext, { schema, options: {} })
  const { schemaId = '' } = schemaState
  const credentialDefinition = { issuerId, schemaId, tag, type: 'CL' as const, value: keys.value }
  const { credentialDefinitionState } = await registry.registerCredentialDefinition(agentContext, {
    credentialDefinition,
    options: {},
  })
  const { credentialDefinitionId = '' } = credentialDefinitionState
  await agentContext.resolve(AnonCredsCredentialDefinitionRepository).save(
    agentContext,
    new AnonCredsCredentialDefinitionRecord({
      credentialDefinition,
      credentialDefinitionId,
      methodName: registry.methodName,
    }),
  )
  await agentContext
    .resolve(AnonCredsCredentialDefinitionPrivateRepository)
    .save(agentContext, new AnonCredsCredentialDefinitionPrivateRecord({ credentialDefinitionId, value: keys.private }))
  await agentContext
    .resolve(AnonCredsKeyCorrectnessProofRepository)
    .save(agentContext, new AnonCredsKeyCorrectnessProofRecord({ credentialDefinitionId, value: keys.proof }))
  return { schemaId, credentialDefinitionId }
}
