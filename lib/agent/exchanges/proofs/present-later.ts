/**
 * Requests that no call has to accept, and that can't be answered when they come, because another host does not answer.
 * They are answered later, by the job that verifies presentations: a release that knows only those ends a prover's, and
 * the request waits for a call.
 */
import { isAgentError } from '../../../errors.ts'
import { type Done, enqueue, type Job, type PutOff } from '../../../jobs/job.ts'
import { log } from '../../../log.ts'
import { isRetryable } from '../../../store/faults.ts'
import { currentUnit, transaction } from '../../../store/transaction.ts'
import { nextAttempt } from '../index.ts'
import { acceptProofRequest } from './steps.ts'

/** Adds the job. */
export const presentLater = (proofRecordId: string): void => {
  const unit = currentUnit()
  enqueue(unit, { tenant: unit.tenant, type: 'presentation', id: proofRecordId }, nextAttempt(0))
}

/** A call has answered the request, or deleted the exchange. */
const OVER = ['exchange.out_of_turn', 'resource.not_found']

/** Answers the request of a job. */
export const presentByJob = async ({ tenant, id, createdAt }: Job): Promise<Done | PutOff> => {
  try {
    await transaction(tenant, () =>
      acceptProofRequest(id, { proofFormats: {}, filterByNonRevocationRequirements: true }),
    )
  } catch (error) {
    if (!isAgentError(error) || isRetryable(error)) throw error
    const isUnread = isAgentError(error, 'registry.unavailable')
    const later = isUnread ? nextAttempt(Date.now() - Date.parse(createdAt)) : undefined
    if (later !== undefined) return { later }
    if (!OVER.includes(error.code))
      log('warn', 'a proof request could not be answered without a call', {
        event: 'proof.not_presented',
        ...{ tenant, proofRecordId: id, error: error.code },
      })
  }
  return { commit: async () => undefined }
}
