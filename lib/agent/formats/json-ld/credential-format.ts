/** The JSON-LD format of issue-credential (Aries RFC 0593), which signs and stores only credentials as offered. */
import type { AgentContext } from '@credo-ts/core'
import { type DidCommAttachment, DidCommJsonLdCredentialFormatService } from '@credo-ts/didcomm'
import { withReadErrors } from '../../web/index.ts'
import type { CheckedFormat } from '../index.ts'
import { areDetailsEqual, contentOf, detailIn } from './credential-detail.ts'
import { storeReceivedCredential } from './received-credential.ts'
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

  /** Replaces Credo's comparison with the request, which uses its slow parser. */
  override async processCredential(...[agentContext, options]: Parameters<JsonLd['processCredential']>): Promise<void> {
    const { attachment, requestAttachment, credentialExchangeRecord } = options
    const id = await storeReceivedCredential(agentContext, contentOf(attachment), detailIn(requestAttachment))
    const { credentialRecordType } = this
    credentialExchangeRecord.credentials.push({ credentialRecordType, credentialRecordId: id })
  }

  /** No validation: `isAsOffered` rejects a malformed request, because it differs from the offer. */
  override async processRequest(): Promise<void> {}

  override async acceptRequest(...[agentContext, options]: Parameters<JsonLd['acceptRequest']>) {
    const toSign = await toSignOffered(agentContext, options)
    return withReadErrors(() => super.acceptRequest(agentContext, toSign))
  }
}
