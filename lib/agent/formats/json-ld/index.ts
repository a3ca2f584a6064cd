/** JSON-LD credentials: their contexts, signatures and signed claims. */
export { CREDENTIALS_V1 } from './bundled-contexts.ts'
export { type ClaimsReader, claimsReader } from './claims-reader.ts'
export { JsonLdFormat } from './credential-format.ts'
export { w3cCredentials } from './document-loader.ts'
export { toJsonLdFormat } from './offered-credential.ts'
export {
  NO_PREPARED_CONTEXTS,
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
