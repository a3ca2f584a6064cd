/**
 * The job that goes on with a credential exchange where another host did not answer: an issuer issues, a holder verifies
 * what it has received. A holder's has the type of an issuer's, because a release that knows only those ends it, and
 * the credential waits for a call.
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
import { isRetryable } from '../../../store/faults.ts'
import { transaction } from '../../../store/transaction.ts'
import { currentAgent, type TenantAgent } from '../../credo/index.ts'
import { tellOther } from '../index.ts'
import { mayAcknowledge } from './checks.ts'
import { credentialChecksOf } from './protocols.ts'
import { acceptRequest, reportProblem } from './steps.ts'
import { isNoJudgement, nextVerification, noteReason, waitsForVerification } from './verify-later.ts'

type Exchange = DidCommCredentialExchangeRecord

/** A call has issued the credential, or deleted the exchange. */
const OVER = ['exchange.out_of_turn', 'resource.not_found']

export const issuanceJob: JobHandler = {
  run: async ({ tenant, id, createdAt }) => {
    try {
      await transaction(tenant, () => goOn(id))
    } catch (error) {
      if (!isAgentError(error) || isRetryable(error)) throw error
      const later = isNoJudgement(error) ? nextVerification(error, Date.now() - Date.parse(createdAt)) : undefined
      if (later !== undefined) return { later, commit: () => noteWaiting(id, error) }
      if (!OVER.includes(error.code))
        log('warn', 'a credential could not be issued, or verified, without a call', {
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

const goOn = async (id: string): Promise<unknown> => {
  const agent = await currentAgent()
  const exchange = await findExchange(agent, id)
  if (exchange?.role !== DidCommCredentialRole.Holder) return acceptRequest({ credentialRecordId: id })
  return waitsForVerification(exchange) && receiveKept(agent, exchange)
}

/** Acknowledges the credential if that takes no call. */
const receiveKept = async (agent: TenantAgent, kept: Exchange): Promise<void> => {
  const { context, didcomm } = agent
  try {
    const exchange = await credentialChecksOf(context, kept).processKept(context, kept)
    if (mayAcknowledge(exchange))
      await tellOther(context, kept, () =>
        didcomm.credentials.acceptCredential({ credentialExchangeRecordId: kept.id }),
      )
  } catch (error) {
    if (!(error instanceof DidCommProblemReportError)) throw error
    await tellOther(context, kept, () => reportProblem(didcomm.credentials, kept, error))
  }
}

/** The reason may be another one than it was. */
const noteWaiting = async (id: string, error: AgentError): Promise<void> => {
  const agent = await currentAgent()
  const exchange = await findExchange(agent, id)
  if (exchange !== null && waitsForVerification(exchange)) await noteReason(agent.context, exchange, error)
}
