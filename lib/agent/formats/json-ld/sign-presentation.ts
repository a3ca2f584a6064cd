/** Signs JSON-LD presentations of stored credentials, within the limits of verification. */
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
import { withReadErrors } from '../../web/index.ts'
import { newBudget } from './rdf.ts'
import { signingErrorReason } from './signable-credential.ts'
import { keyTypesOf, recordingSuites, SUITE_CONTEXT_2020 } from './signature-suites.ts'

/** The document to sign. The context of the proof is added to it. */
type Unsigned = Record<string, unknown> & { '@context': readonly string[] }

interface Signature {
  /** DID of this agent. */
  signer: string
  challenge: string
  domain?: string | undefined
  /** Whether the verifier permits this type of proof. */
  permits: (proofType: string) => boolean
}

/** In order of preference. */
const PROOF_TYPES = ['Ed25519Signature2018', 'Ed25519Signature2020']

/** Throws a CredoError with the reason if the presentation cannot be signed, and `registry.unavailable`. */
export const signPresentation = async (
  agentContext: AgentContext,
  unsigned: Unsigned,
  { signer, challenge, domain, permits }: Signature,
): Promise<Record<string, unknown>> => {
  const { proofType, method } = await selectProofType(agentContext, signer, permits)
  const service = new W3cJsonLdCredentialService(
    recordingSuites(new WeakMap(), newBudget()),
    agentContext.resolve(W3cCredentialsModuleConfig),
  )
  const options = {
    format: ClaimFormat.LdpVp,
    presentation: JsonTransformer.fromJSON(
      { ...unsigned, '@context': contextsOf(unsigned, proofType), holder: signer },
      W3cPresentation,
    ),
    proofType,
    verificationMethod: method.id.startsWith('#') ? `${signer}${method.id}` : method.id,
    challenge,
    ...(domain !== undefined && { domain }),
  } as Parameters<typeof service.signPresentation>[1]
  try {
    const presentation = await withReadErrors(() => service.signPresentation(agentContext, options))
    return presentation.toJSON() as Record<string, unknown>
  } catch (error) {
    throw error instanceof Error && error.name.startsWith('jsonld.')
      ? new CredoError(`a credential ${signingErrorReason(error)}`, { cause: error })
      : error
  }
}

const contextsOf = ({ '@context': contexts }: Unsigned, proofType: string): readonly string[] =>
  proofType === 'Ed25519Signature2020' ? [...contexts, SUITE_CONTEXT_2020] : contexts

/** The first permitted type of proof for which the DID has an authentication key, and that key. */
const selectProofType = async (
  agentContext: AgentContext,
  did: string,
  permits: (proofType: string) => boolean,
): Promise<{ proofType: string; method: VerificationMethod }> => {
  const document = await agentContext.resolve(DidsApi).resolveDidDocument(did)
  const methods = (document.authentication ?? []).map((listed) =>
    typeof listed === 'string' ? document.dereferenceKey(listed, ['authentication']) : listed,
  )
  for (const proofType of PROOF_TYPES.filter(permits)) {
    const method = methods.find(({ type }) => keyTypesOf(proofType).includes(type))
    if (method !== undefined) return { proofType, method }
  }
  throw new CredoError('the holder of the credentials has no key for a proof type that the verifier permits')
}
