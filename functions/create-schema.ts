/** CreateSchema: publishes an AnonCreds schema in the same transaction. */
import { createSchema as publishSchema } from '../lib/agent/anoncreds/schemas.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { CreateSchema } from '../lib/interface/anoncreds.ts'

export const createSchema = defineOperation(CreateSchema, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body }) => publishSchema(body),
  inTransaction,
})
