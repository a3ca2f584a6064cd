/**
 * JSON-LD contexts of the W3C Credentials Community Group, which the field's interop suite (OWF agent test harness) and many demonstrations use:
 * they are found here, and need not be fetched.
 */
import bbs from './contexts/bbs-v1.json' with { type: 'json' }
import citizenship from './contexts/citizenship-v1.json' with { type: 'json' }

/** Address to document. Where the documents come from, and their license: contexts/README.md. */
export const COMMUNITY_CONTEXTS: ReadonlyMap<string, Record<string, unknown>> = new Map<
  string,
  Record<string, unknown>
>([
  ['https://w3id.org/security/bbs/v1', bbs],
  ['https://w3id.org/citizenship/v1', citizenship],
])
