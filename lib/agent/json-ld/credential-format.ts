/** JSON-LD credentials of issue-credential (Aries RFC 0593): what is signed is what was offered, whatever the wallet says. */
import { isDeepStrictEqual } from 'node:util'
import { CredoError, JsonEncoder } from '@credo-ts/core'
import { DidCommAttachment, DidCommJsonLdCredentialFormatService } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { isObject } from '../../json.ts'
import { type CheckedFormat, NOT_OFFERED } from '../credential-checks.ts'
import { MAX_IDENTIFIER } from '../identifiers.ts'

type AcceptRequest = Parameters<DidCommJsonLdCredentialFormatService['acceptRequest']>

/** Signs the offer; Credo signs the request. */
export class JsonLdFormat extends DidCommJsonLdCredentialFormatService implements CheckedFormat {
  isAsOffered(offer: unknown, request: unknown): boolean {
    return detailToSign(offer, request) !== undefined
  }

  /** A request that a validator refuses is one that differs from the offer, and no offer is like that. */
  override async processRequest(): Promise<void> {}

  override async acceptRequest(...[agentContext, options]: AcceptRequest) {
    const { offerAttachment, requestAttachment } = options
    const detail = detailToSign(offerAttachment?.getDataAsJson(), requestAttachment.getDataAsJson())
    if (detail === undefined) throw new CredoError(NOT_OFFERED)
    const signed = new DidCommAttachment({ data: { base64: JsonEncoder.toBase64(detail) } })
    return super.acceptRequest(agentContext, { ...options, requestAttachment: signed })
  }
}

/** A credential and how it is to be signed (Aries RFC 0593, `aries/ld-proof-vc-detail@v1.0`). */
const Detail = v.looseObject({
  credential: v.looseObject({ credentialSubject: v.unknown() }),
  options: v.looseObject({ proofPurpose: v.optional(v.string()) }),
})

type CredentialDetail = v.InferOutput<typeof Detail>

/** A URI of RFC 3986: nothing else may stand in the N-Quads that are signed. A did:peer:4 is over 1,000 characters long. */
const SubjectId = v.pipe(
  v.string(),
  v.maxLength(MAX_IDENTIFIER),
  v.regex(/^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]+$/),
)

/**
 * The detail to sign for a request: the offer's, with the ids of those subjects that only the request names. Undefined where the
 * request differs in anything else. https://github.com/hyperledger/aries-rfcs/tree/main/features/0593-json-ld-cred-attach
 */
const detailToSign = (offered: unknown, requested: unknown): CredentialDetail | undefined => {
  if (!v.is(Detail, offered) || !v.is(Detail, requested)) return undefined
  const taken = new Set(textsIn(offered.credential))
  const credentialSubject = withIds(offered.credential.credentialSubject, requested.credential.credentialSubject, taken)
  const detail = { ...offered, credential: { ...offered.credential, credentialSubject } }
  return isDeepStrictEqual(withPurpose(detail), withPurpose(requested)) ? detail : undefined
}

/** An id that is taken would make one thing of two, with the claims of both. */
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

/** Wallets leave out what is the default (ACA-Py), or add it. */
const withPurpose = ({ options, ...detail }: CredentialDetail): object => ({
  ...detail,
  options: { ...options, proofPurpose: options.proofPurpose ?? 'assertionMethod' },
})
