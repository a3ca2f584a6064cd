/**
 * Issues and requests only what was offered, in the AnonCreds formats of issue-credential (Aries RFC 0592 and 0771).
 */
import {
  type AnonCredsCredentialMetadata,
  AnonCredsCredentialMetadataKey,
  type AnonCredsDidCommCredentialFormatService,
  fetchCredentialDefinition,
  getUnQualifiedDidIndyDid,
  isDidIndySchemaId,
  type LegacyIndyDidCommCredentialFormatService,
} from '@credo-ts/anoncreds'
import { type AgentContext, CredoError } from '@credo-ts/core'
import {
  type DidCommAttachment,
  type DidCommCredentialExchangeRecord,
  DidCommCredentialFormatSpec,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { idLike, parseIndyId } from '../../../indy/ids.ts'
import { ANONCREDS_ISSUED } from '../../../records/record-json.ts'
import { withReadErrors } from '../../web/index.ts'
import { NOT_OFFERED, NotAsOfferedError } from '../index.ts'
import { CredentialRequest, Offer, OfferedIds } from './issuance-messages.ts'
import { assertAnonCredsLoads } from './library.ts'
import { ensureLinkSecret } from './link-secret.ts'
import { withContent, withLibraryErrors } from './received-credential.ts'
import { assertReadable } from './resolution.ts'

/**
 * The request, or undefined if it does not match the offer. Credential definitions are compared, because Credo signs
 * with the one that the request names.
 */
const requestTo = (offer: unknown, request: unknown): v.InferOutput<typeof CredentialRequest> | undefined => {
  const { success, output } = v.safeParse(CredentialRequest, request, { abortEarly: true })
  return success && v.is(OfferedIds, offer) && offer.cred_def_id === output.cred_def_id ? output : undefined
}

export const isAsOffered = (offer: unknown, request: unknown): boolean => requestTo(offer, request) !== undefined

const contentOf = (attachment: DidCommAttachment | undefined): unknown => attachment?.getDataAsJson()

interface Requested {
  credentialExchangeRecord: DidCommCredentialExchangeRecord
  offerAttachment?: DidCommAttachment
  requestAttachment: DidCommAttachment
}

/**
 * Removes the revocation tags of an issuer's exchange. Credo finds the exchange of a revocation notification by them,
 * whatever its role, so a wallet could notify the issuer.
 */
const withoutRevocationTags = (record: DidCommCredentialExchangeRecord): void => {
  record.setTag('anonCredsRevocationRegistryId', undefined)
  record.setTag('anonCredsCredentialRevocationId', undefined)
}

/** Runs `offer`, which creates an offer. */
export const createOfferWith = async <Offered>(
  { credentialExchangeRecord }: Pick<Requested, 'credentialExchangeRecord'>,
  offer: () => Promise<Offered>,
): Promise<Offered> => {
  const offered = await offer()
  withoutRevocationTags(credentialExchangeRecord)
  return offered
}

/**
 * Issues with `issue` if the request matches the offer. Only the library can check that its proof is for the offer's
 * nonce.
 */
export const issueOffered = async <T>(
  { credentialExchangeRecord, offerAttachment, requestAttachment }: Requested,
  issue: (requestAttachment: DidCommAttachment) => Promise<T>,
): Promise<T> => {
  assertAnonCredsLoads()
  const request = requestTo(contentOf(offerAttachment), contentOf(requestAttachment))
  if (request === undefined) throw new NotAsOfferedError(NOT_OFFERED)
  alignRegistryId(request.cred_def_id, credentialExchangeRecord)
  const issued = await withReadErrors(() =>
    withLibraryErrors('the request does not prove what was offered', () =>
      issue(withContent(requestAttachment, request)),
    ),
  )
  withoutRevocationTags(credentialExchangeRecord)
  credentialExchangeRecord.metadata.set(ANONCREDS_ISSUED, {})
  return issued
}

/**
 * Uses the form of the definition's id (qualified or not) for the registry's id too, because verifiers on an Indy
 * ledger compare them. Credo issues by this metadata.
 */
const alignRegistryId = (definitionId: string, { metadata }: DidCommCredentialExchangeRecord): void => {
  const { revocationRegistryId = '' } = metadata.get<AnonCredsCredentialMetadata>(AnonCredsCredentialMetadataKey) ?? {}
  const [definition, registry] = [parseIndyId(definitionId), parseIndyId(revocationRegistryId)]
  if (definition === undefined || registry === undefined) return
  metadata.add(AnonCredsCredentialMetadataKey, { revocationRegistryId: idLike(registry, definition) })
}

/** Throws a CredoError if the offer names no definition or schema: Credo only checks that there is an attachment. */
export const assertOffer = (attachment: DidCommAttachment): void => {
  if (!v.is(OfferedIds, contentOf(attachment)))
    throw new CredoError('the offer names no credential definition and schema')
}

/** Runs `request` if the offer has the schema of its definition: records show the schema of the offer. */
export const requestOffered = async <T>(
  agentContext: AgentContext,
  attachment: DidCommAttachment,
  request: (offerAttachment: DidCommAttachment, link: { linkSecretId: string }) => Promise<T>,
): Promise<T> => {
  assertAnonCredsLoads()
  const { success, output: offer } = v.safeParse(Offer, contentOf(attachment), { abortEarly: true })
  if (!success) throw new CredoError('the offer is not one of AnonCreds')
  await assertReadable(agentContext, offer)
  const { credentialDefinition } = await fetchCredentialDefinition(agentContext, offer.cred_def_id)
  if (unqualified(credentialDefinition.schemaId) !== unqualified(offer.schema_id))
    throw new CredoError('the offer names another schema than its credential definition')
  const linkSecretId = await ensureLinkSecret(agentContext)
  return withLibraryErrors('no credential can be requested for the offer', () =>
    request(withContent(attachment, offer), { linkSecretId }),
  )
}

const unqualified = (schemaId: string): string =>
  isDidIndySchemaId(schemaId) ? getUnQualifiedDidIndyDid(schemaId) : schemaId

/** Formats of Aries RFC 0592 of an issuer's messages. */
const INDY_OFFER = 'hlindy/cred-abstract@v2.0'
const INDY_CREDENTIAL = 'hlindy/cred@v2.0'
const INDY_REQUEST = 'hlindy/cred-req@v2.0'
const ANONCREDS_REQUEST = 'anoncreds/credential-request@v1.0'

type Indy = LegacyIndyDidCommCredentialFormatService

/**
 * Offers in the format `indy`. The service of `anoncreds` makes the offers and credentials: Credo's own for `indy`
 * silently issues from a revocable definition without its registry.
 */
export const offerAsIndy = async (
  service: AnonCredsDidCommCredentialFormatService,
  ...[agentContext, options]: Parameters<Indy['createOffer']>
) => {
  const { indy } = options.credentialFormats
  if (indy === undefined) throw new CredoError('nothing is offered as indy')
  const anoncreds = { ...options, credentialFormats: { anoncreds: indy } }
  const { format, ...offer } = await createOfferWith(options, () => service.createOffer(agentContext, anoncreds))
  return { ...offer, format: withFormat(format, INDY_OFFER) }
}

/** Issues in the format `indy`. */
export const issueAsIndy = async (
  service: AnonCredsDidCommCredentialFormatService,
  ...[agentContext, { credentialFormats: _, ...options }]: Parameters<Indy['acceptRequest']>
) => {
  const { format, ...credential } = await issueOffered(options, (requestAttachment) =>
    service.acceptRequest(agentContext, { ...options, requestAttachment }),
  )
  return { ...credential, format: withFormat(format, INDY_CREDENTIAL) }
}

const withFormat = ({ attachmentId }: DidCommCredentialFormatSpec, format: string): DidCommCredentialFormatSpec =>
  new DidCommCredentialFormatSpec({ attachmentId, format })

/**
 * Corrects the formats of a request: ACA-Py's AnonCreds wallets answer an offer in the format `indy` alone with the
 * same object in the format `anoncreds`. /
 */
export const requestFormats = (
  offered: DidCommCredentialFormatSpec[],
  requested: DidCommCredentialFormatSpec[],
): DidCommCredentialFormatSpec[] => {
  const onlyIndy = offered.some(({ format }) => format === INDY_OFFER) && !offered.some(isAnonCreds)
  return onlyIndy
    ? requested.map((spec) => (spec.format === ANONCREDS_REQUEST ? withFormat(spec, INDY_REQUEST) : spec))
    : requested
}

const isAnonCreds = ({ format }: DidCommCredentialFormatSpec): boolean => format.startsWith('anoncreds/')
