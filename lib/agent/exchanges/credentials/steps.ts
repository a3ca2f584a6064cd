/** Steps of a credential exchange that API calls take (issue-credential, Aries RFC 0036 and 0453). */

import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommAutoAcceptCredential,
  type DidCommCredentialExchangeRecord,
  DidCommCredentialExchangeRepository,
  DidCommCredentialState,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import type * as v from 'valibot'
import { invalidField } from '../../../errors.ts'
import type {
  OfferAcceptance as OfferAcceptanceBody,
  OfferDecline,
  RequestAcceptance,
} from '../../../interface/credential-acceptance.ts'
import { defined } from '../../../json.ts'
import { toCredentialExchangeJson } from '../../../records/credential-json.ts'
import type { RecordJson } from '../../../records/record-json.ts'
import type { TenantAgent } from '../../credo/index.ts'
import { continueExchange, type Expected, type Formats } from '../index.ts'
import { credentialChecksOf } from './protocols.ts'
import { isVerificationPending } from './verify-later.ts'

type Exchange = DidCommCredentialExchangeRecord
type Credentials = TenantAgent['didcomm']['credentials']

type OfferAcceptance = v.InferOutput<typeof OfferAcceptanceBody>

const { OfferReceived, RequestSent, RequestReceived, CredentialReceived } = DidCommCredentialState

/**
 * Continues a credential exchange in the running unit of work, by `act`. Returns the record. Throws the errors of
 * `continueExchange`.
 */
export const continueCredentialExchange = (
  { credentialRecordId }: Pick<OfferAcceptance, 'credentialRecordId'>,
  expected: Expected<Exchange>,
  act: (agent: TenantAgent, exchange: Exchange) => Promise<Exchange>,
  sends?: boolean,
): Promise<RecordJson> => continueExchange(CREDENTIAL_EXCHANGES, credentialRecordId, expected, act, sends)

const CREDENTIAL_EXCHANGES = {
  name: 'credential exchange',
  field: 'credentialRecordId',
  find: (agentContext: AgentContext, id: string) =>
    agentContext.resolve(DidCommCredentialExchangeRepository).findById(agentContext, id),
  toJson: toCredentialExchangeJson,
}

/** The options of any message for Credo. */
export const messageOptions = ({
  autoAcceptCredential,
  comment,
  goalCode,
  goal,
}: Omit<OfferAcceptance, 'credentialFormats' | 'credentialRecordId'>) =>
  defined({ autoAcceptCredential: autoAcceptCredential as DidCommAutoAcceptCredential, comment, goalCode, goal })

/** The options of a step for Credo. */
export const optionsOf = ({ credentialRecordId, ...message }: Omit<OfferAcceptance, 'credentialFormats'>) => ({
  credentialExchangeRecordId: credentialRecordId,
  ...messageOptions(message),
})

/** Throws `request.invalid` for a named format that the other agent's message does not have. */
const assertFormatsIn = (named: object, message: object, reason: string): void => {
  for (const format of Object.keys(named))
    if (!Object.hasOwn(message, format)) throw invalidField(`credentialFormats.${format}`, reason)
}

/** Requests the offered credential, in the given formats or in all offered ones. */
export const acceptOffer = ({ credentialFormats = {}, ...step }: OfferAcceptance) =>
  continueCredentialExchange(step, OfferReceived, async ({ didcomm: { credentials } }, { id }) => {
    const { offer = {} } = await credentials.getFormatData(id)
    assertFormatsIn(credentialFormats, offer, 'is not offered')
    const formats: Formats = defined(credentialFormats)
    return credentials.acceptOffer({ ...optionsOf(step), credentialFormats: formats })
  })

export const declineOffer = ({
  credentialRecordId,
  sendProblemReport,
  problemReportDescription,
}: v.InferOutput<typeof OfferDecline>) =>
  continueCredentialExchange(
    { credentialRecordId },
    OfferReceived,
    ({ didcomm: { credentials } }, { id }) =>
      credentials.declineOffer({
        credentialExchangeRecordId: id,
        sendProblemReport,
        ...defined({ problemReportDescription }),
      }),
    sendProblemReport,
  )

/**
 * Issues the credential that was offered and requested. A request with an invalid proof abandons the exchange, with a
 * problem report on its connection.
 */
export const acceptRequest = ({ credentialFormats = {}, ...step }: v.InferOutput<typeof RequestAcceptance>) =>
  continueCredentialExchange(step, RequestReceived, async ({ didcomm: { credentials } }, exchange) => {
    const { request = {} } = await credentials.getFormatData(exchange.id)
    assertFormatsIn(credentialFormats, request, 'is not requested')
    const formats: Formats = defined(credentialFormats)
    try {
      return await credentials.acceptRequest({ ...optionsOf(step), credentialFormats: formats })
    } catch (error) {
      if (!(error instanceof DidCommProblemReportError)) throw error
      return reportProblem(credentials, exchange, error)
    }
  })

/** Without a connection no problem report is sent, because Credo cannot send one: the exchange is only abandoned. */
export const reportProblem = async (
  credentials: Credentials,
  { id, connectionId }: Exchange,
  { message }: Error,
): Promise<Exchange> => {
  if (connectionId !== undefined)
    await credentials.sendProblemReport({ credentialExchangeRecordId: id, description: message })
  return credentials.getById(id)
}

/**
 * Acknowledges the received credential, which is stored already, or is verified and stored now. A credential that does
 * not match the offer abandons the exchange, with a problem report on its connection. Throws `registry.unavailable`,
 * and a NotYetIssuedError.
 */
export const acknowledgeCredential = ({ credentialRecordId }: { credentialRecordId: string }) =>
  continueCredentialExchange(
    { credentialRecordId },
    (exchange) => (isVerificationPending(exchange) ? RequestSent : CredentialReceived),
    async ({ context, didcomm: { credentials } }, exchange) => {
      if (isVerificationPending(exchange)) {
        try {
          await credentialChecksOf(context, exchange).verifyStored(context, exchange)
        } catch (error) {
          if (!(error instanceof DidCommProblemReportError)) throw error
          return reportProblem(credentials, exchange, error)
        }
      }
      return credentials.acceptCredential({ credentialExchangeRecordId: exchange.id })
    },
  )
