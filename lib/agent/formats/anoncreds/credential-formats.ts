/** AnonCreds formats of issue-credential (Aries RFC 0592 and 0771), which issue and store only what was offered. */
import {
  type AnonCredsCredentialMetadata,
  AnonCredsCredentialMetadataKey,
  AnonCredsDidCommCredentialFormatService,
  fetchCredentialDefinition,
  getUnQualifiedDidIndyDid,
  isDidIndySchemaId,
  LegacyIndyDidCommCredentialFormatService,
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
import { type CheckedFormat, NOT_OFFERED, NotAsOfferedError } from '../index.ts'
import { CredentialRequest, Offer, OfferedIds } from './issuance-messages.ts'
import { assertAnonCredsLoads } from './library.ts'
import { ensureLinkSecret } from './link-secret.ts'
import { refusedByLibrary, storeOffered, withContent } from './received-credential.ts'
import { assertReadable } from './resolution.ts'

/** A request to an offer; undefined for another one. Definitions are compared, because Credo signs with the one that the request names. */
const requestTo = (offer: unknown, request: unknown): v.InferOutput<typeof CredentialRequest> | undefined => {
  const { success, output } = v.safeParse(CredentialRequest, request, { abortEarly: true })
  return success && v.is(OfferedIds, offer) && offer.cred_def_id === output.cred_def_id ? output : undefined
}

const isAsOffered = (offer: unknown, request: unknown): boolean => requestTo(offer, request) !== undefined

const contentOf = (attachment: DidCommAttachment | undefined): unknown => attachment?.getDataAsJson()

interface Requested {
  credentialExchangeRecord: DidCommCredentialExchangeRecord
  offerAttachment?: DidCommAttachment
  requestAttachment: DidCommAttachment
}

/**
 * Removes the revocation tags of an issuer's exchange. Credo finds the exchange of a revocation notification by them, whatever its role, so a wallet
 * could notify the issuer.
 */
const withoutRevocationTags = (record: DidCommCredentialExchangeRecord): void => {
  record.setTag('anonCredsRevocationRegistryId', undefined)
  record.setTag('anonCredsCredentialRevocationId', undefined)
}

/** Issues with `issue` if the request matches the offer. Only the library can check whether its proof was made for the offer's nonce. */
const issueOffered = async <T>(
  { credentialExchangeRecord, offerAttachment, requestAttachment }: Requested,
  issue: (requestAttachment: DidCommAttachment) => Promise<T>,
): Promise<T> => {
  assertAnonCredsLoads()
  const request = requestTo(contentOf(offerAttachment), contentOf(requestAttachment))
  if (request === undefined) throw new NotAsOfferedError(NOT_OFFERED)
  alignRegistryId(request.cred_def_id, credentialExchangeRecord)
  const issued = await refusedByLibrary('the request is no proof for what was offered', () =>
    issue(withContent(requestAttachment, request)),
  )
  withoutRevocationTags(credentialExchangeRecord)
  credentialExchangeRecord.metadata.set(ANONCREDS_ISSUED, {})
  return issued
}

/**
 * Uses the form of the definition's id (qualified or not) for the registry's id too, because verifiers on an Indy ledger compare them. Credo issues
 * by this metadata.
 */
const alignRegistryId = (definitionId: string, { metadata }: DidCommCredentialExchangeRecord): void => {
  const { revocationRegistryId = '' } = metadata.get<AnonCredsCredentialMetadata>(AnonCredsCredentialMetadataKey) ?? {}
  const [definition, registry] = [parseIndyId(definitionId), parseIndyId(revocationRegistryId)]
  if (definition === undefined || registry === undefined) return
  metadata.add(AnonCredsCredentialMetadataKey, { revocationRegistryId: idLike(registry, definition) })
}

/** Throws a CredoError if the offer names no definition or schema: Credo only checks that there is an attachment. */
const assertOffer = (attachment: DidCommAttachment): void => {
  if (!v.is(OfferedIds, contentOf(attachment)))
    throw new CredoError('the offer names no credential definition and schema')
}

/** Requests with `request` if the offer's schema is that of its definition, because records show the offer's schema. */
const requestOffered = async <T>(
  agentContext: AgentContext,
  attachment: DidCommAttachment,
  request: (offerAttachment: DidCommAttachment, linkSecretId: string) => Promise<T>,
): Promise<T> => {
  assertAnonCredsLoads()
  const { success, output: offer } = v.safeParse(Offer, contentOf(attachment), { abortEarly: true })
  if (!success) throw new CredoError('the offer has another form than one of AnonCreds')
  await assertReadable(agentContext, offer)
  const { credentialDefinition } = await fetchCredentialDefinition(agentContext, offer.cred_def_id)
  if (unqualified(credentialDefinition.schemaId) !== unqualified(offer.schema_id))
    throw new CredoError('the offer names another schema than its credential definition')
  const linkSecretId = await ensureLinkSecret(agentContext)
  return refusedByLibrary('no request can be made to the offer', () =>
    request(withContent(attachment, offer), linkSecretId),
  )
}

const unqualified = (schemaId: string): string =>
  isDidIndySchemaId(schemaId) ? getUnQualifiedDidIndyDid(schemaId) : schemaId

type AnonCreds = AnonCredsDidCommCredentialFormatService

export class AnonCredsFormat extends AnonCredsDidCommCredentialFormatService implements CheckedFormat {
  isAsOffered(offer: unknown, request: unknown): boolean {
    return isAsOffered(offer, request)
  }

  override async createOffer(...[agentContext, options]: Parameters<AnonCreds['createOffer']>) {
    const offer = await super.createOffer(agentContext, options)
    withoutRevocationTags(options.credentialExchangeRecord)
    return offer
  }

  override async acceptRequest(...[agentContext, options]: Parameters<AnonCreds['acceptRequest']>) {
    return issueOffered(options, (requestAttachment) =>
      super.acceptRequest(agentContext, { ...options, requestAttachment }),
    )
  }

  override async processOffer(...[agentContext, options]: Parameters<AnonCreds['processOffer']>) {
    assertOffer(options.attachment)
    return super.processOffer(agentContext, options)
  }

  override async acceptOffer(...[agentContext, options]: Parameters<AnonCreds['acceptOffer']>) {
    return requestOffered(agentContext, options.offerAttachment, (offerAttachment, linkSecretId) =>
      super.acceptOffer(agentContext, {
        ...options,
        offerAttachment,
        credentialFormats: { anoncreds: { linkSecretId } },
      }),
    )
  }

  override async processCredential(...[agentContext, options]: Parameters<AnonCreds['processCredential']>) {
    await storeOffered(agentContext, options, (attachment) =>
      super.processCredential(agentContext, { ...options, attachment }),
    )
  }
}

type Indy = LegacyIndyDidCommCredentialFormatService

/** Formats of Aries RFC 0592 of an issuer's messages. */
const INDY_OFFER = 'hlindy/cred-abstract@v2.0'
const INDY_CREDENTIAL = 'hlindy/cred@v2.0'
const INDY_REQUEST = 'hlindy/cred-req@v2.0'
const ANONCREDS_REQUEST = 'anoncreds/credential-request@v1.0'

/**
 * Credentials with the ids of an Indy ledger. The service of `anoncreds` makes the offers and credentials: Credo's own for `indy` silently issues
 * from a revocable definition without its registry.
 */
export class IndyFormat extends LegacyIndyDidCommCredentialFormatService implements CheckedFormat {
  readonly #anonCreds = new AnonCredsDidCommCredentialFormatService()

  isAsOffered(offer: unknown, request: unknown): boolean {
    return isAsOffered(offer, request)
  }

  override async createOffer(...[agentContext, options]: Parameters<Indy['createOffer']>) {
    const { indy } = options.credentialFormats
    if (indy === undefined) throw new CredoError('nothing is offered as indy')
    const offer = await this.#anonCreds.createOffer(agentContext, {
      ...options,
      credentialFormats: { anoncreds: indy },
    })
    withoutRevocationTags(options.credentialExchangeRecord)
    return { ...offer, format: relabelled(offer.format, INDY_OFFER) }
  }

  override async acceptRequest(...[agentContext, options]: Parameters<Indy['acceptRequest']>) {
    const { credentialFormats: _, ...request } = options
    const issued = await issueOffered(options, (requestAttachment) =>
      this.#anonCreds.acceptRequest(agentContext, { ...request, requestAttachment }),
    )
    return { ...issued, format: relabelled(issued.format, INDY_CREDENTIAL) }
  }

  override async processOffer(...[agentContext, options]: Parameters<Indy['processOffer']>) {
    assertOffer(options.attachment)
    return super.processOffer(agentContext, options)
  }

  override async acceptOffer(...[agentContext, options]: Parameters<Indy['acceptOffer']>) {
    return requestOffered(agentContext, options.offerAttachment, (offerAttachment, linkSecretId) =>
      super.acceptOffer(agentContext, { ...options, offerAttachment, credentialFormats: { indy: { linkSecretId } } }),
    )
  }

  override async processCredential(...[agentContext, options]: Parameters<Indy['processCredential']>) {
    await storeOffered(agentContext, options, (attachment) =>
      super.processCredential(agentContext, { ...options, attachment }),
    )
  }
}

const relabelled = ({ attachmentId }: DidCommCredentialFormatSpec, format: string): DidCommCredentialFormatSpec =>
  new DidCommCredentialFormatSpec({ attachmentId, format })

/**
 * Corrects the formats of a request: ACA-Py's AnonCreds wallets answer an offer of `indy` alone with a request labelled `anoncreds`, although it is
 * the same object.
 */
export const requestFormats = (
  offered: DidCommCredentialFormatSpec[],
  requested: DidCommCredentialFormatSpec[],
): DidCommCredentialFormatSpec[] => {
  const onlyIndy = offered.some(({ format }) => format === INDY_OFFER) && !offered.some(isAnonCreds)
  return onlyIndy
    ? requested.map((spec) => (spec.format === ANONCREDS_REQUEST ? relabelled(spec, INDY_REQUEST) : spec))
    : requested
}

const isAnonCreds = ({ format }: DidCommCredentialFormatSpec): boolean => format.startsWith('anoncreds/')
