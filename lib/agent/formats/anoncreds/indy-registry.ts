/** The AnonCreds registry of Indy ledgers. It reads them through indy-vdr-proxies. An operator has to write to them. */
import type {
  AnonCredsRegistry,
  GetCredentialDefinitionReturn,
  GetRevocationRegistryDefinitionReturn,
  GetRevocationStatusListReturn,
  GetSchemaReturn,
  RegisterCredentialDefinitionOptions,
  RegisterCredentialDefinitionReturn,
  RegisterRevocationRegistryDefinitionOptions,
  RegisterRevocationRegistryDefinitionReturn,
  RegisterRevocationStatusListOptions,
  RegisterRevocationStatusListReturn,
  RegisterSchemaOptions,
  RegisterSchemaReturn,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { NotOnLedgerError } from '../../../indy/replies.ts'
import { logUnreadable } from './indy-ledgers.ts'
import { readDefinition, readRegistry, readSchema, readStatusList } from './indy-objects.ts'
import { prepareDefinition, prepareEntry, prepareRegistry, prepareSchema, stateAfter } from './indy-writes.ts'
import { resolved } from './resolution.ts'

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

  getSchema(_: AgentContext, schemaId: string): Promise<GetSchemaReturn> {
    return resolved({ schemaId, schemaMetadata: {} }, isUnknown, () => readSchema(schemaId))
  }

  getCredentialDefinition(_: AgentContext, credentialDefinitionId: string): Promise<GetCredentialDefinitionReturn> {
    const base = { credentialDefinitionId, credentialDefinitionMetadata: {} }
    return resolved(base, isUnknown, () => readDefinition(credentialDefinitionId))
  }

  getRevocationRegistryDefinition(
    _: AgentContext,
    revocationRegistryDefinitionId: string,
  ): Promise<GetRevocationRegistryDefinitionReturn> {
    const base = { revocationRegistryDefinitionId, revocationRegistryDefinitionMetadata: {} }
    return resolved(base, isUnknown, () => readRegistry(revocationRegistryDefinitionId))
  }

  getRevocationStatusList(
    _: AgentContext,
    registryId: string,
    timestamp: number,
  ): Promise<GetRevocationStatusListReturn> {
    return resolved({ revocationStatusListMetadata: {} }, isUnknown, () => readStatusList(registryId, timestamp))
  }

  async registerSchema(_: AgentContext, { schema }: RegisterSchemaOptions): Promise<RegisterSchemaReturn> {
    const { registrationMetadata, state } = await stateAfter(prepareSchema(schema), { schema }, (schemaId) => ({
      schemaId,
    }))
    return { schemaMetadata: {}, registrationMetadata, schemaState: state }
  }

  async registerCredentialDefinition(
    _: AgentContext,
    { credentialDefinition }: RegisterCredentialDefinitionOptions,
  ): Promise<RegisterCredentialDefinitionReturn> {
    const { registrationMetadata, state } = await stateAfter(
      prepareDefinition(credentialDefinition),
      { credentialDefinition },
      (credentialDefinitionId) => ({ credentialDefinitionId }),
    )
    return { credentialDefinitionMetadata: {}, registrationMetadata, credentialDefinitionState: state }
  }

  async registerRevocationRegistryDefinition(
    _: AgentContext,
    { revocationRegistryDefinition }: RegisterRevocationRegistryDefinitionOptions,
  ): Promise<RegisterRevocationRegistryDefinitionReturn> {
    const { registrationMetadata, state } = await stateAfter(
      prepareRegistry(revocationRegistryDefinition),
      { revocationRegistryDefinition },
      (revocationRegistryDefinitionId) => ({ revocationRegistryDefinitionId }),
    )
    const revocationRegistryDefinitionState = state
    return { revocationRegistryDefinitionMetadata: {}, registrationMetadata, revocationRegistryDefinitionState }
  }

  async registerRevocationStatusList(
    _: AgentContext,
    { revocationStatusList }: RegisterRevocationStatusListOptions,
  ): Promise<RegisterRevocationStatusListReturn> {
    const { registrationMetadata, state } = await stateAfter(
      prepareEntry(revocationStatusList),
      { revocationStatusList },
      (_, timestamp) => ({ revocationStatusList: { ...revocationStatusList, timestamp } }),
    )
    return { revocationStatusListMetadata: {}, registrationMetadata, revocationStatusListState: state }
  }
}
