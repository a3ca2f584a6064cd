/** The record of a held credential (W3C Verifiable Credentials Data Model 1.1): its schema. */
import * as v from 'valibot'
import { recordSchema } from './record-json.ts'

export const W3cCredentialRecord = recordSchema({
  /** The credential as issued; the W3C form of an AnonCreds credential. Credo keeps a JWT as text. */
  credentialInstances: v.array(v.looseObject({ credential: v.union([v.record(v.string(), v.unknown()), v.string()]) })),
  multiInstanceState: v.string(),
  _tags: v.looseObject({
    issuerId: v.optional(v.string()),
    subjectIds: v.optional(v.array(v.string())),
    schemaIds: v.optional(v.array(v.string())),
    contexts: v.optional(v.array(v.string())),
    givenId: v.optional(v.string()),
    claimFormat: v.optional(v.string()),
    types: v.optional(v.array(v.string())),
    expandedTypes: v.optional(v.array(v.string())),
    proofTypes: v.optional(v.array(v.string())),
    cryptosuites: v.optional(v.array(v.string())),
    algs: v.optional(v.array(v.string())),
    multiInstanceState: v.optional(v.string()),
    /** Only of an AnonCreds credential. */
    anonCredsCredentialDefinitionId: v.optional(v.string()),
    anonCredsSchemaId: v.optional(v.string()),
  }),
})
