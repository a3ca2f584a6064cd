/** The record of a DID of the agent: its schema and how a stored one is shown; and what a DID resolves to. */
import * as v from 'valibot'
import { type RecordContent, type RecordJson, recordSchema, toRecordJson } from './record-json.ts'

/** https://www.w3.org/TR/did-core/#core-properties */
export const DidDocument = v.looseObject({
  id: v.string(),
  alsoKnownAs: v.optional(v.array(v.string())),
  verificationMethod: v.optional(v.array(v.looseObject({ id: v.string(), type: v.string() }))),
  service: v.optional(v.array(v.looseObject({ id: v.string() }))),
})

/** The tag, and the name of the list, of DIDs that the agent is to be known by: not of those of single invitations and connections. */
export const PUBLIC_DID = 'public'

export const DidRecord = recordSchema({
  did: v.string(),
  role: v.literal('created'),
  /** Absent where the document follows from the DID. */
  didDocument: v.optional(DidDocument),
  /** Which key of the agent a key of the document is. */
  keys: v.optional(v.array(v.looseObject({ didDocumentRelativeKeyId: v.string(), kmsKeyId: v.string() }))),
  _tags: v.looseObject({ did: v.string(), role: v.literal('created'), method: v.string() }),
})

export const toDidJson = (stored: RecordContent): RecordJson => toRecordJson(stored)
