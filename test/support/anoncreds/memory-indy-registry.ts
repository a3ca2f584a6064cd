/** A ledger of Indy objects in memory, by qualified and unqualified ids, as one that is read over HTTP answers. */
// First: Credo's AnonCreds copies the library's name when it is imported.
import '../../../lib/agent/anoncreds/library.ts'

import {
  type AnonCredsCredentialDefinition,
  type AnonCredsRegistry,
  type AnonCredsSchema,
  getUnQualifiedDidIndyDid,
} from '@credo-ts/anoncreds'

const NAMESPACE = 'memory'
const SEQUENCE_NUMBER = 7

/** An Indy DID of the ledger. */
export const INDY_ISSUER = `did:indy:${NAMESPACE}:WgWxqztrNooG92RXvxSTWv`

const schemas = new Map<string, AnonCredsSchema>()
const definitions = new Map<string, AnonCredsCredentialDefinition>()

const notFound = { error: 'notFound', message: 'no such object' }
const unsupported = async (): Promise<never> => {
  throw new Error('the ledger in memory knows no revocation')
}

const METADATA = { didIndyNamespace: NAMESPACE, indyLedgerSeqNo: SEQUENCE_NUMBER }

export class MemoryIndyRegistry implements AnonCredsRegistry {
  readonly methodName = 'indy'
  readonly allowsCaching = false
  readonly allowsLocalRecord = false
  readonly supportedIdentifier = new RegExp(`^did:indy:${NAMESPACE}:|^[1-9A-HJ-NP-Za-km-z]{21,22}(:|$)`)

  registerSchema: AnonCredsRegistry['registerSchema'] = async (_, { schema }) => {
    const schemaId = `${schema.issuerId}/anoncreds/v0/SCHEMA/${schema.name}/${schema.version}`
    schemas.set(schemaId, schema)
    schemas.set(unqualified(schemaId), { ...schema, issuerId: unqualified(schema.issuerId) })
    return {
      schemaState: { state: 'finished', schema, schemaId },
      registrationMetadata: {},
      schemaMetadata: METADATA,
    }
  }

  registerCredentialDefinition: AnonCredsRegistry['registerCredentialDefinition'] = async (
    _,
    { credentialDefinition },
  ) => {
    const { issuerId, schemaId, tag } = credentialDefinition
    const credentialDefinitionId = `${issuerId}/anoncreds/v0/CLAIM_DEF/${SEQUENCE_NUMBER}/${tag}`
    definitions.set(credentialDefinitionId, credentialDefinition)
    definitions.set(unqualified(credentialDefinitionId), {
      ...credentialDefinition,
      issuerId: unqualified(issuerId),
      schemaId: unqualified(schemaId),
    })
    return {
      credentialDefinitionState: { state: 'finished', credentialDefinition, credentialDefinitionId },
      registrationMetadata: {},
      credentialDefinitionMetadata: METADATA,
    }
  }

  getSchema: AnonCredsRegistry['getSchema'] = async (_, schemaId) => {
    const schema = schemas.get(schemaId)
    return schema === undefined
      ? { schemaId, resolutionMetadata: notFound, schemaMetadata: {} }
      : { schema, schemaId, resolutionMetadata: {}, schemaMetadata: METADATA }
  }

  getCredentialDefinition: AnonCredsRegistry['getCredentialDefinition'] = async (_, credentialDefinitionId) => {
    const credentialDefinition = definitions.get(credentialDefinitionId)
    return credentialDefinition === undefined
      ? { credentialDefinitionId, resolutionMetadata: notFound, credentialDefinitionMetadata: {} }
      : {
          credentialDefinition,
          credentialDefinitionId,
          resolutionMetadata: {},
          credentialDefinitionMetadata: METADATA,
        }
  }

  registerRevocationRegistryDefinition = unsupported
  registerRevocationStatusList = unsupported
  getRevocationRegistryDefinition = unsupported
  getRevocationStatusList = unsupported
}

const unqualified = (id: string): string => getUnQualifiedDidIndyDid(id)
