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
import { idLike, parseIndyId } from '../../indy/ids.ts'
import { ANONCREDS_ISSUED } from '../../records/record-json.ts'
import { type CheckedFormat, NOT_OFFERED, NotAsOfferedError } from '../credentials/checks.ts'
import { ensureLinkSecret } from './link-secret.ts'
import { Offer, refusedByLibrary, storeOffered } from './received-credential.ts'

const Request = v.looseObject({ cred_def_id: v.string() })
/** Compares definitions, because Credo signs with the one that the request names. */
const isAsOffered = (offer: unknown, request: unknown): boolean =>
  v.is(Offer, offer) && v.is(Request, request) && offer.cred_def_id === request.cred_def_id

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
  issue: () => Promise<T>,
): Promise<T> => {
  const request = contentOf(requestAttachment)
  if (!isAsOffered(contentOf(offerAttachment), request)) throw new NotAsOfferedError(NOT_OFFERED)
  alignRegistryId(v.parse(Request, request).cred_def_id, credentialExchangeRecord)
  const issued = await refusedByLibrary('the request is no proof for what was offered', issue)
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
  if (!v.is(Offer, contentOf(attachment))) throw new CredoError('the offer names no credential definition and schema')
}

/** Requests with `request` if the offer's schema is that of its definition, because records show the offer's schema. */
const requestOffered = async <T>(
  agentContext: AgentContext,
  offerAttachment: DidCommAttachment,
  request: (linkSecretId: string) => Promise<T>,
): Promise<T> => {
  const offer = v.parse(Offer, contentOf(offerAttachment))
  const { credentialDefinition } = await fetchCredentialDefinition(agentContext, offer.cred_def_id)
  if (unqualified(credentialDefinition.schemaId) !== unqualified(offer.schema_id))
    throw new CredoError('the offer names another schema than its credential definition')
  const linkSecretId = await ensureLinkSecret(agentContext)
  return refusedByLibrary('no request can be made to the offer', () => request(linkSecretId))
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
    return issueOffered(options, () => super.acceptRequest(agentContext, options))
  }

  override async processOffer(...[agentContext, options]: Parameters<AnonCreds['processOffer']>) {
    assertOffer(options.attachment)
    return super.processOffer(agentContext, options)
  }

  override async acceptOffer(...[agentContext, options]: Parameters<AnonCreds['acceptOffer']>) {
    return requestOffered(agentContext, options.offerAttachment, (linkSecretId) =>
      super.acceptOffer(agentContext, { ...options, credentialFormats: { anoncreds: { linkSecretId } } }),
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
    const issued = await issueOffered(options, () => this.#anonCreds.acceptRequest(agentContext, request))
    return { ...issued, format: relabelled(issued.format, INDY_CREDENTIAL) }
  }

  override async processOffer(...[agentContext, options]: Parameters<Indy['processOffer']>) {
    assertOffer(options.attachment)
    return super.processOffer(agentContext, options)
  }

  override async acceptOffer(...[agentContext, options]: Parameters<Indy['acceptOffer']>) {
    return requestOffered(agentContext, options.offerAttachment, (linkSecretId) =>
      super.acceptOffer(agentContext, { ...options, credentialFormats: { indy: { linkSecretId } } }),
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
