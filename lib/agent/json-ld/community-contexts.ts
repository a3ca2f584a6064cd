/**
 * JSON-LD contexts of the W3C and its Credentials Community Group, which the field's interop suite (OWF agent test harness), the data model's own
 * examples and many demonstrations use: they are found here, and need not be fetched.
 */
import examples from '@digitalbazaar/credentials-examples-context/dist/context.js'
import bbs from './contexts/bbs-v1.json' with { type: 'json' }
import citizenship from './contexts/citizenship-v1.json' with { type: 'json' }

/** Address to document. Where the documents of files come from, and their license: contexts/README.md. */
export const COMMUNITY_CONTEXTS: ReadonlyMap<string, Record<string, unknown>> = new Map<
  string,
  Record<string, unknown>
>([
  ['https://w3id.org/security/bbs/v1', bbs],
  ['https://w3id.org/citizenship/v1', citizenship],
  // https://www.w3.org/2018/credentials/examples/v1
  [examples.CONTEXT_URL_V1, examples.CONTEXT_V1],
])
