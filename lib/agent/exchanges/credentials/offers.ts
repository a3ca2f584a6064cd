/** Offers of credentials (Aries RFC 0453 and 0036), to a connection or in an invitation. */

import {
  type DidCommCredentialExchangeRecord,
  DidCommCredentialExchangeRepository,
  type DidCommMessage,
  DidCommMessageRepository,
  DidCommMessageRole,
} from '@credo-ts/didcomm'
import type * as v from 'valibot'
import type { CreateOffer, CreateOfferOob, CredentialFormats } from '../../../interface/credential-offer.ts'
import { defined } from '../../../json.ts'
import { toCredentialExchangeJson } from '../../../records/credential-json.ts'
import type { RecordJson } from '../../../records/record-json.ts'
import { currentAgent, type TenantAgent } from '../../credo/index.ts'
import { toAnonCredsFormats } from '../../formats/anoncreds/index.ts'
import { toJsonLdFormat } from '../../formats/json-ld/index.ts'
import { inviteWith } from '../../invitations/index.ts'
import { beginExchange } from '../index.ts'
import { messageOptions } from './steps.ts'

export type OfferedFormats = v.InferOutput<typeof CredentialFormats>

type ConnectionOffer = v.InferOutput<typeof CreateOffer.body>
type OutOfBandOffer = v.InferOutput<typeof CreateOfferOob.body>

/**
 * Offers a credential on a connection in the running unit of work. Returns the exchange record (`offer-sent`). Throws
 * `resource.not_found`, `connection.not_ready`, and `request.invalid` if the issuer or the credential definition is not
 * this agent's, or if the credential cannot be issued.
 */
export const offerCredential = (offer: ConnectionOffer): Promise<RecordJson> =>
  beginExchange(offer.connectionId, toCredentialExchangeJson, async (agent) => {
    const options = await toCreateOptions(agent, offer)
    return agent.didcomm.credentials.offerCredential({ ...options, connectionId: offer.connectionId })
  })

/**
 * Creates an offer and the single-use invitation that carries it, in the running unit of work. Throws
 * `resource.not_found` (tenant), and `request.invalid` as `offerCredential`.
 */
export const offerCredentialOutOfBand = async (offer: OutOfBandOffer) => {
  const agent = await currentAgent()
  const { carried, response } = await inviteWith(agent, offer, async (parentThreadId) => {
    const { message, credentialExchangeRecord } = await agent.didcomm.credentials.createOffer(
      await toCreateOptions(agent, offer),
    )
    await setParentThread(agent, { message, credentialExchangeRecord }, parentThreadId)
    return { message, credentialExchangeRecord }
  })
  const { id, threadId } = carried.credentialExchangeRecord
  return {
    ...response,
    outOfBandRecordId: String(response.outOfBandRecord.id),
    credentialRecordId: id,
    credentialRecordThId: threadId,
    credentialRequestThId: threadId,
  }
}

interface Created {
  message: DidCommMessage
  credentialExchangeRecord: DidCommCredentialExchangeRecord
}

/** Sets the parent thread, for which Credo's offers have no option. */
const setParentThread = async (
  { context }: TenantAgent,
  { message, credentialExchangeRecord }: Created,
  parentThreadId: string,
): Promise<void> => {
  message.setThread({ threadId: message.threadId, parentThreadId })
  credentialExchangeRecord.parentThreadId = parentThreadId
  await context.resolve(DidCommCredentialExchangeRepository).update(context, credentialExchangeRecord)
  await context.resolve(DidCommMessageRepository).saveOrUpdateAgentMessage(context, {
    agentMessage: message,
    role: DidCommMessageRole.Sender,
    associatedRecordId: credentialExchangeRecord.id,
  })
}

type CreateOptions = Parameters<TenantAgent['didcomm']['credentials']['createOffer']>[0]

/**
 * The formats of an offer for Credo. Throws `request.invalid` if the issuer or the definition is not this agent's, or
 * if the credential cannot be issued.
 */
export const toOfferedFormats = async (agent: TenantAgent, { indy, anoncreds, jsonld }: OfferedFormats) => {
  const path = 'credentialFormats'
  return defined({
    ...(await toAnonCredsFormats(agent, { indy, anoncreds }, path)),
    jsonld: jsonld && (await toJsonLdFormat(agent, jsonld, `${path}.jsonld`)),
  })
}

const toCreateOptions = async (agent: TenantAgent, offer: ConnectionOffer | OutOfBandOffer): Promise<CreateOptions> => {
  const { protocolVersion, credentialFormats } = offer
  return {
    protocolVersion,
    // The contract has checked that the formats belong to the version.
    credentialFormats: (await toOfferedFormats(agent, credentialFormats)) as CreateOptions['credentialFormats'],
    ...messageOptions(offer),
  }
}
