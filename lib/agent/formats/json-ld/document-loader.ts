/** The document loader of the JSON-LD processor, for DIDs, bundled contexts, and those of the caller's function. */
import {
  type AgentContext,
  CredoError,
  DID_V1_CONTEXT_URL,
  type DidDocument,
  DidResolverService,
  JsonTransformer,
  type VerificationMethod,
  W3cCredentialsModule,
} from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { isObject, parseDocument } from '../../../json.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { boundDocumentsOfJsonLd, isKeyRevokedOrExpired, readText } from '../../web/index.ts'
import { BUNDLED_CONTEXTS, bundledContext, COMMUNITY_CONTEXTS } from './bundled-contexts.ts'

/** `loadOther` loads an address that is neither a DID nor a bundled context, or throws. */
export const documentLoader = (
  agentContext: AgentContext,
  loadOther: (address: string) => Promise<Record<string, unknown>>,
): DocumentLoader => {
  const loadDid = didDocumentLoader(agentContext)
  return async (url) => {
    if (url.startsWith('did:')) return loadDid(url)
    // The processor caches static documents in processed form.
    if (BUNDLED_CONTEXTS.has(url))
      return { contextUrl: null, documentUrl: url, document: await bundledContext(agentContext, url), tag: 'static' }
    return { contextUrl: null, documentUrl: url, document: await loadOther(url) }
  }
}

/**
 * Credo's credentials module for issuers: contexts that are not built in are read from the web, each once in a unit of
 * work. Verifiers use verifier-contexts.ts.
 */
export const w3cCredentials = () =>
  new W3cCredentialsModule({
    documentLoader: (agentContext) =>
      documentLoader(agentContext, async (url) => COMMUNITY_CONTEXTS.get(url) ?? readContextOnce(url)),
  })

const READ = Symbol('contexts that the unit of work has read')

const readContextOnce = (url: string): Promise<Record<string, unknown>> => {
  const contexts = currentUnit().moduleState(READ, () => new Map<string, Promise<Record<string, unknown>>>())
  const context = contexts.get(url) ?? readContext(url)
  contexts.set(url, context)
  return context
}

const readContext = async (url: string): Promise<Record<string, unknown>> => {
  boundDocumentsOfJsonLd()
  const document = parseDocument(await readText(url))
  if (!isObject(document)) throw new CredoError(`the context ${url} is not a JSON object`)
  return document
}

/** Contexts of key types. Credo's suites require them in the key, whatever contexts its DID document has. */
const KEY_CONTEXTS: Record<string, string> = {
  Ed25519VerificationKey2018: 'https://w3id.org/security/suites/ed25519-2018/v1',
  Ed25519VerificationKey2020: 'https://w3id.org/security/suites/ed25519-2020/v1',
}

/** The DID of a DID URL. */
const didOf = (didUrl: string): string => didUrl.split(/[#?]/, 1)[0] ?? didUrl

/**
 * Loads a DID with its `authentication` and `assertionMethod`, or one of its verification methods. The contexts of the
 * DID document, which its controller writes, are replaced. Throws if the DID does not resolve or does not control the
 * key, and if the key is revoked or has expired.
 */
const didDocumentLoader =
  (agentContext: AgentContext): DocumentLoader =>
  async (url) => {
    const did = didOf(url)
    const { didDocument } = await agentContext.resolve(DidResolverService).resolve(agentContext, did)
    if (didDocument === null) throw new CredoError(`the DID ${did} does not resolve`)
    const document = url === did ? relationships(didDocument) : keyOf(didDocument, url)
    return { contextUrl: null, documentUrl: url, document }
  }

const relationships = ({ id, authentication, assertionMethod }: DidDocument) => ({
  '@context': DID_V1_CONTEXT_URL,
  id,
  authentication: idsOf(id, authentication),
  assertionMethod: idsOf(id, assertionMethod),
})

const idsOf = (did: string, methods: (string | VerificationMethod)[] = []): string[] =>
  methods.map((method) => absolute(did, typeof method === 'string' ? method : method.id))

const absolute = (did: string, id: string): string => (id.startsWith('#') ? `${did}${id}` : id)

const keyOf = (didDocument: DidDocument, url: string) => {
  const method = didDocument.dereferenceKey(url, ['authentication', 'assertionMethod'])
  if (absolute(didDocument.id, method.controller) !== didDocument.id)
    throw new CredoError(`the key ${url} is controlled by another DID`)
  if (isKeyRevokedOrExpired(method)) throw new CredoError(`the key ${url} is revoked or has expired`)
  const context = KEY_CONTEXTS[method.type]
  return {
    ...JsonTransformer.toJSON(method),
    '@context': context === undefined ? [] : [context],
    id: url,
    controller: didDocument.id,
  }
}
