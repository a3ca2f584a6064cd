/** CreateCredentialDefinition: creates a credential definition; a job generates its keys. */
import { createDefinition } from '../lib/agent/anoncreds/credential-definitions.ts'
import { actingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { CreateCredentialDefinition } from '../lib/interface/anoncreds.ts'

export const createCredentialDefinition = defineOperation(CreateCredentialDefinition, {
  authorize: ({ principal }) => actingAgent(principal),
  handle: ({ body, unit }) => createDefinition(unit, body),
  inTransaction,
})
