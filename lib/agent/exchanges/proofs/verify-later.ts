/**
 * A received presentation that could not be verified: it is stored, and verified again by a job
 * (lib/agent/exchanges/proofs/verification-job.ts).
 */
import type { AgentContext } from '@credo-ts/core'
import { type DidCommProofExchangeRecord, DidCommProofState } from '@credo-ts/didcomm'
import { enqueue } from '../../../jobs/job.ts'
import { currentUnit } from '../../../store/transaction.ts'
import { verificationFailureOf } from '../../formats/index.ts'
import { updateExchange } from '../../threads/index.ts'
import { nextAttemptDelay } from '../index.ts'

/** Whether the record's presentation waits to be verified. */
export const isVerificationPending = ({
  state,
  isVerified,
}: Pick<DidCommProofExchangeRecord, 'state' | 'isVerified'>): boolean =>
  state === DidCommProofState.PresentationReceived && isVerified === undefined

/** Removes the result that Credo has set if the received presentation could not be verified, and adds the job. */
export const scheduleIfUnverified = async (
  agentContext: AgentContext,
  proofRecord: DidCommProofExchangeRecord,
): Promise<DidCommProofExchangeRecord> => {
  if (verificationFailureOf(proofRecord.id) === undefined) return proofRecord
  delete proofRecord.isVerified
  const unit = currentUnit()
  enqueue(unit, { tenant: unit.tenant, type: 'presentation', id: proofRecord.id }, nextAttemptDelay(0))
  await updateExchange(agentContext, proofRecord)
  return proofRecord
}
