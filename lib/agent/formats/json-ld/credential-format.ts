/** The JSON-LD format of issue-credential (Aries RFC 0593), which signs and stores only what was offered. */
import { isDeepStrictEqual } from 'node:util'
import { type AgentContext, CredoError, JsonEncoder } from '@credo-ts/core'
import { DidCommAttachment, DidCommJsonLdCredentialFormatService } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { invalidField } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { MAX_IDENTIFIER } from '../../envelopes/index.ts'
import { type CheckedFormat, NOT_OFFERED } from '../index.ts'
import { type CredentialDetail, isCredentialDetail, issuerOf, withPurpose } from './credential-detail.ts'
import { storeRequested } from './received-credential.ts'
import { findSigningKey } from './signable-credential.ts'

type JsonLd = DidCommJsonLdCredentialFormatService
type AcceptRequest = Parameters<JsonLd['acceptRequest']>
type ProcessCredential = Parameters<JsonLd['processCredential']>

/** Signs the offer, where Credo would sign the request. Stores what was requested, where Credo would rely on its parser for the comparison. */
export class JsonLdFormat extends DidCommJsonLdCredentialFormatService implements CheckedFormat {
  /** Credo's comparison doubles its time for each level of nesting. */
  override areCredentialsEqual = (one: DidCommAttachment, other: DidCommAttachment): boolean => {
    const [first, second] = [one.getDataAsJson(), other.getDataAsJson()]
    return (
      isCredentialDetail(first) &&
      isCredentialDetail(second) &&
      isDeepStrictEqual(withPurpose(first), withPurpose(second))
    )
  }

  override async processProposal(_: AgentContext, { attachment }: { attachment: DidCommAttachment }): Promise<void> {
    detailIn(attachment)
  }

  override async processOffer(_: AgentContext, { attachment }: { attachment: DidCommAttachment }): Promise<void> {
    detailIn(attachment)
  }

  override async processCredential(...[agentContext, options]: ProcessCredential): Promise<void> {
    const { attachment, requestAttachment, credentialExchangeRecord } = options
    const id = await storeRequested(agentContext, contentOf(attachment), detailIn(requestAttachment))
    const { credentialRecordType } = this
    credentialExchangeRecord.credentials.push({ credentialRecordType, credentialRecordId: id })
  }

  isAsOffered(offer: unknown, request: unknown): boolean {
    return detailToSign(offer, request) !== undefined
  }

  /** No validation here: a malformed request differs from the offer, and is refused for that. */
  override async processRequest(): Promise<void> {}

  override async acceptRequest(...[agentContext, options]: AcceptRequest) {
    const { offerAttachment, requestAttachment } = options
    const detail = detailToSign(offerAttachment?.getDataAsJson(), requestAttachment.getDataAsJson())
    if (detail === undefined) throw new CredoError(NOT_OFFERED)
    const signed = new DidCommAttachment({ data: { base64: JsonEncoder.toBase64(detail) } })
    const named = options.credentialFormats?.jsonld?.verificationMethod
    const verificationMethod = await signingKey(agentContext, detail, named)
    const credentialFormats = { jsonld: { verificationMethod } }
    return super.acceptRequest(agentContext, { ...options, credentialFormats, requestAttachment: signed })
  }
}

/** Throws `request.invalid` for a named key that the issuer does not have, or not for assertion. */
const signingKey = async (
  agentContext: AgentContext,
  { credential, options }: CredentialDetail,
  named: string | undefined,
): Promise<string> => {
  const key = await findSigningKey(agentContext, issuerOf(credential) ?? '', options.proofType, named)
  if (key !== undefined) return key
  if (named === undefined) throw new CredoError('the issuer has no key for this type of proof')
  throw invalidField('credentialFormats.jsonld.verificationMethod', 'is no key of the issuer for this type of proof')
}

/** Undefined if there is no JSON. */
const contentOf = (attachment: DidCommAttachment): unknown => {
  try {
    return attachment.getDataAsJson()
  } catch {
    return undefined
  }
}

/** Throws a CredoError if there is no detail. */
const detailIn = (attachment: DidCommAttachment): CredentialDetail => {
  const detail = contentOf(attachment)
  if (!isCredentialDetail(detail)) throw new CredoError('the attachment is no credential of JSON-LD with its options')
  return detail
}

/** A URI (RFC 3986), because the signed N-Quads allow nothing else. A did:peer:4 is over 1,000 characters long. */
const SubjectId = v.pipe(
  v.string(),
  v.maxLength(MAX_IDENTIFIER),
  v.regex(/^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/),
)

/**
 * The detail to sign for a request: the offer's, with the ids of subjects that only the request names. Undefined if the request differs in anything
 * else. https://github.com/hyperledger/aries-rfcs/tree/main/features/0593-json-ld-cred-attach
 */
const detailToSign = (offered: unknown, requested: unknown): CredentialDetail | undefined => {
  if (!isCredentialDetail(offered) || !isCredentialDetail(requested)) return undefined
  const taken = new Set(textsIn(offered.credential))
  const credentialSubject = withIds(offered.credential.credentialSubject, requested.credential.credentialSubject, taken)
  const detail = { ...offered, credential: { ...offered.credential, credentialSubject } }
  return isDeepStrictEqual(withPurpose(detail), withPurpose(requested)) ? detail : undefined
}

/** Refuses an id that is used already: two nodes would become one, with the claims of both. */
const withIds = (offered: unknown, requested: unknown, taken: Set<string>): unknown => {
  if (Array.isArray(offered))
    return offered.map((subject, index) =>
      withIds(subject, Array.isArray(requested) ? requested[index] : undefined, taken),
    )
  const named = !isObject(offered) || Object.hasOwn(offered, 'id') || Object.hasOwn(offered, '@id')
  if (named || !isObject(requested) || !v.is(SubjectId, requested.id) || taken.has(requested.id)) return offered
  taken.add(requested.id)
  return { ...offered, id: requested.id }
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
