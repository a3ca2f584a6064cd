/** The JSON-LD format of issue-credential (Aries RFC 0593): Credo's, which signs and stores only what was offered. */
import type { AgentContext } from '@credo-ts/core'
import { type DidCommAttachment, DidCommJsonLdCredentialFormatService } from '@credo-ts/didcomm'
import { withReadErrors } from '../../web/index.ts'
import type { CheckedFormat } from '../index.ts'
import { areDetailsEqual, contentOf, detailIn } from './credential-detail.ts'
import { storeRequested } from './received-credential.ts'
import { isAsOffered, toSignOffered } from './sign-offered.ts'

type JsonLd = DidCommJsonLdCredentialFormatService

export class JsonLdFormat extends DidCommJsonLdCredentialFormatService implements CheckedFormat {
  readonly isAsOffered = isAsOffered
  override areCredentialsEqual = areDetailsEqual

  override async processProposal(_: AgentContext, { attachment }: { attachment: DidCommAttachment }): Promise<void> {
    detailIn(attachment)
  }

  override async processOffer(_: AgentContext, { attachment }: { attachment: DidCommAttachment }): Promise<void> {
    detailIn(attachment)
  }

  /** Credo would rely on its parser for the comparison with what was requested. */
  override async processCredential(...[agentContext, options]: Parameters<JsonLd['processCredential']>): Promise<void> {
    const { attachment, requestAttachment, credentialExchangeRecord } = options
    const id = await storeRequested(agentContext, contentOf(attachment), detailIn(requestAttachment))
    const { credentialRecordType } = this
    credentialExchangeRecord.credentials.push({ credentialRecordType, credentialRecordId: id })
  }

  /** No validation here: a malformed request differs from the offer, and is rejected for that. */
  override async processRequest(): Promise<void> {}

  override async acceptRequest(...[agentContext, options]: Parameters<JsonLd['acceptRequest']>) {
    const toSign = await toSignOffered(agentContext, options)
    return withReadErrors(() => super.acceptRequest(agentContext, toSign))
  }
}
