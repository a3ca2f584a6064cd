/** AnonCreds: formats, registries, definitions, revocation. */
// Must be first: Credo's AnonCreds copies the reference to the library when it is imported.
import './library.ts'

export { createDefinition } from './credential-definitions.ts'
export { AnonCredsFormat, IndyFormat, requestFormats } from './credential-formats.ts'
export { ANONCREDS_JOBS } from './jobs.ts'
export { anoncreds, isAnonCredsAvailable } from './library.ts'
export { toAnonCredsFormats } from './offered-attributes.ts'
export { AnonCredsProofFormat, IndyProofFormat } from './proof-formats.ts'
export { registries } from './registries.ts'
export { requireDefinition, requireSchema } from './resolve.ts'
export { createSchema } from './schemas.ts'
export { TailsFiles } from './tails-files.ts'
