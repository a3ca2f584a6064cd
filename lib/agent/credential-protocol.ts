/** The issue-credential protocol of this agent: what is issued is what was offered, whatever the wallet says. */

import { isDeepStrictEqual } from 'node:util'
import { AnonCredsDidCommCredentialFormatService, LegacyIndyDidCommCredentialFormatService } from '@credo-ts/anoncreds'
import { type AgentContext, CredoError, JsonEncoder } from '@credo-ts/core'
import {
  DidCommAttachment,
  type DidCommCredentialExchangeRecord,
  DidCommCredentialProblemReportReason,
  DidCommCredentialRole,
  DidCommCredentialState,
  DidCommCredentialV2Protocol,
  type DidCommInboundMessageContext,
  DidCommJsonLdCredentialFormatService,
  type DidCommRequestCredentialV2Message,
  V2CredentialProblemReportError,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { isObject } from '../json.ts'
import { MAX_IDENTIFIER } from './identifiers.ts'

const NOT_OFFERED = 'the request is not for what was offered'

type AcceptRequest = Parameters<DidCommJsonLdCredentialFormatService['acceptRequest']>

/** Signs the offer; Credo signs the request. */
class JsonLdFormat extends DidCommJsonLdCredentialFormatService {
  /** A request that a validator refuses is one that differs from the offer, and no offer is like that. */
  override async processRequest(): Promise<void> {}

  /** What waits for an answer is as it was offered. */
  override async shouldAutoRespondToRequest(): Promise<boolean> {
    return true
  }

  override async acceptRequest(...[agentContext, options]: AcceptRequest) {
    const detail = toSign(options.offerAttachment, options.requestAttachment)
    if (detail === undefined) throw new CredoError(NOT_OFFERED)
    const requestAttachment = new DidCommAttachment({ data: { base64: JsonEncoder.toBase64(detail) } })
    return super.acceptRequest(agentContext, { ...options, requestAttachment })
  }
}

const toSign = (offer: DidCommAttachment | undefined, request: DidCommAttachment): CredentialDetail | undefined =>
  detailToSign(offer?.getDataAsJson(), request.getDataAsJson())

type Formats = [JsonLdFormat, AnonCredsDidCommCredentialFormatService, LegacyIndyDidCommCredentialFormatService]

export class CredentialProtocol extends DidCommCredentialV2Protocol<Formats> {
  constructor() {
    super({
      credentialFormats: [
        new JsonLdFormat(),
        new AnonCredsDidCommCredentialFormatService(),
        new LegacyIndyDidCommCredentialFormatService(),
      ],
    })
  }

  /**
   * Abandons an exchange whose request is for something else, in every mode of acceptance, and refuses a request that answers no offer: it
   * could never be accepted. Throws a problem report in both cases.
   */
  override async processRequest(messageContext: DidCommInboundMessageContext<DidCommRequestCredentialV2Message>) {
    const { agentContext, message } = messageContext
    const thread = { threadId: message.threadId, role: DidCommCredentialRole.Issuer }
    if ((await this.findByProperties(agentContext, thread)) === null)
      throw refusal('nothing was offered on this thread')
    const record = await super.processRequest(messageContext)
    if (await this.#asOffered(agentContext, record)) return record
    record.errorMessage = NOT_OFFERED
    await this.updateState(agentContext, record, DidCommCredentialState.Abandoned)
    throw refusal(NOT_OFFERED)
  }

  /** Whatever `autoAcceptCredential` says: what is offered is for the tenant to say, not for a wallet. */
  override async shouldAutoRespondToProposal(): Promise<boolean> {
    return false
  }

  async #asOffered(agentContext: AgentContext, { id }: DidCommCredentialExchangeRecord): Promise<boolean> {
    try {
      const { offer, request } = await this.getFormatData(agentContext, id)
      if (offer?.jsonld !== undefined) return detailToSign(offer.jsonld, request?.jsonld) !== undefined
      const offered = offer?.anoncreds ?? offer?.indy
      const requested = request?.anoncreds ?? request?.indy
      // Credo signs by the definition that the request names.
      return offered?.cred_def_id !== undefined && offered.cred_def_id === requested?.cred_def_id
    } catch (error) {
      // An attachment that is no JSON, or has no data.
      if (error instanceof SyntaxError || error instanceof CredoError) return false
      throw error
    }
  }
}

const refusal = (message: string): V2CredentialProblemReportError =>
  new V2CredentialProblemReportError(message, { problemCode: DidCommCredentialProblemReportReason.IssuanceAbandoned })

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
