/** Form data of a credential exchange: the contents of its messages, decoded as by Credo's `getFormatData`. */
import * as v from 'valibot'
import { isObject } from '../json.ts'
import {
  contentsByFormat,
  contentWithId,
  type FormatData,
  type Message,
  newestMessages,
  objects,
} from './message-attachments.ts'
import type { RecordContent } from './record-json.ts'

const Attribute = v.looseObject({ name: v.string(), 'mime-type': v.optional(v.string()), value: v.string() })

const Attributes = v.array(Attribute)

const Formats = v.looseObject({
  indy: v.optional(v.unknown()),
  anoncreds: v.optional(v.unknown()),
  jsonld: v.optional(v.unknown()),
})

/** A part is present if its message was sent or received. */
export const CredentialFormData = v.strictObject({
  proposalAttributes: v.optional(Attributes),
  proposal: v.optional(Formats),
  offerAttributes: v.optional(Attributes),
  offer: v.optional(Formats),
  request: v.optional(Formats),
  credential: v.optional(Formats),
})

export type CredentialFormData = v.InferOutput<typeof CredentialFormData>

/** `issue-credential/2.0/offer-credential`. */
const MESSAGE_TYPE =
  /issue-credential\/([12])\.\d+\/(propose-credential|offer-credential|request-credential|issue-credential)$/

/**
 * By name of the message: its part of the form data, its list of attachments, and the attachment's id in version 1
 * (Aries RFC 0036).
 */
const PARTS = {
  'propose-credential': { part: 'proposal', attachments: 'filters~attach', v1: undefined },
  'offer-credential': { part: 'offer', attachments: 'offers~attach', v1: 'libindy-cred-offer-0' },
  'request-credential': { part: 'request', attachments: 'requests~attach', v1: 'libindy-cred-request-0' },
  'issue-credential': { part: 'credential', attachments: 'credentials~attach', v1: 'libindy-cred-0' },
} as const

/** Attachment formats of issue-credential 2.0 (Aries RFC 0592, 0593, 0771), by the key of Credo's format service. */
const FORMATS = new Map([
  ...['hlindy/cred-filter@v2.0', 'hlindy/cred-abstract@v2.0', 'hlindy/cred-req@v2.0', 'hlindy/cred@v2.0'].map(
    (format) => [format, 'indy'] as const,
  ),
  ...[
    'anoncreds/credential-filter@v1.0',
    'anoncreds/credential-offer@v1.0',
    'anoncreds/credential-request@v1.0',
    'anoncreds/credential@v1.0',
  ].map((format) => [format, 'anoncreds'] as const),
  ...['aries/ld-proof-vc-detail@v1.0', 'aries/ld-proof-vc@v1.0'].map((format) => [format, 'jsonld'] as const),
])

/** Fields of a proposal of version 1 that describe the credential, besides its attributes. */
const V1_FILTER = ['cred_def_id', 'schema_id', 'issuer_did', 'schema_issuer_did', 'schema_name', 'schema_version']

const v1Data = (message: Message, { attachments, v1 }: (typeof PARTS)[keyof typeof PARTS]): FormatData => {
  if (v1 === undefined)
    return { indy: Object.fromEntries(V1_FILTER.flatMap((name) => (name in message ? [[name, message[name]]] : []))) }
  const indy = contentWithId(message[attachments], v1)
  return indy === undefined ? {} : { indy }
}

/** Attributes in the preview of a proposal or an offer. Their default type is text (Aries RFC 0453). */
const attributesOf = (message: Message | undefined): v.InferOutput<typeof Attributes> | undefined => {
  const preview = message?.credential_preview ?? message?.credential_proposal
  if (!isObject(preview)) return undefined
  return objects(preview.attributes)
    .filter((one) => v.is(Attribute, one))
    .map((one) => ({ 'mime-type': 'text/plain', ...one }))
}

/** Whether a holder has stored no credential: a received one has not been verified. */
const isUnverified = ({ role, credentials }: RecordContent['value']): boolean =>
  role === 'holder' && !(Array.isArray(credentials) && credentials.length > 0)

/** The form data of an exchange, from its record and its DidCommMessageRecords. */
export const credentialFormData = (
  { value }: RecordContent,
  messageRecords: readonly RecordContent[],
): CredentialFormData => {
  const { protocolVersion } = value
  const messages = newestMessages(messageRecords, MESSAGE_TYPE, String(protocolVersion))
  if (isUnverified(value)) messages.delete('issue-credential')
  const data: CredentialFormData = {}
  for (const [name, messagePart] of Object.entries(PARTS)) {
    const message = messages.get(name)
    if (message === undefined) continue
    data[messagePart.part] =
      protocolVersion === 'v1'
        ? v1Data(message, messagePart)
        : contentsByFormat(message, message[messagePart.attachments], FORMATS)
  }
  const [proposed, offered] = [messages.get('propose-credential'), messages.get('offer-credential')].map(attributesOf)
  return {
    ...(proposed !== undefined && { proposalAttributes: proposed }),
    ...(offered !== undefined && { offerAttributes: offered }),
    ...data,
  }
}
