/** AcceptPresentation: acknowledges a verified presentation. */
import { acceptPresentation as accept } from '../lib/agent/proofs/steps.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { AcceptPresentation } from '../lib/interface/proof-exchanges.ts'

export const acceptPresentation = defineOperation(AcceptPresentation, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ path }) => accept(path.proofRecordId),
  inTransaction,
})
