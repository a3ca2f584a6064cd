/** JSON-LD credentials: contexts, signatures, and what was signed. */
export { CREDENTIALS_V1 } from './bundled-contexts.ts'
export { JsonLdFormat } from './credential-format.ts'
export { w3cCredentials } from './document-loader.ts'
export { type ClaimsReader, claimsReader } from './held-claims.ts'
export { toJsonLdFormat } from './offered-credential.ts'
export {
  NOTHING_PREPARED,
  type PreparedContexts,
  prepareContexts,
  type RequestedDefinition,
} from './prepared-contexts.ts'
export { selectVerifierContexts } from './request-contexts.ts'
export { signPresentation } from './sign-presentation.ts'
export { signatureSuites } from './signature-suites.ts'
export { listCredentials, readCredential } from './stored-credentials.ts'
export { readVerifierContexts, VerifierContexts } from './verifier-contexts.ts'
export { verifyPresentation } from './verify-presentation.ts'
