/** What an operator is to write to an Indy ledger, as the API shows it. */
import * as v from 'valibot'

export const LEDGER_OBJECT_TYPES = ['CLAIM_DEF', 'REVOC_REG_DEF', 'REVOC_REG_ENTRY'] as const
type LedgerObjectType = (typeof LEDGER_OBJECT_TYPES)[number]

export interface LedgerObject {
  type: LedgerObjectType
  /** The request, and the ledger that it is for. */
  transaction: object
}

/** The names of operations by their numbers in a request. */
const TYPES: Record<string, LedgerObjectType> = { 102: 'CLAIM_DEF', 113: 'REVOC_REG_DEF', 114: 'REVOC_REG_ENTRY' }

const Transaction = v.looseObject({ request: v.looseObject({ operation: v.looseObject({ type: v.string() }) }) })

/** Throws a TypeError for an operation of another kind. */
export const toLedgerObject = (transaction: object): LedgerObject => {
  const type = TYPES[v.parse(Transaction, transaction).request.operation.type]
  if (type === undefined) throw new TypeError('a transaction of no known type')
  return { type, transaction }
}
