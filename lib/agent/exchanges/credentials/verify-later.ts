/**
 * A received credential that cannot be verified yet: its message is stored, and verified by a job
 * (lib/agent/exchanges/credentials/issuance-job.ts) or a call. Until then there is no credential record.
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
import { nextAttemptDelay } from '../index.ts'

type Exchange = DidCommCredentialExchangeRecord

/** Whether a received credential of the exchange waits to be verified. */
export const isVerificationPending = ({ state, metadata }: Pick<Exchange, 'state' | 'metadata'>): boolean =>
  state === DidCommCredentialState.RequestSent && metadata.get(UNVERIFIED) !== null

/** Whether the credential may be verified later, because the error does not mean that it is invalid. */
export const mayVerifyLater = (error: unknown): error is AgentError =>
  error instanceof NotYetIssuedError || isAgentError(error, 'registry.unavailable')

/** Ms until the next attempt at a credential that was received `age` ms ago; undefined after the last attempt. */
export const nextVerification = (error: AgentError, age: number): number | undefined =>
  error instanceof NotYetIssuedError ? error.wait : nextAttemptDelay(age)

/** Stores a message that could not be verified because of `error`, and adds the job. */
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
  await storeReason(agentContext, exchange, error)
  enqueue(unit, { tenant: unit.tenant, type: 'issuance', id: exchange.id }, nextVerification(error, 0))
  log('warn', 'received credential cannot be verified yet', {
    event: 'credential.verification_waits',
    ...{ tenant: unit.tenant, credentialRecordId: exchange.id, error: error.code },
  })
}

/** Stores the reason for waiting in the record. */
export const storeReason = async (
  agentContext: AgentContext,
  exchange: Exchange,
  { message }: AgentError,
): Promise<void> => {
  const reason = shortReason(message)
  if (exchange.metadata.get(UNVERIFIED)?.reason === reason) return
  exchange.metadata.set(UNVERIFIED, { reason })
  await updateExchange(agentContext, exchange)
}
