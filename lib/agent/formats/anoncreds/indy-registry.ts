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
import { AgentError } from '../../../errors.ts'
import { definitionOf, didLike, type IndyId, idLike, parseIndyId } from '../../../indy/ids.ts'
import { type LedgerRegistry, readAccumulator, readDefinition, readRegistry, readSchema } from '../../../indy/proxy.ts'
import { NotOnLedgerError } from '../../../indy/replies.ts'
import { statusList } from '../../../indy/revocation.ts'
import { type Found, findOnLedger, logUnreadable } from './indy-ledgers.ts'
import { NotWritableError, prepareDefinition, prepareEntry, prepareRegistry, prepareSchema } from './indy-writes.ts'
import { resolutionError } from './resolution.ts'

type Kind = IndyId['kind']
type IdOf<K extends Kind> = Extract<IndyId, { kind: K }>

/** Parses an id. Throws unless it is of this kind. */
const idOf = <K extends Kind>(kind: K, text: string): IdOf<K> => {
  const id = parseIndyId(text)
  if (id?.kind !== kind) throw new NotOnLedgerError('the id is none of an Indy ledger')
  return id as IdOf<K>
}

const found = <T>(object: Found<T> | undefined): Found<T> => {
  if (object === undefined) throw new NotOnLedgerError('no ledger of this deployment has it')
  return object
}

/** `notFound`: the ledger does not have the object. `unavailable`: the ledger could not be read. */
const failedToRead = (error: unknown) => {
  logUnreadable(error)
  return resolutionError(!(error instanceof NotOnLedgerError), error)
}

/** Throws `registry.unavailable` if the ledger could not be read. */
const failed = (error: unknown) => {
  if (error instanceof NotWritableError) return { state: 'failed' as const, reason: error.message }
  throw new AgentError('registry.unavailable', "the ledger's proxy does not answer as one does", { cause: error })
}

const definitionOfRegistry = (id: IdOf<'revocationRegistry'>, { value }: LedgerRegistry) => {
  const { issuanceType, ...others } = value
  const credDefId = idLike(definitionOf(id), id)
  if (credDefId === undefined) throw new NotOnLedgerError('the definition has no id in this spelling')
  return {
    issuanceType,
    definition: { issuerId: didLike(id, id), revocDefType: 'CL_ACCUM' as const, credDefId, tag: id.tag, value: others },
  }
}

export class IndyRegistry implements AnonCredsRegistry {
  readonly methodName = 'indy'
  /** Matches the beginning only. The methods parse the rest. */
  readonly supportedIdentifier = /^(?:did:indy:|[1-9A-HJ-NP-Za-km-z]{21,22}(?::[234]:|$))/
  /** A definition on a ledger can be changed by its owner, and a status list depends on the time. */
  readonly allowsCaching = false
  readonly allowsLocalRecord = false

  async getSchema(_: AgentContext, schemaId: string): Promise<GetSchemaReturn> {
    try {
      const id = idOf('schema', schemaId)
      const { ledger, object } = found(await findOnLedger(id, (one) => readSchema(one, id)))
      const { name, version } = id
      return {
        schemaId,
        schema: { issuerId: didLike(id, id), name, version, attrNames: object.attributes },
        schemaMetadata: { didIndyNamespace: ledger.namespace, indyLedgerSeqNo: object.seqNo },
        resolutionMetadata: {},
      }
    } catch (error) {
      return { schemaId, schemaMetadata: {}, resolutionMetadata: failedToRead(error) }
    }
  }

  async getCredentialDefinition(
    _: AgentContext,
    credentialDefinitionId: string,
  ): Promise<GetCredentialDefinitionReturn> {
    try {
      const id = idOf('credentialDefinition', credentialDefinitionId)
      const { ledger, object } = found(await findOnLedger(id, (one) => readDefinition(one, id)))
      const schemaId = idLike(object.schema, id)
      if (schemaId === undefined) throw new NotOnLedgerError('its schema has no id in this spelling')
      return {
        credentialDefinitionId,
        credentialDefinition: { issuerId: didLike(id, id), schemaId, type: 'CL', tag: id.tag, value: object.keys },
        credentialDefinitionMetadata: { didIndyNamespace: ledger.namespace },
        resolutionMetadata: {},
      }
    } catch (error) {
      return {
        credentialDefinitionId,
        credentialDefinitionMetadata: {},
        resolutionMetadata: failedToRead(error),
      }
    }
  }

