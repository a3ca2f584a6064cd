/** What an out-of-band proof request is made of, and what comes of it. */
import * as v from 'valibot'
import { OutOfBandRecord } from '../records/out-of-band.ts'
import { AnonCredsProofRequest, IndyProofRequest } from './anoncreds-proof-request.ts'
import { AutoAccept, Did, exactly, HttpUrl, ThreadId, text } from './fields.ts'
import { PresentationExchangeRequest } from './presentation-definition.ts'

const ProofFormats = exactly({
  indy: v.optional(IndyProofRequest),
  anoncreds: v.optional(AnonCredsProofRequest),
  presentationExchange: v.optional(PresentationExchangeRequest),
})

/** present-proof 1.0 knows Indy alone; 2.0 carries one or more of the three. */
const suits = (protocolVersion: 'v1' | 'v2', formats: object): boolean => {
  const keys = Object.keys(formats)
  return protocolVersion === 'v1' ? keys.length === 1 && keys[0] === 'indy' : keys.length > 0
}

export const ProofRequest = v.pipe(
  exactly({
    protocolVersion: v.picklist(['v1', 'v2']),
    proofFormats: ProofFormats,
    goalCode: v.optional(text(255)),
    /** Becomes `~thread.pthid` of the request, in the place of the invitation's id, which wallets of Credo insist on. */
    parentThreadId: v.optional(ThreadId),
    willConfirm: v.optional(v.boolean()),
    autoAcceptProof: v.optional(AutoAccept, 'contentApproved'),
    comment: v.optional(v.pipe(v.string(), v.maxLength(2000))),
    label: v.optional(text(255)),
    imageUrl: v.optional(HttpUrl),
    /** A key of this agent: raw base58 or a did:key. */
    recipientKey: v.optional(text(512)),
    /** A DID of this agent. */
    invitationDid: v.optional(Did),
  }),
  v.forward(
    v.partialCheck(
      [['protocolVersion'], ['proofFormats']],
      ({ protocolVersion, proofFormats }) => suits(protocolVersion, proofFormats),
      'must be exactly indy with v1, and one or more of indy, anoncreds, presentationExchange with v2',
    ),
    ['proofFormats'],
  ),
)

export type ProofRequest = v.InferOutput<typeof ProofRequest>

/** The document's four fields, and the two without which the form data could not be asked for. */
export const ProofRequestResult = v.strictObject({
  /** The public URL of the service with `?oob=`. */
  invitationUrl: v.string(),
  invitation: v.looseObject({
    '@type': v.string(),
    '@id': v.string(),
    '~thread': v.optional(v.looseObject({ pthid: v.optional(v.string()), thid: v.optional(v.string()) })),
    /** Equal to `@type`. */
    messageType: v.string(),
  }),
  outOfBandRecord: OutOfBandRecord,
  invitationDid: v.string(),
  /** What tenant_ProofFormData is called with. */
  proofRecordId: v.string(),
  proofRecordThId: v.string(),
})
