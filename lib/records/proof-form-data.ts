/**
 * Form data of a proof: the contents of the exchange's messages, decoded as by Credo's `getFormatData`. A JSON-LD
 * presentation has the signed claims, in the verifier's terms.
 */
import { isObject } from '../json.ts'
import {
  contentsByFormat,
  contentWithId,
  type FormatData,
  type Message,
  newestMessages,
  objects,
} from './message-attachments.ts'
import { presentedAttributes } from './presented-attributes.ts'
import { PRESENTED, type RecordContent, type RecordJson, toRecordJson } from './record-json.ts'

/** `present-proof/2.0/request-presentation`, with either prefix of Aries message types. */
const MESSAGE_TYPE = /present-proof\/([12])\.\d+\/(propose-presentation|request-presentation|presentation)$/

const PARTS = {
  'propose-presentation': { part: 'proposal', attachments: 'proposals~attach' },
  'request-presentation': { part: 'request', attachments: 'request_presentations~attach' },
  presentation: { part: 'presentation', attachments: 'presentations~attach' },
} as const

/** Attachment formats of present-proof 2.0, by the key of Credo's format service. */
const FORMATS = new Map([
  ['hlindy/proof-req@v2.0', 'indy'],
  ['hlindy/proof@v2.0', 'indy'],
  ['anoncreds/proof-request@v1.0', 'anoncreds'],
  ['anoncreds/proof@v1.0', 'anoncreds'],
  ['dif/presentation-exchange/definitions@v1.0', 'presentationExchange'],
  ['dif/presentation-exchange/submission@v1.0', 'presentationExchange'],
])

/** Ids of the only attachment of each message of present-proof 1.0 (Aries RFC 0037). */
const V1_ATTACHMENTS = { request: 'libindy-request-presentation-0', presentation: 'libindy-presentation-0' }

/**
 * Converts a preview to a request like Credo's `createRequestFromPreview`, but with stable referents instead of random
 * ones.
 */
export const requestOfPreview = (preview: Message, request: Message): FormatData => {
  const attributes = new Map<string, Message[]>()
  for (const [index, attribute] of objects(preview.attributes).entries()) {
    const referent = typeof attribute.referent === 'string' ? attribute.referent : `attribute-${index}`
    attributes.set(referent, [...(attributes.get(referent) ?? []), attribute])
  }
  const restrictions = ({ cred_def_id }: Message) => [cred_def_id === undefined ? {} : { cred_def_id }]
  return {
    name: request.name ?? 'Proof Request',
    version: request.version ?? '1.0',
    ...(request.nonce !== undefined && { nonce: request.nonce }),
    requested_attributes: Object.fromEntries(
      [...attributes].map(([referent, group]) => {
        const [first = {}] = group
        const names = group.length === 1 ? { name: first.name } : { names: group.map(({ name }) => name) }
        return [referent, { ...names, restrictions: restrictions(first) }]
      }),
    ),
    requested_predicates: Object.fromEntries(
      objects(preview.predicates).map((predicate, index) => {
        const { name, predicate: p_type, threshold: p_value } = predicate
        return [`predicate-${index}`, { name, p_type, p_value, restrictions: restrictions(predicate) }]
      }),
    ),
  }
}

/** Form data of present-proof 1.0: only Indy, and proposals are previews. */
const v1Data = (messages: Map<string, Message>): Record<string, FormatData> => {
  const data: Record<string, FormatData> = {}
  for (const part of ['request', 'presentation'] as const) {
    const message = messages.get(part)
    if (message === undefined) continue
    const attachments =
      message[part === 'request' ? PARTS['request-presentation'].attachments : PARTS.presentation.attachments]
    const indy = contentWithId(attachments, V1_ATTACHMENTS[part])
    data[part] = indy === undefined ? {} : { indy }
  }
  const preview = messages.get('proposal')?.presentation_proposal
  const request = data.request?.indy
  if (isObject(preview)) data.proposal = { indy: requestOfPreview(preview, isObject(request) ? request : {}) }
  return data
}

/** The newest message for each part of the form data. */
const messagesByPart = (records: readonly RecordContent[], version: string): Map<string, Message> => {
  const messages = newestMessages(records, MESSAGE_TYPE, version)
  return new Map(
    Object.entries(PARTS).flatMap(([name, { part }]) => {
      const message = messages.get(name)
      return message === undefined ? [] : [[part, message]]
    }),
  )
}

/**
 * The proof record joined with `proposal`, `request` and `presentation` from its DidCommMessageRecords, as far as they
 * exist, and with the claims of an AnonCreds presentation.
 */
export const proofFormData = (proof: RecordContent, messageRecords: readonly RecordContent[]): RecordJson => {
  const json = toRecordJson(proof)
  const messages = messagesByPart(messageRecords, String(json.protocolVersion))
  if (json.protocolVersion === 'v1') return withVerified(withClaims({ ...json, ...v1Data(messages) }))
  const parts = Object.values(PARTS).flatMap(({ part, attachments }) => {
    const message = messages.get(part)
    return message?.formats && message[attachments]
      ? [[part, contentsByFormat(message, message[attachments], FORMATS)]]
      : []
  })
  return withVerified(withClaims(withPresented({ ...json, ...Object.fromEntries(parts) }, proof)))
}

/** The form data without the record. */
export const bareFormData = (proof: RecordContent, messageRecords: readonly RecordContent[]): FormatData => {
  const { proposal, request, presentation } = proofFormData(proof, messageRecords)
  return JSON.parse(JSON.stringify({ proposal, request, presentation }))
}

/** Adds the claims of the presentation for each requested format that it answers. */
const withClaims = (json: RecordJson): RecordJson => {
  const { request, presentation } = json
  if (!isObject(request) || !isObject(presentation)) return json
  const claims = ['indy', 'anoncreds'].flatMap((format) =>
    request[format] === undefined || presentation[format] === undefined
      ? []
      : [[format, presentedAttributes(request[format], presentation[format])]],
  )
  return claims.length === 0 ? json : { ...json, presentedAttributes: Object.fromEntries(claims) }
}

/**
 * Adds the formats of a verified presentation: all of its formats are verified, and it may have fewer than the request.
 */
const withVerified = (json: RecordJson): RecordJson => {
  const { request, presentation } = json
  if (json.isVerified !== true || !isObject(request) || !isObject(presentation)) return json
  return { ...json, verifiedFormats: Object.keys(presentation).filter((format) => request[format] !== undefined) }
}

/**
 * For a verifier, replaces a JSON-LD presentation by the verified claims: the wallet's own JSON may have another
 * meaning. A prover sees its own JSON.
 */
const withPresented = (json: RecordJson, { value: { metadata } }: RecordContent): RecordJson => {
  if (json.role === 'prover') return json
  const { presentationExchange: _, ...otherFormats } = isObject(json.presentation) ? json.presentation : {}
  const presented = isObject(metadata) ? metadata[PRESENTED] : undefined
  const { presentation: __, ...proof } = json
  const presentation = { ...otherFormats, ...(presented !== undefined && { presentationExchange: presented }) }
  return Object.keys(presentation).length === 0 ? (proof as RecordJson) : { ...json, presentation }
}
