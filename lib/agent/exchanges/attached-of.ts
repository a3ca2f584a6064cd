/** The attachments of a message of issue-credential 2.0 or present-proof 2.0, by its formats (Aries RFC 0453, 0454). */
import type { DidCommAttachment, DidCommCredentialFormatSpec } from '@credo-ts/didcomm'

/** The first attachment of each of the formats, as Credo selects it. */
export const attachedOf = <Format extends { supportsFormat(format: string): boolean }>(
  formats: readonly Format[],
  specs: readonly Pick<DidCommCredentialFormatSpec, 'format' | 'attachmentId'>[],
  attachments: readonly DidCommAttachment[],
): { format: Format; attachment: DidCommAttachment }[] =>
  formats.flatMap((format) => {
    const spec = specs.find((one) => format.supportsFormat(one.format))
    const attachment = attachments.find(({ id }) => id === spec?.attachmentId)
    return attachment === undefined ? [] : [{ format, attachment }]
  })
