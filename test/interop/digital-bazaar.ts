/** Proofs of Ed25519Signature2020 as their first implementation verifies them, which shares no code with Credo. */
import { createRequire } from 'node:module'
import { type AgentContext, Ed25519Signature2020 as Credo2020 } from '@credo-ts/core'
import { bundledContext } from '../../lib/agent/formats/json-ld/bundled-contexts.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const SUITE = '@digitalbazaar/ed25519-signature-2020'
const CONTEXT_2020 = Credo2020.CONTEXT_URL

/** A document of a did:key as the method's specification has it, and its one key. https://w3c-ccg.github.io/did-key-spec/ */
const didDocuments = (url: string): Json => {
  const [did = ''] = url.split('#')
  const publicKeyMultibase = did.slice('did:key:'.length)
  const id = `${did}#${publicKeyMultibase}`
  const key = { '@context': CONTEXT_2020, id, type: 'Ed25519VerificationKey2020', controller: did, publicKeyMultibase }
  const document = { '@context': ['https://www.w3.org/ns/did/v1', CONTEXT_2020], id: did, assertionMethod: [id] }
  return url === id ? key : { ...document, verificationMethod: [key] }
}

/** Contexts are those that Credo carries with it. */
const documentLoader = (agentContext: AgentContext) => async (documentUrl: string) => ({
  contextUrl: null,
  documentUrl,
  document: documentUrl.startsWith('did:key:')
    ? didDocuments(documentUrl)
    : await bundledContext(agentContext, documentUrl),
})

export const verifies2020 = async (agentContext: AgentContext, credential: Json): Promise<boolean> => {
  const { Ed25519Signature2020 }: Json = await import(SUITE)
  // It is the suite's own dependency.
  const { default: signatures }: Json = await import(
    createRequire(import.meta.resolve(SUITE)).resolve('jsonld-signatures')
  )
  const { verified } = await signatures.verify(credential, {
    suite: new Ed25519Signature2020(),
    purpose: new signatures.purposes.AssertionProofPurpose(),
    documentLoader: documentLoader(agentContext),
  })
  return verified
}
