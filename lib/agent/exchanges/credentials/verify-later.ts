/**
 * A credential that was received and cannot be verified yet: its message is kept, and verified by a job
 * (lib/agent/exchanges/credentials/issuance-job.ts) or a call. Until then nothing is stored as a credential.
 */
import type { AgentContext } from '@credo-ts/core'
import {
  type DidCommCredentialExchangeRecord,
  DidCommCredentialState,
  type DidCommInboundMessageContext,
  DidCommMessageRepository,
  DidCommMessageRole,
} from '@credo-ts/didcomm'
import { type AgentError, isAgentError, shortReason } from '../../../errors.ts'
import { enqueue } from '../../../jobs/job.ts'
import { log } from '../../../log.ts'
import { UNVERIFIED } from '../../../records/record-json.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { NotYetIssuedError } from '../../formats/index.ts'
import { updateExchange } from '../../threads/index.ts'
import { nextAttempt } from '../index.ts'

type Exchange = DidCommCredentialExchangeRecord

/** Whether a received credential of the exchange waits to be verified. */
export const waitsForVerification = ({ state, metadata }: Pick<Exchange, 'state' | 'metadata'>): boolean =>
  state === DidCommCredentialState.RequestSent && metadata.get(UNVERIFIED) !== null

/** Whether an error is no judgement on a credential: it may be verified later. */
export const isNoJudgement = (error: unknown): error is AgentError =>
  error instanceof NotYetIssuedError || isAgentError(error, 'registry.unavailable')

/** Ms until the next attempt at a credential that came `age` ms ago; undefined when there is none any more. */
export const nextVerification = (error: AgentError, age: number): number | undefined =>
  error instanceof NotYetIssuedError ? error.wait : nextAttempt(age)

/** Keeps a message, which could not be verified because of `error`, and adds the job. */
export const verifyLater = async (
  { agentContext, message }: DidCommInboundMessageContext,
  exchange: Exchange,
  error: AgentError,
): Promise<void> => {
  const unit = currentUnit()
  await agentContext.resolve(DidCommMessageRepository).saveOrUpdateAgentMessage(agentContext, {
    agentMessage: message,
    role: DidCommMessageRole.Receiver,
    associatedRecordId: exchange.id,
  })
  await noteReason(agentContext, exchange, error)
  enqueue(unit, { tenant: unit.tenant, type: 'issuance', id: exchange.id }, nextVerification(error, 0))
  log('warn', 'a received credential cannot be verified yet', {
    event: 'credential.verification_waits',
    ...{ tenant: unit.tenant, credentialRecordId: exchange.id, error: error.code },
  })
}

/** Notes in the record why its credential waits. */
export const noteReason = async (
  agentContext: AgentContext,
  exchange: Exchange,
  { message }: AgentError,
): Promise<void> => {
  const reason = shortReason(message)
  if (exchange.metadata.get(UNVERIFIED)?.reason === reason) return
  exchange.metadata.set(UNVERIFIED, { reason })
  await updateExchange(agentContext, exchange)
}
