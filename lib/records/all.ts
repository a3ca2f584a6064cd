/** All kinds of records. A function that only reads imports those that it reads, and not this list. */
import { basicMessageRecords } from './basic-message.ts'
import { connectionRecords } from './connection.ts'
import { credentialDefinitionRecords } from './credential-definition.ts'
import { credentialRecords } from './credential-exchange.ts'
import type { RecordDefinition } from './define-record.ts'
import { didRecords } from './did.ts'
import * as internal from './internal-records.ts'
import { outOfBandRecords } from './out-of-band.ts'
import { proofRecords } from './proof.ts'
import { questionAnswerRecords } from './question-answer.ts'
import { w3cCredentialRecords } from './w3c-credential.ts'

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
  ...Object.values(internal),
]

/** The kind of this type; undefined for any other type. */
export const recordsOf = (type: string): RecordDefinition | undefined => RECORDS.find((kind) => kind.type === type)
