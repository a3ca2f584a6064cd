/**
 * DIF Presentation Exchange as an attachment format of present-proof 2.0 (Aries RFC 0510), for verifiers and provers.
 * Credo's own format evaluates the other agent's JSONPath and JSON Schema with an engine that runs them as scripts, and
 * reads the JSON that the holder wrote instead of the signed statements.
 */
import { type AgentContext, CredoError } from '@credo-ts/core'
import { DidCommDifPresentationExchangeProofFormatService } from '@credo-ts/didcomm'
import { PROVES_DEFINITION } from '../../../records/record-json.ts'
import { presentationResponse } from './presentation.ts'
import { verifyReceived } from './received-presentation.ts'
import { createProposal, createRequest, isAsProposed, jsonOf, type Options } from './requests.ts'

export class PresentationExchangeFormat extends DidCommDifPresentationExchangeProofFormatService {
  override createRequest(agentContext: AgentContext, options: Options<'createRequest'>) {
    return createRequest(agentContext, options)
  }

  override processPresentation(agentContext: AgentContext, options: Options<'processPresentation'>): Promise<boolean> {
    return verifyReceived(agentContext, options)
  }

  override async createProposal(_: AgentContext, options: Options<'createProposal'>) {
    options.proofRecord.metadata.set(PROVES_DEFINITION, {})
    return createProposal(options)
  }

  /** Not used: a proposal becomes a request through `createRequest`, with the checks of any request. */
  override acceptProposal(): never {
    throw new CredoError('proposals are accepted only through createRequest')
  }

  /** A proposal is stored for the API without interpreting it. */
  override async processProposal(_: AgentContext, { attachment }: Options<'processProposal'>): Promise<void> {
    jsonOf(attachment)
  }

  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  /** A request is stored for the API, and evaluated when the agent responds. */
  override async processRequest(_: AgentContext, options: Options<'processRequest'>): Promise<void> {
    jsonOf(options.attachment)
    options.proofRecord.metadata.set(PROVES_DEFINITION, {})
  }

  override acceptRequest(agentContext: AgentContext, options: Options<'acceptRequest'>) {
    return presentationResponse(this, agentContext, options)
  }

  /** Called if the tenant has sent a proposal: only a request that equals it is answered without an API call. */
  override async shouldAutoRespondToRequest(
    _: AgentContext,
    options: Options<'shouldAutoRespondToRequest'>,
  ): Promise<boolean> {
    return isAsProposed(options)
  }

  /** Not used: Credo would select credentials with the engine that this agent avoids. */
  override getCredentialsForRequest(): never {
    throw new CredoError('the credentials of a presentation are selected when the request is accepted')
  }

  override selectCredentialsForRequest(): never {
    return this.getCredentialsForRequest()
  }
}
