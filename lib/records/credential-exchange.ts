/** The credential exchange record: its schema. */
import * as v from 'valibot'
import { REVOCATION, RevocationState } from './credential-json.ts'
import { recordSchema, UNVERIFIED } from './record-json.ts'

/** States of issue-credential v2 (Aries RFC 0453), in Credo's spelling. */
export const CREDENTIAL_STATES = [
  'proposal-sent',
  'proposal-received',
  'offer-sent',
  'offer-received',
  'request-sent',
  'request-received',
  'credential-issued',
  'credential-received',
  'done',
  'declined',
  'abandoned',
] as const

export const CREDENTIAL_ROLES = ['issuer', 'holder'] as const

export const CredentialExchangeRecord = recordSchema({
  /** Absent in a connectionless exchange. */
  connectionId: v.optional(v.string()),
  threadId: v.string(),
  parentThreadId: v.optional(v.string()),
  protocolVersion: v.string(),
  state: v.picklist(CREDENTIAL_STATES),
  role: v.picklist(CREDENTIAL_ROLES),
  /** Credentials that the holder has stored. */
  credentials: v.array(v.looseObject({ credentialRecordType: v.string(), credentialRecordId: v.string() })),
  /** Attributes of the credential preview (Aries RFC 0453). */
  credentialAttributes: v.array(
    v.looseObject({ name: v.string(), 'mime-type': v.optional(v.string()), value: v.string() }),
  ),
  autoAcceptCredential: v.optional(v.string()),
  /** The issuer's notification of the revocation (Aries RFC 0183). */
  revocationNotification: v.optional(
    v.looseObject({ revocationDate: v.optional(v.string()), comment: v.optional(v.string()) }),
  ),
  errorMessage: v.optional(v.string()),
  metadata: v.objectWithRest(
    {
      '_internal/indyCredential': v.optional(
        v.looseObject({ credentialDefinitionId: v.optional(v.string()), schemaId: v.optional(v.string()) }),
      ),
      /** Only of a credential that this agent has revoked. */
      [REVOCATION]: v.optional(RevocationState),
      /** Only while a received credential waits to be verified. */
      [UNVERIFIED]: v.optional(v.object({ reason: v.string() })),
    },
    v.unknown(),
  ),
  _tags: v.looseObject({
    state: v.picklist(CREDENTIAL_STATES),
    threadId: v.string(),
    parentThreadId: v.optional(v.string()),
    connectionId: v.optional(v.string()),
    /** Ids of `credentials`. */
    credentialIds: v.optional(v.array(v.string())),
    role: v.optional(v.picklist(CREDENTIAL_ROLES)),
  }),
})