  async getRevocationRegistryDefinition(
    _: AgentContext,
    revocationRegistryDefinitionId: string,
  ): Promise<GetRevocationRegistryDefinitionReturn> {
    try {
      const id = idOf('revocationRegistry', revocationRegistryDefinitionId)
      const { ledger, object } = found(await findOnLedger(id, (one) => readRegistry(one, id)))
      const { definition, issuanceType } = definitionOfRegistry(id, object)
      return {
        revocationRegistryDefinitionId,
        revocationRegistryDefinition: definition,
        revocationRegistryDefinitionMetadata: { didIndyNamespace: ledger.namespace, issuanceType },
        resolutionMetadata: {},
      }
    } catch (error) {
      return {
        revocationRegistryDefinitionId,
        revocationRegistryDefinitionMetadata: {},
        resolutionMetadata: failedToRead(error),
      }
    }
  }

  /** The list that was valid at `timestamp` (epoch seconds). */
  async getRevocationStatusList(
    _: AgentContext,
    revocationRegistryId: string,
    timestamp: number,
  ): Promise<GetRevocationStatusListReturn> {
    try {
      const id = idOf('revocationRegistry', revocationRegistryId)
      const { ledger, object } = found(await findOnLedger(id, (one) => readRegistry(one, id)))
      const status = await readAccumulator(ledger, id, timestamp)
      if (status === undefined) throw new NotOnLedgerError('the registry has no status of this time')
      return {
        revocationStatusList: {
          issuerId: didLike(id, id),
          revRegDefId: revocationRegistryId,
          revocationList: statusList(object.value, status),
          currentAccumulator: status.accumulator,
          timestamp: status.timestamp,
        },
        revocationStatusListMetadata: { didIndyNamespace: ledger.namespace },
        resolutionMetadata: {},
      }
    } catch (error) {
      return { revocationStatusListMetadata: {}, resolutionMetadata: failedToRead(error) }
    }
  }

  async registerSchema(_: AgentContext, { schema }: RegisterSchemaOptions): Promise<RegisterSchemaReturn> {
    const base = { schemaMetadata: {}, registrationMetadata: {} }
    try {
      const { id, state, registrationMetadata } = await prepareSchema(schema)
      return { ...base, registrationMetadata, schemaState: { ...state, schema, schemaId: id } }
    } catch (error) {
      return { ...base, schemaState: { ...failed(error), schema } }
    }
  }

  async registerCredentialDefinition(
    _: AgentContext,
    { credentialDefinition }: RegisterCredentialDefinitionOptions,
  ): Promise<RegisterCredentialDefinitionReturn> {
    const base = { credentialDefinitionMetadata: {}, registrationMetadata: {} }
    try {
      const { id, state, registrationMetadata } = await prepareDefinition(credentialDefinition)
      return {
        ...base,
        registrationMetadata,
        credentialDefinitionState: { ...state, credentialDefinition, credentialDefinitionId: id },
      }
    } catch (error) {
      return { ...base, credentialDefinitionState: { ...failed(error), credentialDefinition } }
    }
  }

  async registerRevocationRegistryDefinition(
    _: AgentContext,
    { revocationRegistryDefinition }: RegisterRevocationRegistryDefinitionOptions,
  ): Promise<RegisterRevocationRegistryDefinitionReturn> {
    const base = { revocationRegistryDefinitionMetadata: {}, registrationMetadata: {} }
    try {
      const { id, state, registrationMetadata } = await prepareRegistry(revocationRegistryDefinition)
      return {
        ...base,
        registrationMetadata,
        revocationRegistryDefinitionState: {
          ...state,
          revocationRegistryDefinition,
          revocationRegistryDefinitionId: id,
        },
      }
    } catch (error) {
      return { ...base, revocationRegistryDefinitionState: { ...failed(error), revocationRegistryDefinition } }
    }
  }

  async registerRevocationStatusList(
    _: AgentContext,
    { revocationStatusList }: RegisterRevocationStatusListOptions,
  ): Promise<RegisterRevocationStatusListReturn> {
    const base = { revocationStatusListMetadata: {}, registrationMetadata: {} }
    try {
      const { state, timestamp, registrationMetadata } = await prepareEntry(revocationStatusList)
      return {
        ...base,
        registrationMetadata,
        revocationStatusListState:
          state.state === 'finished'
            ? { ...state, revocationStatusList: { ...revocationStatusList, timestamp } }
            : { ...state, revocationStatusList },
      }
    } catch (error) {
      return { ...base, revocationStatusListState: { ...failed(error), revocationStatusList } }
    }
  }
}
