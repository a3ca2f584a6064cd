/**
 * The built-in contexts, which are never fetched: the bundled ones of Credo, which every verifier trusts, and community
 * contexts of the W3C and its Credentials Community Group, which examples and demonstrations use.
 */
import { type AgentContext, Ed25519Signature2020, W3cCredentialsModule } from '@credo-ts/core'
import examples from '@digitalbazaar/credentials-examples-context/dist/context.js'
import bbs from './contexts/bbs-v1.json' with { type: 'json' }
import citizenship from './contexts/citizenship-v1.json' with { type: 'json' }

export const CREDENTIALS_V1 = 'https://www.w3.org/2018/credentials/v1'
export const SCHEMA_ORG = 'http://schema.org/'

/** Copied from `DEFAULT_CONTEXTS` of Credo 0.6.3, which is not exported. */
export const BUNDLED_CONTEXTS: ReadonlySet<string> = new Set([
  CREDENTIALS_V1,
  SCHEMA_ORG,
  'https://w3id.org/security/v1',
  'https://w3id.org/security/v2',
  'https://w3id.org/security/suites/x25519-2019/v1',
  'https://w3id.org/security/suites/ed25519-2018/v1',
  // Not in `DEFAULT_CONTEXTS`, but in Credo's signature suite.
  Ed25519Signature2020.CONTEXT_URL,
  'https://w3id.org/security/suites/secp256k1-2019/v1',
  'https://w3id.org/security/data-integrity/v2',
  'https://w3id.org/did/v1',
  'https://www.w3.org/ns/did/v1',
  'https://w3.org/ns/did/v1',
  'https://www.w3.org/ns/odrl.jsonld',
  'https://identity.foundation/presentation-exchange/submission/v1',
  'https://identity.foundation/linked-vp/contexts/v1',
  'https://purl.imsglobal.org/spec/ob/v3p0/context.json',
  'https://w3c-ccg.github.io/vc-status-rl-2020/contexts/vc-revocation-list-2020/v1.jsonld',
])

/** The document of a bundled context. */
export const bundledContext = async (agentContext: AgentContext, address: string): Promise<Record<string, unknown>> => {
  if (address === Ed25519Signature2020.CONTEXT_URL) return Ed25519Signature2020.CONTEXT
  const load = new W3cCredentialsModule().config.documentLoader(agentContext)
  return (await load(address)).document
}

/** Documents by address. Source and license of the files: contexts/README.md. */
export const COMMUNITY_CONTEXTS: ReadonlyMap<string, Record<string, unknown>> = new Map<
  string,
  Record<string, unknown>
>([
  ['https://w3id.org/security/bbs/v1', bbs],
  ['https://w3id.org/citizenship/v1', citizenship],
  // https://www.w3.org/2018/credentials/examples/v1
  [examples.CONTEXT_URL_V1, examples.CONTEXT_V1],
])
