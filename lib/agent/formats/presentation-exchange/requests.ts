/** Sent and received proof requests and proposals with a presentation definition (Aries RFC 0510). */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  DidCommAttachment,
  DidCommAttachmentData,
  type DidCommDifPresentationExchangeProofFormatService,
  DidCommProofFormatSpec,
} from '@credo-ts/didcomm'
import { defined, hasMoreValuesThan, isNestedDeeperThan, isObject, MAX_DEPTH, MAX_VALUES } from '../../../json.ts'
import type { PresentationDefinition } from '../../../presentation-exchange/definition-schema.ts'
import { VERIFIER_CONTEXTS } from '../../../records/record-json.ts'
import {
  NO_PREPARED_CONTEXTS,
  type PreparedContexts,
  type RequestedDefinition,
  selectVerifierContexts,
} from '../json-ld/index.ts'

const REQUEST = 'dif/presentation-exchange/definitions@v1.0'

type Format = DidCommDifPresentationExchangeProofFormatService
/** The options of a method of Credo's format. */
export type Options<Method extends keyof Format> = Format[Method] extends (
  ...parameters: [AgentContext, infer Parameter]
) => unknown
  ? Parameter
  : never

/** The body of the API call, and the contexts that were fetched for it. Credo's type has other members. */
interface OwnRequest extends RequestedDefinition {
  presentationDefinition: PresentationDefinition
  options?: (RequestedDefinition['options'] & { challenge?: string; domain?: string }) | undefined
  prepared?: PreparedContexts
}

/**
 * Contexts are not sent: the wallet has its own. No domain is added, because ACA-Py cannot sign one; it also accepts
 * only UUIDs as challenges.
 */
export const createRequest = async (
  agentContext: AgentContext,
  { attachmentId, proofRecord, proofFormats }: Options<'createRequest'>,
) => {
  const request = proofFormats.presentationExchange as OwnRequest
  const { presentationDefinition, prepared = NO_PREPARED_CONTEXTS, options: { challenge, domain } = {} } = request
  proofRecord.metadata.set(VERIFIER_CONTEXTS, {
    contexts: await selectVerifierContexts(agentContext, request, prepared),
  })
  return attached(REQUEST, attachmentId, {
    presentation_definition: presentationDefinition,
    options: defined({ challenge: challenge ?? randomUUID(), domain }),
  })
}

export const createProposal = ({ attachmentId, proofFormats }: Options<'createProposal'>) =>
  attached(REQUEST, attachmentId, (proofFormats.presentationExchange as OwnRequest).presentationDefinition)

/** Whether a verifier's request equals the proposal. */
export const isAsProposed = ({ requestAttachment, proposalAttachment }: Options<'shouldAutoRespondToRequest'>) =>
  isDeepStrictEqual(plain(jsonOf(requestAttachment).presentation_definition), plain(jsonOf(proposalAttachment)))

/** Plain JSON: Credo may have converted parts of it to class instances. */
const plain = (json: unknown): unknown => (json === undefined ? json : JSON.parse(JSON.stringify(json)))

/** An attachment, and the entry of its format in the message. */
export const attached = (format: string, attachmentId: string | undefined, data: object) => {
  const spec = new DidCommProofFormatSpec({ format, ...(attachmentId !== undefined && { attachmentId }) })
  const attachment = new DidCommAttachment({
    id: spec.attachmentId,
    mimeType: 'application/json',
    data: new DidCommAttachmentData({ json: JSON.parse(JSON.stringify(data)) }),
  })
  return { format: spec, attachment }
}

export const jsonOf = (attachment: DidCommAttachment): Record<string, unknown> => {
  const json = parsed(attachment)
  if (!isObject(json)) throw new CredoError('the attachment is not a JSON object')
  if (isNestedDeeperThan(json, MAX_DEPTH) || hasMoreValuesThan(json, MAX_VALUES))
    throw new CredoError('the attachment is nested too deeply, or has too many values')
  return json
}

const parsed = (attachment: DidCommAttachment): unknown => {
  try {
    return attachment.getDataAsJson()
  } catch (error) {
    throw new CredoError('the attachment is not JSON', error instanceof Error ? { cause: error } : {})
  }
}
