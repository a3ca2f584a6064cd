/** Proof requests and proposals with a presentation definition (Aries RFC 0510), of this agent and of others. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  DidCommAttachment,
  DidCommAttachmentData,
  type DidCommDifPresentationExchangeProofFormatService,
  DidCommProofFormatSpec,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { hasMoreValuesThan, isNestedDeeperThan, isObject, MAX_DEPTH, MAX_VALUES } from '../../../json.ts'
import type { PresentationDefinition } from '../../../presentation-exchange/definition-schema.ts'
import { VERIFIER_CONTEXTS } from '../../../records/record-json.ts'
import { NOTHING_PREPARED, type PreparedContexts, selectVerifierContexts } from '../json-ld/index.ts'

const REQUEST = 'dif/presentation-exchange/definitions@v1.0'

type Format = DidCommDifPresentationExchangeProofFormatService
/** The options of a method of Credo's format. */
export type Options<Method extends keyof Format> = Format[Method] extends (
  ...parameters: [AgentContext, infer Parameter]
) => unknown
  ? Parameter
  : never

/**
 * Request options, checked by the contract. No domain is added, because ACA-Py can't sign one; it also accepts only
 * UUIDs as challenges.
 */
const OwnRequest = v.object({
  presentationDefinition: v.custom<PresentationDefinition>(isObject),
  options: v.optional(
    v.object({
      challenge: v.optional(v.string(), () => randomUUID()),
      domain: v.optional(v.string()),
      contexts: v.optional(v.record(v.string(), v.custom<Record<string, unknown>>(isObject)), {}),
    }),
    {},
  ),
  prepared: v.optional(v.custom<PreparedContexts>(isObject), NOTHING_PREPARED),
})

/** The contract has checked the definition. Contexts are not sent: the wallet has its own. */
export const createRequest = async (
  agentContext: AgentContext,
  { attachmentId, proofRecord, proofFormats }: Options<'createRequest'>,
) => {
  const request = v.parse(OwnRequest, proofFormats.presentationExchange)
  const { challenge, domain } = request.options
  proofRecord.metadata.set(VERIFIER_CONTEXTS, {
    contexts: await selectVerifierContexts(agentContext, request, request.prepared),
  })
  return attached(REQUEST, attachmentId, {
    presentation_definition: request.presentationDefinition,
    options: { challenge, ...(domain !== undefined && { domain }) },
  })
}

/** The contract has checked the definition. */
export const createProposal = ({ attachmentId, proofFormats }: Options<'createProposal'>) =>
  attached(REQUEST, attachmentId, v.parse(OwnRequest, proofFormats.presentationExchange).presentationDefinition)

/** Whether a verifier requests what was proposed to it. */
export const isAsProposed = ({ requestAttachment, proposalAttachment }: Options<'shouldAutoRespondToRequest'>) =>
  isDeepStrictEqual(plain(jsonOf(requestAttachment).presentation_definition), plain(jsonOf(proposalAttachment)))

/** Plain JSON: Credo may have made class instances of parts of it. */
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
    throw new CredoError('the attachment is nested too deep, or has too many values')
  return json
}

const parsed = (attachment: DidCommAttachment): unknown => {
  try {
    return attachment.getDataAsJson()
  } catch (error) {
    throw new CredoError('the attachment is not JSON', error instanceof Error ? { cause: error } : {})
  }
}
