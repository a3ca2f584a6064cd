/** An object that an operator must write to an Indy ledger, as the API shows it. */
import * as v from 'valibot'

export const LEDGER_OBJECT_TYPES = ['CLAIM_DEF', 'REVOC_REG_DEF', 'REVOC_REG_ENTRY'] as const
type LedgerObjectType = (typeof LEDGER_OBJECT_TYPES)[number]

export interface LedgerObject {
  type: LedgerObjectType
  /** The ledger request, and the ledger's namespace. */
  transaction: object
}

/** Types of ledger objects by the operation's number in a request. */
const TYPES: Record<string, LedgerObjectType> = { 102: 'CLAIM_DEF', 113: 'REVOC_REG_DEF', 114: 'REVOC_REG_ENTRY' }

const Transaction = v.looseObject({ request: v.looseObject({ operation: v.looseObject({ type: v.string() }) }) })

/** Throws a TypeError for any other operation. */
export const toLedgerObject = (transaction: object): LedgerObject => {
  const type = TYPES[v.parse(Transaction, transaction).request.operation.type]
  if (type === undefined) throw new TypeError('unknown type of transaction')
  return { type, transaction }
}
