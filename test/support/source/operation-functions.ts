/** The functions of the operations, by the habit of their names. */
import { needsRegistries } from '../../../infra/anoncreds/functions.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'

/** `get-credential-by-id` of `GetCredentialById`, `tenant-proof-form-data` of `tenant_ProofFormData`. */
const functionOf = (operationId: string): string =>
  operationId
    .replace('_', '')
    .replace(/\B[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase()

/** Those that read for a caller, and change nothing; but not those that also read what others publish. */
export const READING_FUNCTIONS: readonly string[] = OPERATIONS.filter(
  ({ security, idempotent, contentType }) => (security === 'token' && !idempotent) || contentType !== undefined,
)
  .map(({ operationId }) => functionOf(operationId))
  .filter((name) => !needsRegistries(name))
