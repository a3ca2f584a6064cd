/** CreateCredentialDefinition: creates a credential definition; a job generates its keys. */
import '../lib/agent/compose.ts'
import { createDefinition } from '../lib/agent/formats/anoncreds/index.ts'
import { command } from '../lib/http/command.ts'
import { CreateCredentialDefinition } from '../lib/interface/anoncreds.ts'

export const createCredentialDefinition = command(CreateCredentialDefinition, ({ body, unit }) =>
  createDefinition(unit, body),
)
