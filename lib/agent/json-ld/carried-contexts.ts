/**
 * Contexts of the field's interop suite (OWF agent test harness) and of many demonstrations: issuers and holders find them here, as other agents
 * do, and need not fetch them. A verifier trusts them only where its request does.
 */
import bbs from './contexts/bbs-v1.json' with { type: 'json' }
import citizenship from './contexts/citizenship-v1.json' with { type: 'json' }

/** Address to document, as published by the W3C Credentials Community Group. */
export const CARRIED_CONTEXTS: ReadonlyMap<string, Record<string, unknown>> = new Map<string, Record<string, unknown>>([
  ['https://w3id.org/security/bbs/v1', bbs],
  ['https://w3id.org/citizenship/v1', citizenship],
])
