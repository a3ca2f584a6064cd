/** The formats of a stored credential message, with the attachments of its offer and its request. */
import {
  type DidCommCredentialV1Protocol,
  INDY_CREDENTIAL_ATTACHMENT_ID,
  INDY_CREDENTIAL_OFFER_ATTACHMENT_ID,
  INDY_CREDENTIAL_REQUEST_ATTACHMENT_ID,
} from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import type { DidCommCredentialFormatService, DidCommCredentialV2Protocol } from '@credo-ts/didcomm'
import { attachedOf } from '../index.ts'
import type { ReceivedFormat } from './checks.ts'

/** Of version 1 (Aries RFC 0036), which has one format. */
export const receivedFormatsV1 = async (
  protocol: DidCommCredentialV1Protocol,
  format: ReceivedFormat['format'],
  ...of: [agentContext: AgentContext, exchangeId: string]
): Promise<ReceivedFormat[]> => {
  const credential = await protocol.findCredentialMessage(...of)
  const offer = await protocol.findOfferMessage(...of)
  const request = await protocol.findRequestMessage(...of)
  return [
    {
      format,
      attachment: credential?.getCredentialAttachmentById(INDY_CREDENTIAL_ATTACHMENT_ID),
      offerAttachment: offer?.getOfferAttachmentById(INDY_CREDENTIAL_OFFER_ATTACHMENT_ID),
      requestAttachment: request?.getRequestAttachmentById(INDY_CREDENTIAL_REQUEST_ATTACHMENT_ID),
    },
  ]
}

/** Of version 2 (Aries RFC 0453). */
export const receivedFormatsV2 = async <Formats extends DidCommCredentialFormatService[]>(
  protocol: DidCommCredentialV2Protocol<Formats>,
  formats: Formats,
  ...of: [agentContext: AgentContext, exchangeId: string]
): Promise<ReceivedFormat[]> => {
  const credential = await protocol.findCredentialMessage(...of)
  const offer = await protocol.findOfferMessage(...of)
  const request = await protocol.findRequestMessage(...of)
  const offered = attachedOf(formats, offer?.formats ?? [], offer?.offerAttachments ?? [])
  const requested = attachedOf(formats, request?.formats ?? [], request?.requestAttachments ?? [])
  return attachedOf(formats, credential?.formats ?? [], credential?.credentialAttachments ?? []).map((received) => ({
    ...received,
    offerAttachment: offered.find(({ format }) => format === received.format)?.attachment,
    requestAttachment: requested.find(({ format }) => format === received.format)?.attachment,
  }))
}
