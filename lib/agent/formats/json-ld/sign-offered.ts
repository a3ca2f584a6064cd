/** Signs JSON-LD credentials as they were offered (Aries RFC 0593). */
import { isDeepStrictEqual } from 'node:util'
import { type AgentContext, CredoError, JsonEncoder, W3cCredentialsModuleConfig } from '@credo-ts/core'
import { DidCommAttachment, type DidCommJsonLdCredentialFormatService } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { invalidField } from '../../../errors.ts'
import { isObject } from '../../../json.ts'
import { MAX_IDENTIFIER } from '../../envelopes/index.ts'
import { withReadErrors } from '../../web/index.ts'
import { NOT_OFFERED, NotAsOfferedError } from '../index.ts'
import { type CredentialDetail, isCredentialDetail, issuerOf, withPurpose } from './credential-detail.ts'
import { newBudget, nodesIn } from './rdf.ts'
import { findSigningKey } from './signable-credential.ts'

type AcceptOptions = Parameters<DidCommJsonLdCredentialFormatService['acceptRequest']>[1]

export const isAsOffered = (offer: unknown, request: unknown): boolean => detailToSign(offer, request) !== undefined

/**
 * Credo's options to sign the offer instead of the request. Throws `request.invalid`, CredoError, and a
 * NotAsOfferedError for a request that gives a subject the id of another node.
 */
export const toSignOffered = async (agentContext: AgentContext, options: AcceptOptions): Promise<AcceptOptions> => {
  const { offerAttachment, requestAttachment, credentialFormats } = options
  const offered: unknown = offerAttachment?.getDataAsJson()
  const detail = detailToSign(offered, requestAttachment.getDataAsJson())
  if (detail === undefined || !isCredentialDetail(offered)) throw new CredoError(NOT_OFFERED)
  await withReadErrors(() => assertNewSubjectIds(agentContext, offered.credential, detail.credential))
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
 * The detail to sign: that of the offer, with the subject ids that only the request has. Undefined if the request
 * differs in anything else.
 * https://github.com/hyperledger/aries-rfcs/tree/main/features/0593-json-ld-cred-attach
 */
const detailToSign = (offered: unknown, requested: unknown): CredentialDetail | undefined => {
  if (!isCredentialDetail(offered) || !isCredentialDetail(requested)) return undefined
  const credentialSubject = withIds(offered.credential.credentialSubject, requested.credential.credentialSubject)
  const detail = { ...offered, credential: { ...offered.credential, credentialSubject } }
  return isDeepStrictEqual(withPurpose(detail), withPurpose(requested)) ? detail : undefined
}

const withIds = (offered: unknown, requested: unknown): unknown => {
  if (Array.isArray(offered))
    return offered.map((subject, index) => withIds(subject, Array.isArray(requested) ? requested[index] : undefined))
  const hasId = !isObject(offered) || Object.hasOwn(offered, 'id')
  return hasId || !isObject(requested) || !v.is(SubjectId, requested.id) ? offered : { ...offered, id: requested.id }
}

/**
 * Throws a NotAsOfferedError for a subject id that another node of the credential has: both would become one node with
 * the claims of both. Expanded nodes are compared, because a context can define aliases of `id`.
 */
const assertNewSubjectIds = async (agentContext: AgentContext, offered: object, requested: object): Promise<void> => {
  if (isDeepStrictEqual(offered, requested)) return
  const loader = agentContext.resolve(W3cCredentialsModuleConfig).documentLoader(agentContext)
  const count = async (credential: object) => (await nodesIn(credential, loader, newBudget())).size
  const nodes = await count(offered)
  const isNew = await count(requested).then(
    (others) => others === nodes,
    (error: unknown) => {
      // The subject has an alias of `id` already, so it would have two ids.
      if (error instanceof Error && error.name.startsWith('jsonld.')) return false
      throw error
    },
  )
  if (!isNew) throw new NotAsOfferedError(NOT_OFFERED)
}
