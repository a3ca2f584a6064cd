/**
 * The job that continues a credential exchange after another host was unavailable: an issuer issues, a holder verifies
 * the received credential. Both have the same job type, so that an older release, which knows only the issuer's job,
 * ends a holder's job; the credential then waits for a call.
 */
import {
  type DidCommCredentialExchangeRecord,
  DidCommCredentialExchangeRepository,
  DidCommCredentialRole,
  DidCommProblemReportError,
} from '@credo-ts/didcomm'
import { type AgentError, isAgentError } from '../../../errors.ts'
import type { JobHandler } from '../../../jobs/job.ts'
import { log } from '../../../log.ts'
import { isRetryable } from '../../../store/aws-errors.ts'
import { transaction } from '../../../store/transaction.ts'
import { currentAgent, type TenantAgent } from '../../credo/index.ts'
import { notifyOtherAgent } from '../index.ts'
import { mayAcknowledge } from './checks.ts'
import { credentialChecksOf } from './protocols.ts'
import { acceptRequest, reportProblem } from './steps.ts'
import { isVerificationPending, mayVerifyLater, nextVerification, storeReason } from './verify-later.ts'

type Exchange = DidCommCredentialExchangeRecord

/** A call has issued the credential, or deleted the exchange. */
const ALREADY_CONTINUED = ['exchange.out_of_turn', 'resource.not_found']

export const issuanceJob: JobHandler = {
  run: async ({ tenant, id, createdAt }) => {
    try {
      await transaction(tenant, () => continueIssuance(id))
    } catch (error) {
      if (!isAgentError(error) || isRetryable(error)) throw error
      const later = mayVerifyLater(error) ? nextVerification(error, Date.now() - Date.parse(createdAt)) : undefined
      if (later !== undefined) return { later, commit: () => updateReason(id, error) }
      if (!ALREADY_CONTINUED.includes(error.code))
        log('warn', 'credential not issued or verified automatically', {
          event: 'credential.not_issued',
          ...{ tenant, credentialRecordId: id, error: error.code },
        })
    }
    return { commit: async () => undefined }
  },
  giveUp: async () => undefined,
}

const findExchange = ({ context }: TenantAgent, id: string): Promise<Exchange | null> =>
  context.resolve(DidCommCredentialExchangeRepository).findById(context, id)

const continueIssuance = async (id: string): Promise<unknown> => {
  const agent = await currentAgent()
  const exchange = await findExchange(agent, id)
  if (exchange?.role !== DidCommCredentialRole.Holder) return acceptRequest({ credentialRecordId: id })
  return isVerificationPending(exchange) && verifyStoredCredential(agent, exchange)
}

/** Verifies the stored credential message, and acknowledges it if that needs no call. */
const verifyStoredCredential = async (agent: TenantAgent, storedExchange: Exchange): Promise<void> => {
  const { context, didcomm } = agent
  try {
    const exchange = await credentialChecksOf(context, storedExchange).verifyStored(context, storedExchange)
    if (mayAcknowledge(exchange))
      await notifyOtherAgent(context, storedExchange, () =>
        didcomm.credentials.acceptCredential({ credentialExchangeRecordId: storedExchange.id }),
      )
  } catch (error) {
    if (!(error instanceof DidCommProblemReportError)) throw error
    await notifyOtherAgent(context, storedExchange, () => reportProblem(didcomm.credentials, storedExchange, error))
  }
}

/** Updates the reason in the record. */
const updateReason = async (id: string, error: AgentError): Promise<void> => {
  const agent = await currentAgent()
  const exchange = await findExchange(agent, id)
  if (exchange !== null && isVerificationPending(exchange)) await storeReason(agent.context, exchange, error)
}
