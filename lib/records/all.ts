/** All kinds of records. A function that only reads imports those that it reads, and not this list. */
import { basicMessageRecords } from './basic-message.ts'
import { connectionRecords } from './connection.ts'
import { credentialDefinitionRecords } from './credential-definition.ts'
import { credentialRecords } from './credential-exchange.ts'
import { defineRecord, type RecordDefinition } from './define-record.ts'
import { didRecords } from './did.ts'
import { definitionRecords, didCommMessageRecords, schemaRecords } from './internal-records.ts'
import { outOfBandRecords } from './out-of-band.ts'
import { proofRecords } from './proof.ts'
import { questionAnswerRecords } from './question-answer.ts'
import { w3cCredentialRecords } from './w3c-credential.ts'

const BY_DEFINITION = { credentialDefinitionId: { name: 'id' } }
const BY_REGISTRY = { revocationRegistryDefinitionId: { name: 'id' } }

/** In the order of their events in the API document. */
export const RECORDS: readonly RecordDefinition[] = [
  connectionRecords,
  credentialRecords,
  proofRecords,
  questionAnswerRecords,
  credentialDefinitionRecords,
  basicMessageRecords,
  outOfBandRecords,
  didRecords,
  w3cCredentialRecords,
  didCommMessageRecords,
  schemaRecords,
  definitionRecords,
  // Those that only Credo reads. What an offer of AnonCreds is made of, without private parts, has keys of its own.
  defineRecord({ type: 'AnonCredsKeyCorrectnessProofRecord', keys: 'key-correctness-proof', indexes: BY_DEFINITION }),
  defineRecord({ type: 'AnonCredsCredentialDefinitionPrivateRecord', indexes: BY_DEFINITION }),
  defineRecord({ type: 'AnonCredsRevocationRegistryDefinitionRecord', indexes: BY_REGISTRY }),
  defineRecord({ type: 'AnonCredsRevocationRegistryDefinitionPrivateRecord', indexes: BY_REGISTRY }),
  defineRecord({
    type: 'AnonCredsLinkSecretRecord',
    indexes: { linkSecretId: { name: 'id' }, isDefault: { name: 'default' } },
  }),
]

/** The kind of this type; undefined for any other type. */
export const recordsOf = (type: string): RecordDefinition | undefined => RECORDS.find((kind) => kind.type === type)
