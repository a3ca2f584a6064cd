/**
 * DIF Presentation Exchange as an attachment format of present-proof 2.0 (Aries RFC 0510), for verifiers and provers. Credo's own format evaluates
 * the other agent's JSONPath and JSON Schema with an engine that runs them as scripts, and trusts the holder about what was signed.
 */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  DidCommAttachment,
  DidCommAttachmentData,
  DidCommDifPresentationExchangeProofFormatService,
  type DidCommProofExchangeRecord,
  DidCommProofFormatSpec,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { AgentError } from '../../../errors.ts'
import { hasMoreValuesThan, isNestedDeeperThan, isObject, MAX_DEPTH, MAX_VALUES } from '../../../json.ts'
import type { PresentationDefinition } from '../../../presentation-exchange/definition-schema.ts'
import { Submission, shortcoming } from '../../../presentation-exchange/presentation.ts'
import { PRESENTED, PROVES_DEFINITION, VERIFIER_CONTEXTS } from '../../../records/record-json.ts'
import { unreadDocument } from '../../web/index.ts'
import { noteUnverified, preparedResponse } from '../index.ts'
import {
  CREDENTIALS_V1,
  NOTHING_PREPARED,
  type PreparedContexts,
  readVerifierContexts,
  selectVerifierContexts,
  VerifierContexts,
  verifyPresentation,
} from '../json-ld/index.ts'
import { presentationFor } from './presentation.ts'

const REQUEST = 'dif/presentation-exchange/definitions@v1.0'
const PRESENTATION = 'dif/presentation-exchange/submission@v1.0'

type Format = DidCommDifPresentationExchangeProofFormatService
type Parameter<Method extends keyof Format> = Format[Method] extends (...args: [AgentContext, infer Options]) => unknown
  ? Options
  : never

