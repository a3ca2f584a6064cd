/** The AnonCreds registry of Indy ledgers, which it reads through indy-vdr-proxies. An operator must write to them. */
import type {
  AnonCredsRegistry,
  RegisterCredentialDefinitionOptions,
  RegisterRevocationRegistryDefinitionOptions,
  RegisterRevocationStatusListOptions,
  RegisterSchemaOptions,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { NotOnLedgerError } from '../../../indy/replies.ts'
import { logUnreadable } from './indy-ledgers.ts'
import { readDefinition, readRegistry, readSchema, readStatusList } from './indy-objects.ts'
import { prepareDefinition, prepareEntry, prepareRegistry, prepareSchema, stateAfter } from './indy-writes.ts'
import { resolutionResult } from './resolution.ts'

/** Whether the ledger could not be read, so that it may have the object. */
const isUnknown = (error: unknown): boolean => {
  logUnreadable(error)
  return !(error instanceof NotOnLedgerError)
}

export class IndyRegistry implements AnonCredsRegistry {
  readonly methodName = 'indy'
  /** Matches the beginning only. The methods parse the rest. */
  readonly supportedIdentifier = /^(?:did:indy:|[1-9A-HJ-NP-Za-km-z]{21,22}(?::[234]:|$))/
  /** A definition on a ledger can be changed by its owner, and a status list depends on the time. */
  readonly allowsCaching = false
  readonly allowsLocalRecord = false

  getSchema(_: AgentContext, schemaId: string) {
    return resolutionResult({ schemaId, schemaMetadata: {} }, isUnknown, () => readSchema(schemaId))
  }

  getCredentialDefinition(_: AgentContext, credentialDefinitionId: string) {
    const base = { credentialDefinitionId, credentialDefinitionMetadata: {} }
    return resolutionResult(base, isUnknown, () => readDefinition(credentialDefinitionId))
  }

  getRevocationRegistryDefinition(_: AgentContext, revocationRegistryDefinitionId: string) {
    const base = { revocationRegistryDefinitionId, revocationRegistryDefinitionMetadata: {} }
    return resolutionResult(base, isUnknown, () => readRegistry(revocationRegistryDefinitionId))
  }

  getRevocationStatusList(_: AgentContext, registryId: string, timestamp: number) {
    return resolutionResult({ revocationStatusListMetadata: {} }, isUnknown, () =>
      readStatusList(registryId, timestamp),
    )
  }

  async registerSchema(_: AgentContext, { schema }: RegisterSchemaOptions) {
    const ofId = (schemaId: string) => ({ schemaId })
    const { registrationMetadata, state } = await stateAfter(prepareSchema(schema), { schema }, ofId)
    return { schemaMetadata: {}, registrationMetadata, schemaState: state }
  }

  async registerCredentialDefinition(_: AgentContext, options: RegisterCredentialDefinitionOptions) {
    const { credentialDefinition } = options
    const ofId = (credentialDefinitionId: string) => ({ credentialDefinitionId })
    const prepared = prepareDefinition(credentialDefinition)
    const { registrationMetadata, state } = await stateAfter(prepared, { credentialDefinition }, ofId)
    return { credentialDefinitionMetadata: {}, registrationMetadata, credentialDefinitionState: state }
  }

  async registerRevocationRegistryDefinition(_: AgentContext, options: RegisterRevocationRegistryDefinitionOptions) {
    const { revocationRegistryDefinition } = options
    const ofId = (revocationRegistryDefinitionId: string) => ({ revocationRegistryDefinitionId })
    const prepared = prepareRegistry(revocationRegistryDefinition)
    const { state, ...metadata } = await stateAfter(prepared, { revocationRegistryDefinition }, ofId)
    return { revocationRegistryDefinitionMetadata: {}, ...metadata, revocationRegistryDefinitionState: state }
  }

  async registerRevocationStatusList(_: AgentContext, { revocationStatusList }: RegisterRevocationStatusListOptions) {
    const ofTime = (_: string, timestamp: number) => ({ revocationStatusList: { ...revocationStatusList, timestamp } })
    const prepared = prepareEntry(revocationStatusList)
    const { registrationMetadata, state } = await stateAfter(prepared, { revocationStatusList }, ofTime)
    return { revocationStatusListMetadata: {}, registrationMetadata, revocationStatusListState: state }
  }
}
