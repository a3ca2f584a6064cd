/** How the JSON-LD processor gets what documents name: DIDs and the bundled contexts, and other contexts by a way of the caller's. */
import { type AgentContext, W3cCredentialsModule } from '@credo-ts/core'
import type { DocumentLoader } from '@digitalcredentials/jsonld'
import { readText } from '../web-documents.ts'
import { BUNDLED_CONTEXTS, bundledContext } from './bundled-contexts.ts'
import { didDocumentLoader } from './did-documents.ts'

/** `loadOther` gets the document of an address that is neither a DID nor a bundled context, or throws. */
export const documentLoader = (
  agentContext: AgentContext,
  loadOther: (address: string) => Promise<Record<string, unknown>>,
): DocumentLoader => {
  const loadDid = didDocumentLoader(agentContext)
  return async (url) => {
    if (url.startsWith('did:')) return loadDid(url)
    // What is static the processor need not process anew.
    if (BUNDLED_CONTEXTS.has(url))
      return { contextUrl: null, documentUrl: url, document: await bundledContext(agentContext, url), tag: 'static' }
    return { contextUrl: null, documentUrl: url, document: await loadOther(url) }
  }
}

/** Credo's credentials, for an issuer: its contexts come from the web. A verifier has its own (verifier-contexts.ts). */
export const w3cCredentials = () =>
  new W3cCredentialsModule({
    documentLoader: (agentContext) => documentLoader(agentContext, async (url) => JSON.parse(await readText(url))),
  })
