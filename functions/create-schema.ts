/** CreateSchema: publishes an AnonCreds schema in the same transaction. */
import '../lib/agent/compose.ts'
import { createSchema as publishSchema } from '../lib/agent/formats/anoncreds/index.ts'
import { command } from '../lib/http/command.ts'
import { CreateSchema } from '../lib/interface/anoncreds.ts'

export const createSchema = command(CreateSchema, ({ body }) => publishSchema(body))
