/**
 * Automatically accepted requests that cannot be answered on arrival, because another host is unavailable. A job of the
 * type of verification jobs answers them later: an older release, which knows only those, ends the job, and the request
 * waits for a call.
 */
import { isAgentError } from '../../../errors.ts'
import { type Done, enqueue, type Job, type Postponed } from '../../../jobs/job.ts'
import { log } from '../../../log.ts'
import { isRetryable } from '../../../store/aws-errors.ts'
import { currentUnit, transaction } from '../../../store/transaction.ts'
import { nextAttemptDelay } from '../index.ts'
import { acceptProofRequest } from './steps.ts'

/** Adds the job. */
export const presentLater = (proofRecordId: string): void => {
  const unit = currentUnit()
  enqueue(unit, { tenant: unit.tenant, type: 'presentation', id: proofRecordId }, nextAttemptDelay(0))
}

/** A call has answered the request, or deleted the exchange. */
const ALREADY_CONTINUED = ['exchange.out_of_turn', 'resource.not_found']

/** Answers the request of a job. */
export const presentByJob = async ({ tenant, id, createdAt }: Job): Promise<Done | Postponed> => {
  try {
    await transaction(tenant, () =>
      acceptProofRequest(id, { proofFormats: {}, filterByNonRevocationRequirements: true }),
    )
  } catch (error) {
    if (!isAgentError(error) || isRetryable(error)) throw error
    const isUnread = isAgentError(error, 'registry.unavailable')
    const later = isUnread ? nextAttemptDelay(Date.now() - Date.parse(createdAt)) : undefined
    if (later !== undefined) return { later }
    if (!ALREADY_CONTINUED.includes(error.code))
      log('warn', 'proof request not answered automatically', {
        event: 'proof.not_presented',
        ...{ tenant, proofRecordId: id, error: error.code },
      })
  }
  return { commit: async () => undefined }
}
