/** CreateDid: creates a DID of the agent, and its keys. */
import { writeDid } from '../lib/agent/dids/write-did.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { CreateDid } from '../lib/interface/dids.ts'
import { sealedAnswers } from '../lib/store/sealed-answers.ts'

export const createDid = defineOperation(CreateDid, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => writeDid(body),
  inTransaction,
  // From the digest of a request a weak seed could be guessed.
  answers: sealedAnswers,
})
