/** The functions of the operations, by the convention of their names. */
import { needsRegistries } from '../../../infra/anoncreds/functions.ts'
import type { Contract } from '../../../lib/interface/contract.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'

/** Two are named after what they serve. */
const NAMED: Record<string, string> = { GetHealth: 'health', GetOpenApi: 'openapi' }

/** The file in `functions/`: `get-credential-by-id` of `GetCredentialById`, `tenant-proof-form-data` of `tenant_ProofFormData`. */
export const functionOf = (operationId: string): string =>
  NAMED[operationId] ??
  operationId
    .replace('_', '')
    .replace(/\B[A-Z]/g, (letter) => `-${letter}`)
    .toLowerCase()

/** What a file in `functions/` exports: `createRequest` of `create-request`. */
export const exportOf = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** The handler of an operation, which is also its function's key in serverless.yml: `getCredentialById`. */
export const handlerOf = (operationId: string): string => exportOf(functionOf(operationId))

export const contractOf = (operationId: string): Contract => {
  const found = OPERATIONS.find((contract) => contract.operationId === operationId)
  if (found === undefined) throw new Error(`lib/interface/operations.ts lists no ${operationId}`)
  return found
}

/** They read the service's own files, and nothing in the table. */
const SERVING_FILES = ['ShowDocs', 'GetBrowserFile']

/** Those that read for a caller, and change nothing; but not those that also read remote documents. */
export const READING_FUNCTIONS: readonly string[] = OPERATIONS.filter(
  ({ operationId, security, writes, idempotent, contentType, pages }) =>
    ((security === 'token' && !idempotent) || contentType !== undefined || pages !== undefined) &&
    !writes &&
    !SERVING_FILES.includes(operationId),
)
  .map(({ operationId }) => functionOf(operationId))
  .filter((name) => !needsRegistries(name))
