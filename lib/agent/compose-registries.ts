/** The agent with reads of AnonCreds registries, for functions that load it on demand. */
import './compose.ts'

export { requireDefinition, requireSchema } from './formats/anoncreds/index.ts'
