/** Signs JSON-LD credentials as they were offered (Aries RFC 0593). */
import { isDeepStrictEqual } from 'node:util'
import { type AgentContext, CredoError, JsonEncoder } from '@credo-ts/core'
import { DidCommAttachment, type DidCommJsonLdCredentialFormatService } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { invalidField } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { MAX_IDENTIFIER } from '../../envelopes/index.ts'
import { NOT_OFFERED } from '../index.ts'
import { type CredentialDetail, isCredentialDetail, issuerOf, withPurpose } from './credential-detail.ts'
import { findSigningKey } from './signable-credential.ts'

type AcceptOptions = Parameters<DidCommJsonLdCredentialFormatService['acceptRequest']>[1]

export const isAsOffered = (offer: unknown, request: unknown): boolean => detailToSign(offer, request) !== undefined

/** The options to sign the offer, where Credo would sign the request. Throws `request.invalid`, CredoError. */
export const toSignOffered = async (agentContext: AgentContext, options: AcceptOptions): Promise<AcceptOptions> => {
  const { offerAttachment, requestAttachment, credentialFormats } = options
  const detail = detailToSign(offerAttachment?.getDataAsJson(), requestAttachment.getDataAsJson())
  if (detail === undefined) throw new CredoError(NOT_OFFERED)
  const verificationMethod = await signingKey(agentContext, detail, credentialFormats?.jsonld?.verificationMethod)
  return {
    ...options,
    credentialFormats: { jsonld: { verificationMethod } },
    requestAttachment: new DidCommAttachment({ data: { base64: JsonEncoder.toBase64(detail) } }),
  }
}

/** Throws `request.invalid` if `keyId` is not a key of the issuer for assertions. */
const signingKey = async (
  agentContext: AgentContext,
  { credential, options }: CredentialDetail,
  keyId: string | undefined,
): Promise<string> => {
  const key = await findSigningKey(agentContext, issuerOf(credential) ?? '', options.proofType, keyId)
  if (key !== undefined) return key
  if (keyId === undefined) throw new CredoError('the issuer has no key for this type of proof')
  throw invalidField('credentialFormats.jsonld.verificationMethod', 'is not a key of the issuer for this type of proof')
}

/** A URI (RFC 3986), because the signed N-Quads allow nothing else. A did:peer:4 is over 1,000 characters long. */
const SubjectId = v.pipe(
  v.string(),
  v.maxLength(MAX_IDENTIFIER),
  v.regex(/^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/),
)

/**
 * The detail to sign for a request: the offer's, with the ids of subjects that only the request names. Undefined if the
 * request differs in anything else.
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0593-json-ld-cred-attach
 */
const detailToSign = (offered: unknown, requested: unknown): CredentialDetail | undefined => {
  if (!isCredentialDetail(offered) || !isCredentialDetail(requested)) return undefined
  const usedIds = new Set(textsIn(offered.credential))
  const credentialSubject = withIds(
    offered.credential.credentialSubject,
    requested.credential.credentialSubject,
    usedIds,
  )
  const detail = { ...offered, credential: { ...offered.credential, credentialSubject } }
  return isDeepStrictEqual(withPurpose(detail), withPurpose(requested)) ? detail : undefined
}

/** Leaves out an id that is used already: two nodes would become one, with the claims of both. */
const withIds = (offered: unknown, requested: unknown, usedIds: Set<string>): unknown => {
  if (Array.isArray(offered))
    return offered.map((subject, index) =>
      withIds(subject, Array.isArray(requested) ? requested[index] : undefined, usedIds),
    )
  const hasId = !isObject(offered) || Object.hasOwn(offered, 'id') || Object.hasOwn(offered, '@id')
  if (hasId || !isObject(requested) || !v.is(SubjectId, requested.id) || usedIds.has(requested.id)) return offered
  usedIds.add(requested.id)
  return { ...offered, id: requested.id }
}

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
