/**
 * The checks for each type of message that this agent handles. Before them, the bounds of every message are checked
 * (lib/agent/envelopes/readable-message.ts), its invitation (lib/agent/connections/handshake-middleware.ts) and its
 * thread (lib/agent/inbound/thread-guard.ts).
 */
import { CredoError } from '@credo-ts/core'
import {
  type DidCommInboundMessageContext,
  type DidCommMessageHandlerMiddleware,
  DidCommMessageHandlerRegistry,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { formerDidViolation } from '../connections/index.ts'
import { issuanceReportV1, issuanceReportV2, previewViolation } from '../exchanges/credentials/index.ts'
import { presentationReportV1, proposalViolation } from '../exchanges/proofs/index.ts'
import { answerViolation, questionViolation } from '../messages/index.ts'
import { limitViolation, liveModeViolation } from './pickup.ts'

/**
 * What a failed check does. `reject`: 400, and nothing is written. `report`: a problem report to the connection; without
 * one, 400. `abandon`: the same, and the exchange is abandoned.
 */
type OnFailure = 'reject' | 'report' | 'abandon'

type Check = CheckBeforeHandler | CheckElsewhere

interface CheckBeforeHandler {
  /** The connection is known, if the sender has one. No exchange or handshake is read yet. */
  when: 'before-handler'
  onFailure: Exclude<OnFailure, 'abandon'>
  /** Returns what is wrong with the message. A method, so that a check may expect a type of message. */
  violation(inbound: DidCommInboundMessageContext): string | undefined | Promise<string | undefined>
  error: (violation: string) => Error
}

/** Only documentation: `checkMessage` does not run it. */
interface CheckElsewhere {
  /** Before Credo reads the message, or in its handler, which reads the exchange or the handshake. */
  when: 'before-reading' | 'in-handler'
  onFailure: OnFailure
  /** A path in the repository. */
  where: string
}

type Violation = CheckBeforeHandler['violation']

const rejectIf = (violation: Violation): Check => {
  const error = (message: string) => new CredoError(message)
  return { when: 'before-handler', onFailure: 'reject', violation, error }
}

/** `report`: makes the error with the protocol's problem report; or the code of a problem report without a protocol. */
const reportIf = (violation: Violation, report: string | CheckBeforeHandler['error']): Check => {
  const withCode = (message: string) => new DidCommProblemReportError(message, { problemCode: String(report) })
  const error = typeof report === 'string' ? withCode : report
  return { when: 'before-handler', onFailure: 'report', violation, error }
}

const beforeReading = (where: string): Check => ({ when: 'before-reading', onFailure: 'reject', where })
const inHandler = (onFailure: OnFailure, where: string): Check => ({ when: 'in-handler', onFailure, where })

const CURRENT_DID = rejectIf(formerDidViolation)
const LIMIT = reportIf(limitViolation, 'e.msg.invalid-limit')
const LIVE_MODE = reportIf(liveModeViolation, 'e.m.live-mode-not-supported')
const PREVIEW_V1 = reportIf(previewViolation, issuanceReportV1)
const PREVIEW_V2 = reportIf(previewViolation, issuanceReportV2)
const PROPOSAL_V1 = reportIf(proposalViolation, presentationReportV1)
const BOUNDS = beforeReading('lib/agent/envelopes/readable-message.ts')
const ROTATION = 'lib/agent/connections/did-rotation.ts'
const SENDER_DOCUMENT = 'lib/agent/connections/their-did.ts'
const FORMATS = inHandler('reject', 'lib/agent/formats')
const OFFER_CHECKS = inHandler('abandon', 'lib/agent/exchanges/credentials/checks.ts')
const PRESENTATION_CHECKS = inHandler('abandon', 'lib/agent/exchanges/proofs/checks.ts')

/** By the type that Credo's class of the message has: messages of another minor version are of the same class. */
export const CHECKS: Record<string, readonly Check[]> = {
  'https://didcomm.org/basicmessage/1.0/message': [],

  'https://didcomm.org/connections/1.0/request': [BOUNDS, inHandler('reject', SENDER_DOCUMENT)],
  'https://didcomm.org/connections/1.0/response': [BOUNDS, inHandler('reject', SENDER_DOCUMENT)],
  'https://didcomm.org/didexchange/1.1/request': [BOUNDS, inHandler('report', SENDER_DOCUMENT)],
  'https://didcomm.org/didexchange/1.1/response': [BOUNDS, inHandler('report', SENDER_DOCUMENT)],
  'https://didcomm.org/didexchange/1.1/complete': [],
  'https://didcomm.org/did-rotate/1.0/rotate': [CURRENT_DID, inHandler('report', ROTATION)],
  'https://didcomm.org/did-rotate/1.0/ack': [],
  'https://didcomm.org/did-rotate/1.0/hangup': [inHandler('reject', ROTATION)],
  'https://didcomm.org/notification/1.0/ack': [],
  'https://didcomm.org/trust_ping/1.0/ping': [],
  'https://didcomm.org/trust_ping/1.0/ping_response': [],

  'https://didcomm.org/discover-features/1.0/query': [],
  'https://didcomm.org/discover-features/1.0/disclose': [],
  'https://didcomm.org/discover-features/2.0/queries': [],
  'https://didcomm.org/discover-features/2.0/disclosures': [],

  'https://didcomm.org/issue-credential/1.0/propose-credential': [PREVIEW_V1],
  'https://didcomm.org/issue-credential/1.0/offer-credential': [PREVIEW_V1, FORMATS],
  'https://didcomm.org/issue-credential/1.0/request-credential': [OFFER_CHECKS],
  'https://didcomm.org/issue-credential/1.0/issue-credential': [OFFER_CHECKS],
  'https://didcomm.org/issue-credential/1.0/ack': [],
  'https://didcomm.org/issue-credential/2.0/propose-credential': [PREVIEW_V2, FORMATS],
  'https://didcomm.org/issue-credential/2.0/offer-credential': [PREVIEW_V2, FORMATS],
  'https://didcomm.org/issue-credential/2.0/request-credential': [OFFER_CHECKS],
  'https://didcomm.org/issue-credential/2.0/issue-credential': [OFFER_CHECKS],
  'https://didcomm.org/issue-credential/2.0/ack': [],

  'https://didcomm.org/messagepickup/1.0/batch-pickup': [CURRENT_DID, LIMIT],
  'https://didcomm.org/messagepickup/2.0/status-request': [CURRENT_DID],
  'https://didcomm.org/messagepickup/2.0/delivery-request': [CURRENT_DID, LIMIT],
  'https://didcomm.org/messagepickup/2.0/messages-received': [CURRENT_DID],
  'https://didcomm.org/messagepickup/2.0/live-delivery-change': [CURRENT_DID, LIVE_MODE],

  'https://didcomm.org/out-of-band/1.1/handshake-reuse': [inHandler('reject', 'lib/agent/invitations/invitations.ts')],
  'https://didcomm.org/out-of-band/1.1/handshake-reuse-accepted': [],

  'https://didcomm.org/present-proof/1.0/propose-presentation': [PROPOSAL_V1],
  'https://didcomm.org/present-proof/1.0/request-presentation': [FORMATS],
  'https://didcomm.org/present-proof/1.0/presentation': [PRESENTATION_CHECKS],
  'https://didcomm.org/present-proof/1.0/ack': [],
  'https://didcomm.org/present-proof/2.0/propose-presentation': [FORMATS],
  'https://didcomm.org/present-proof/2.0/request-presentation': [FORMATS],
  'https://didcomm.org/present-proof/2.0/presentation': [PRESENTATION_CHECKS],
  'https://didcomm.org/present-proof/2.0/ack': [],

  'https://didcomm.org/questionanswer/1.0/question': [rejectIf(questionViolation)],
  'https://didcomm.org/questionanswer/1.0/answer': [rejectIf(answerViolation)],

  'https://didcomm.org/revocation_notification/1.0/revoke': [],
  'https://didcomm.org/revocation_notification/2.0/revoke': [],
}

/** Runs the checks of a message's type. Credo calls this before the handlers, as the last middleware. */
export const checkMessage: DidCommMessageHandlerMiddleware = async (inbound, next) => {
  const registry = inbound.agentContext.resolve(DidCommMessageHandlerRegistry)
  // Problem reports are instances of Credo's base class of messages, which has no type.
  const type: { messageTypeUri: string } | undefined = registry.getMessageClassForMessageType(
    inbound.message.type,
  )?.type
  for (const check of (type && CHECKS[type.messageTypeUri]) ?? []) {
    const violation = check.when === 'before-handler' && (await check.violation(inbound))
    if (violation) throw check.error(violation)
  }
  await next()
}
