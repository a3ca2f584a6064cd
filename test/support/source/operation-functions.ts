/** The functions of the operations, by the habit of their names. */
import { OPERATIONS } from '../../../lib/interface/operations.ts'

/** `get-credential-by-id` of `GetCredentialById`, `tenant-proof-form-data` of `tenant_ProofFormData`. */
const functionOf = (operationId: string): string =>
  operationId
    .replace('_', '')
    .replace(/\B[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase()

/** They read what others publish too, through the registries of lib/agent. */
const RESOLVING = ['GetSchemaById', 'GetCredentialDefinitionById']

/** Those that read for a caller, and change nothing. */
export const READING_FUNCTIONS: readonly string[] = OPERATIONS.filter(
  ({ security, idempotent, contentType }) => (security === 'token' && !idempotent) || contentType !== undefined,
)
  .map(({ operationId }) => operationId)
  .filter((operationId) => !RESOLVING.includes(operationId))
  .map(functionOf)
