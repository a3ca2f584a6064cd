/** The AnonCreds registry of did:webvh. */
import type {
  AnonCredsRegistry,
  RegisterCredentialDefinitionOptions,
  RegisterRevocationRegistryDefinitionOptions,
  RegisterRevocationStatusListOptions,
  RegisterSchemaOptions,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import { isAgentError } from '../../../errors.ts'
import { AnonCredsCredentialDefinition, AnonCredsSchema } from '../../../records/anoncreds-objects.ts'
import { UnreadableDocumentError } from '../../web/index.ts'
import { resolutionResult } from './resolution.ts'
import {
  publishDefinition,
  publishRegistry,
  publishSchema,
  publishStatusList,
  readObject,
  readRegistry,
  readStatusList,
} from './webvh-objects.ts'

/**
 * Whether an object may exist: the host does not respond, not with JSON, or with an older version than was seen before.
 * If the host serves something else, or an object of another issuer, the object does not exist.
 */
const isUnknown = (error: unknown): boolean =>
  error instanceof UnreadableDocumentError || error instanceof SyntaxError || isAgentError(error)

/** The state of an object after `publish`: `failed` if it is not valid. Throws other errors. */
const published = async <Published>(publish: () => Promise<Published>) => {
  try {
    return { state: 'finished' as const, ...(await publish()) }
  } catch (error) {
    if (!(error instanceof CredoError)) throw error
    return { state: 'failed' as const, reason: error.message }
  }
}

export class WebvhRegistry implements AnonCredsRegistry {
  readonly methodName = 'webvh'
  readonly supportedIdentifier = /^did:webvh:/
  /** Immutable resources are cached by lib/agent/webvh; others are read each time. */
  readonly allowsCaching = false
  readonly allowsLocalRecord = false

  getSchema(agentContext: AgentContext, schemaId: string) {
    return resolutionResult({ schemaId, schemaMetadata: {} }, isUnknown, async () => ({
      schema: (await readObject(agentContext, schemaId, AnonCredsSchema)).object,
    }))
  }

  getCredentialDefinition(agentContext: AgentContext, credentialDefinitionId: string) {
    return resolutionResult({ credentialDefinitionId, credentialDefinitionMetadata: {} }, isUnknown, async () => ({
      credentialDefinition: (await readObject(agentContext, credentialDefinitionId, AnonCredsCredentialDefinition))
        .object,
    }))
  }

  getRevocationRegistryDefinition(agentContext: AgentContext, revocationRegistryDefinitionId: string) {
    const base = { revocationRegistryDefinitionId, revocationRegistryDefinitionMetadata: {} }
    return resolutionResult(base, isUnknown, async () => ({
      revocationRegistryDefinition: (await readRegistry(agentContext, revocationRegistryDefinitionId)).object,
    }))
  }

  /** The newest list that is not after `timestamp` (epoch seconds). */
  getRevocationStatusList(agentContext: AgentContext, registryId: string, timestamp: number) {
    return resolutionResult({ revocationStatusListMetadata: {} }, isUnknown, async () => ({
      revocationStatusList: await readStatusList(agentContext, registryId, timestamp),
    }))
  }

  async registerSchema(agentContext: AgentContext, { schema }: RegisterSchemaOptions) {
    const schemaState = await published(() => publishSchema(agentContext, schema))
    return { schemaMetadata: {}, registrationMetadata: {}, schemaState }
  }

  async registerCredentialDefinition(agentContext: AgentContext, options: RegisterCredentialDefinitionOptions) {
    const credentialDefinitionState = await published(() =>
      publishDefinition(agentContext, options.credentialDefinition),
    )
    return { credentialDefinitionMetadata: {}, registrationMetadata: {}, credentialDefinitionState }
  }

  async registerRevocationRegistryDefinition(
    agentContext: AgentContext,
    options: RegisterRevocationRegistryDefinitionOptions,
  ) {
    const revocationRegistryDefinitionState = await published(() =>
      publishRegistry(agentContext, options.revocationRegistryDefinition),
    )
    return { revocationRegistryDefinitionMetadata: {}, registrationMetadata: {}, revocationRegistryDefinitionState }
  }

  async registerRevocationStatusList(agentContext: AgentContext, options: RegisterRevocationStatusListOptions) {
    const revocationStatusListState = await published(async () => ({
      revocationStatusList: await publishStatusList(agentContext, options.revocationStatusList),
    }))
    return { revocationStatusListMetadata: {}, registrationMetadata: {}, revocationStatusListState }
  }
}