/** Request options, checked by the contract. No domain is added, because ACA-Py can't sign one; it also accepts only UUIDs as challenges. */
const Asked = v.object({
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

/** The request as it was sent, read from our own message. */
const Sent = v.looseObject({
  presentation_definition: v.custom<PresentationDefinition>(isObject),
  options: v.looseObject({ challenge: v.string(), domain: v.optional(v.string()) }),
})

/** Credential record ids by input descriptor. */
const Named = v.object({ credentials: v.optional(v.record(v.string(), v.array(v.string()))) })

export class PresentationExchangeFormat extends DidCommDifPresentationExchangeProofFormatService {
  /** The contract has checked the definition. Contexts are not sent: the wallet has its own. */
  override async createRequest(agentContext: AgentContext, options: Parameter<'createRequest'>) {
    const { attachmentId, proofRecord } = options
    const asked = v.parse(Asked, options.proofFormats.presentationExchange)
    const { presentationDefinition } = asked
    const { challenge, domain } = asked.options
    proofRecord.metadata.set(VERIFIER_CONTEXTS, {
      contexts: await selectVerifierContexts(agentContext, asked, asked.prepared),
    })
    return attached(REQUEST, attachmentId, {
      presentation_definition: presentationDefinition,
      options: { challenge, ...(domain !== undefined && { domain }) },
    })
  }

  /** Errors become the record's `errorMessage` and a problem report, unless a document could not be read: then they are no judgement. */
  override async processPresentation(
    agentContext: AgentContext,
    options: Parameter<'processPresentation'>,
  ): Promise<boolean> {
    try {
      return await this.#verify(agentContext, options)
    } catch (error) {
      const cause = unreadDocument()
      if (cause === undefined) throw error
      const message = 'a document that the presentation names could not be read'
      await noteUnverified(options.proofRecord.id, new AgentError('registry.unavailable', message, { cause }))
      return true
    }
  }

  async #verify(agentContext: AgentContext, options: Parameter<'processPresentation'>): Promise<boolean> {
    const { proofRecord, requestAttachment, attachment } = options
    const request = v.parse(Sent, requestAttachment.getDataAsJson())
    const presentation = jsonOf(attachment)
    const submission = v.safeParse(Submission, presentation.presentation_submission)
    if (!submission.success) throw new CredoError(`the presentation submission ${submission.issues[0].message}`)
    const reading = await readVerifierContexts(agentContext, contextsOf(proofRecord))
    const signed = await verifyPresentation(agentContext, presentation, { ...request.options, reading })
    proofRecord.metadata.set(PRESENTED, {
      ...{ '@context': [CREDENTIALS_V1], type: ['VerifiablePresentation'], holder: signed.signer },
      verifiableCredential: signed.credentials.map(({ json }) => json),
      presentation_submission: submission.output,
    })
    const missing = shortcoming(request.presentation_definition, submission.output, signed)
    if (missing !== undefined) throw new CredoError(missing)
    return true
  }

  /** The contract has checked the definition. */
  override async createProposal(_agentContext: AgentContext, options: Parameter<'createProposal'>) {
    const { attachmentId, proofFormats, proofRecord } = options
    proofRecord.metadata.set(PROVES_DEFINITION, {})
    const { presentationDefinition } = v.parse(Asked, proofFormats.presentationExchange)
    return attached(REQUEST, attachmentId, presentationDefinition)
  }

  /** Not used: a proposal becomes a request through `createRequest`, with the checks of any request. */
  override acceptProposal(): never {
    throw new CredoError('a proposal is not accepted without the checks of a request')
  }

  /** Stores a proposal for the API without interpreting it. */
  override async processProposal(
    _agentContext: AgentContext,
    { attachment }: Parameter<'processProposal'>,
  ): Promise<void> {
    jsonOf(attachment)
  }

  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  /** Stores a request for the API. It is evaluated when it is answered. */
  override async processRequest(
    _agentContext: AgentContext,
    { attachment, proofRecord }: Parameter<'processRequest'>,
  ): Promise<void> {
    jsonOf(attachment)
    proofRecord.metadata.set(PROVES_DEFINITION, {})
  }

  override async acceptRequest(agentContext: AgentContext, options: Parameter<'acceptRequest'>) {
    const { attachmentId, proofFormats, proofRecord, requestAttachment } = options
    const prepared = preparedResponse(this, proofRecord)
    if (prepared !== undefined) return prepared
    const { credentials } = v.parse(Named, proofFormats?.presentationExchange ?? {})
    const presentation = await presentationFor(agentContext, jsonOf(requestAttachment), credentials)
    return attached(PRESENTATION, attachmentId, presentation)
  }

  /** Called if the tenant has proposed something: only what it proposed itself is presented without an API call. */
  override async shouldAutoRespondToRequest(
    _agentContext: AgentContext,
    { requestAttachment, proposalAttachment }: Parameter<'shouldAutoRespondToRequest'>,
  ): Promise<boolean> {
    return isDeepStrictEqual(
      plain(jsonOf(requestAttachment).presentation_definition),
      plain(jsonOf(proposalAttachment)),
    )
  }

  /** Not used: Credo would select credentials with the engine that this agent avoids. */
  override getCredentialsForRequest(): never {
    throw new CredoError('the credentials of a presentation are selected when the request is accepted')
  }

  override selectCredentialsForRequest(): never {
    return this.getCredentialsForRequest()
  }
}

/** An attachment, and the entry of its format in the message. */
const attached = (format: string, attachmentId: string | undefined, data: object) => {
  const spec = new DidCommProofFormatSpec({ format, ...(attachmentId !== undefined && { attachmentId }) })
  const attachment = new DidCommAttachment({
    id: spec.attachmentId,
    mimeType: 'application/json',
    data: new DidCommAttachmentData({ json: JSON.parse(JSON.stringify(data)) }),
  })
  return { format: spec, attachment }
}

const jsonOf = (attachment: DidCommAttachment): Record<string, unknown> => {
  const json = attachment.getDataAsJson()
  if (!isObject(json)) throw new CredoError('the attachment is not a JSON object')
  if (isNestedDeeperThan(json, MAX_DEPTH) || hasMoreValuesThan(json, MAX_VALUES))
    throw new CredoError('the attachment is nested too deep, or has too many values')
  return json
}

/** Plain JSON: Credo may have made class instances of parts of it. */
const plain = (json: unknown): unknown => (json === undefined ? json : JSON.parse(JSON.stringify(json)))

const contextsOf = (proofRecord: DidCommProofExchangeRecord) =>
  v.parse(v.object({ contexts: VerifierContexts }), proofRecord.metadata.get(VERIFIER_CONTEXTS)).contexts
