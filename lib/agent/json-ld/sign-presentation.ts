/** Signs a JSON-LD presentation of held credentials, within the limits that presentations of others are verified with. */
import {
  type AgentContext,
  ClaimFormat,
  CredoError,
  DidsApi,
  JsonTransformer,
  type VerificationMethod,
  W3cCredentialsModuleConfig,
  W3cJsonLdCredentialService,
  W3cPresentation,
} from '@credo-ts/core'
import { newBudget } from './rdf.ts'
import { recordingSuites } from './recording-suites.ts'

type Json = Record<string, unknown>

interface Signature {
  /** DID of this agent. */
  signer: string
  challenge: string
  domain?: string | undefined
  /** Whether the verifier permits this type of proof. */
  permits: (proofType: string) => boolean
}

/** The suite of each type of verification method. */
const PROOF_TYPES: Record<string, string> = {
  Ed25519VerificationKey2018: 'Ed25519Signature2018',
  Ed25519VerificationKey2020: 'Ed25519Signature2020',
}

/** Throws a CredoError that says why a presentation can't be signed. */
export const signPresentation = async (
  agentContext: AgentContext,
  unsigned: Json,
  { signer, challenge, domain, permits }: Signature,
): Promise<Json> => {
  const method = await methodOf(agentContext, signer, permits)
  const proofType = PROOF_TYPES[method.type] ?? ''
  const service = new W3cJsonLdCredentialService(
    recordingSuites(new WeakMap(), newBudget()),
    agentContext.resolve(W3cCredentialsModuleConfig),
  )
  const presentation = await service.signPresentation(agentContext, {
    format: ClaimFormat.LdpVp,
    presentation: JsonTransformer.fromJSON({ ...unsigned, holder: signer }, W3cPresentation),
    proofType,
    verificationMethod: method.id.startsWith('#') ? `${signer}${method.id}` : method.id,
    challenge,
    ...(domain !== undefined && { domain }),
  } as Parameters<typeof service.signPresentation>[1])
  return presentation.toJSON() as Json
}

/** The first key that the DID lists for authentication and that a permitted suite signs with. */
const methodOf = async (
  agentContext: AgentContext,
  did: string,
  permits: (proofType: string) => boolean,
): Promise<VerificationMethod> => {
  const document = await agentContext.resolve(DidsApi).resolveDidDocument(did)
  for (const listed of document.authentication ?? []) {
    const method = typeof listed === 'string' ? document.dereferenceKey(listed, ['authentication']) : listed
    const proofType = PROOF_TYPES[method.type]
    if (proofType !== undefined && permits(proofType)) return method
  }
  throw new CredoError('the holder of the credentials has no key that signs as the verifier permits')
}
