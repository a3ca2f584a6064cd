/** Documents that strangers name and the agent reads from the web: JSON-LD contexts and DID documents, behind the address guard. */
import {
  type AgentContext,
  CredoError,
  DidDocument,
  type DidResolutionResult,
  JsonTransformer,
  type ParsedDid,
  W3cCredentialsModule,
  WebDidResolver,
} from '@credo-ts/core'
import { get } from '../delivery/post.ts'
import { settings } from '../settings.ts'

/** A context or DID document; what is larger is not read. */
const MOST_BYTES = 256 * 1024
/** w3id.org leads to where a context really is. */
const MOST_REDIRECTS = 3
/** A request waits for it, so the whole way is bounded, in ms. */
const LIMITS = { connectMs: 2_000, attemptMs: 4_000, responseBytes: MOST_BYTES }

/** Reads a JSON document. Every address on the way is checked at connect time. Throws a CredoError. */
const readDocument = async (url: string, redirects = MOST_REDIRECTS): Promise<Record<string, unknown>> => {
  const headers = { accept: 'application/ld+json, application/did+ld+json, application/json' }
  const outcome = await get({ url, headers, policy: { local: settings().LOCAL_STAGE }, limits: LIMITS })
  const { status = 0, headers: answered, body, failure } = outcome
  if (status >= 300 && status < 400 && answered.location !== undefined && redirects > 0)
    return readDocument(new URL(answered.location, url).href, redirects - 1)
  if (status !== 200 || failure !== undefined) throw new CredoError(`no document at ${url}: ${failure ?? status}`)
  return JSON.parse(body)
}

/** The contexts that Credo carries with it: they are never fetched. */
const CARRIED = new Set([
  'https://w3id.org/security/v1',
  'https://w3id.org/security/v2',
  'https://w3id.org/security/suites/x25519-2019/v1',
  'https://w3id.org/security/suites/ed25519-2018/v1',
  'https://w3id.org/security/suites/secp256k1-2019/v1',
  'https://w3id.org/security/data-integrity/v2',
  'https://www.w3.org/2018/credentials/v1',
  'https://w3id.org/did/v1',
  'https://www.w3.org/ns/did/v1',
  'https://w3.org/ns/did/v1',
  'https://www.w3.org/ns/odrl.jsonld',
  'http://schema.org/',
  'https://identity.foundation/presentation-exchange/submission/v1',
  'https://identity.foundation/linked-vp/contexts/v1',
  'https://purl.imsglobal.org/spec/ob/v3p0/context.json',
  'https://w3c-ccg.github.io/vc-status-rl-2020/contexts/vc-revocation-list-2020/v1.jsonld',
])

/** JSON-LD's way to contexts and DIDs: Credo's own for what it knows, the guarded one for the rest. */
const documentLoader = (agentContext: AgentContext) => {
  const known = new W3cCredentialsModule().config.documentLoader(agentContext)
  return async (url: string) =>
    !/^https?:/.test(url) || CARRIED.has(url.split('#')[0] ?? '')
      ? known(url)
      : { contextUrl: null, documentUrl: url, document: await readDocument(url) }
}

export const w3cCredentials = () => new W3cCredentialsModule({ documentLoader })

/** did:web as Credo resolves it, but for the connection. https://w3c-ccg.github.io/did-method-web/#read-resolve */
export class GuardedWebDidResolver extends WebDidResolver {
  override async resolve(_agentContext: AgentContext, did: string, { id }: ParsedDid): Promise<DidResolutionResult> {
    const [host = '', ...path] = id.split(':').map(decodeURIComponent)
    const file = path.length === 0 ? '.well-known/did.json' : `${path.join('/')}/did.json`
    try {
      const document = await readDocument(`https://${host}/${file}`)
      if (document.id !== did) throw new CredoError('the document is of another DID')
      const didDocument = JsonTransformer.fromJSON(document, DidDocument)
      return { didDocument, didDocumentMetadata: {}, didResolutionMetadata: { contentType: 'application/did+ld+json' } }
    } catch (error) {
      const message = error instanceof Error ? error.message : 'unknown'
      return { didDocument: null, didDocumentMetadata: {}, didResolutionMetadata: { error: 'notFound', message } }
    }
  }
}
