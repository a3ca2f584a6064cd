/** Derives the rights of usual operations from their contracts, so that they need no line in infra/access.ts. */
import { type Contract, type Schema, successOf } from '../../lib/interface/contract.ts'
import { ConnectionRecord } from '../../lib/records/connection.ts'
import { CredentialDefinitionRecord } from '../../lib/records/credential-definition.ts'
import { CredentialExchangeRecord } from '../../lib/records/credential-exchange.ts'
import { DidRecord } from '../../lib/records/did.ts'
import { OutOfBandRecord } from '../../lib/records/out-of-band.ts'
import { ProofRecord } from '../../lib/records/proof.ts'
import { QuestionAnswerRecord } from '../../lib/records/question-answer.ts'
import { W3cCredentialRecord } from '../../lib/records/w3c-credential.ts'
import type { Access } from '../roles/statements.ts'
import {
  CONNECTION,
  CREDENTIAL,
  DID,
  OUT_OF_BAND,
  OWN_DEFINITION,
  PROOF,
  QUESTION_ANSWER,
  W3C_CREDENTIAL,
} from './keys.ts'
import { EXCHANGES, SENDING } from './shared.ts'

/** Keys in the table, by the schema of the record in an answer. */
const RECORDS = new Map<unknown, string>([
  [ConnectionRecord, CONNECTION],
  [CredentialDefinitionRecord, OWN_DEFINITION],
  [CredentialExchangeRecord, CREDENTIAL],
  [DidRecord, DID],
  [OutOfBandRecord, OUT_OF_BAND],
  [ProofRecord, PROOF],
  [QuestionAnswerRecord, QUESTION_ANSWER],
  [W3cCredentialRecord, W3C_CREDENTIAL],
])

const itemOf = (schema: Schema): unknown => ('item' in schema ? schema.item : undefined)

/**
 * The rights of an operation that shows or lists records, or that takes a step: it sends a message to a connection, and answers with the connection or
 * exchange. Undefined for any other operation.
 */
export const accessByContract = (contract: Contract): Access[] | undefined => {
  const { method, security, idempotent } = contract
  if (security !== 'token') return undefined
  const { schema } = successOf(contract)
  const record = RECORDS.get(schema)
  const listed = RECORDS.get(itemOf(schema))
  if (method === 'GET' && record !== undefined) return [{ GetItem: [record] }]
  if (method === 'GET' && listed !== undefined) return [{ Query: [listed] }]
  if (!idempotent) return undefined
  if (record === CONNECTION) return SENDING
  return record === CREDENTIAL || record === PROOF ? [...SENDING, EXCHANGES] : undefined
}

/** The key of an operation's function in serverless.yml: `getCredentialById`. */
const functionKeyOf = (operationId: string): string =>
  operationId.replace('_', '').replace(/^[A-Z]/, (letter) => letter.toLowerCase())

/** The rights of all usual operations, by function. */
export const usualAccess = (contracts: readonly Contract[]): Record<string, Access[]> =>
  Object.fromEntries(
    contracts.flatMap((contract) => {
      const access = accessByContract(contract)
      return access === undefined ? [] : [[functionKeyOf(contract.operationId), access]]
    }),
  )
