/**
 * Presentations that the running unit of work could not verify, because something else than the presentation failed.
 * That says nothing of them: they are neither accepted nor refused.
 */
import { errorName, isAgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { currentUnit } from '../../store/transaction.ts'

const UNVERIFIED = Symbol('presentations that could not be verified')

/** By proof record. */
const unverified = (): Map<string, unknown> => currentUnit().slot(UNVERIFIED, () => new Map<string, unknown>())

/** The error because of which a record's presentation could not be verified, if there was one. */
export const unverifiedBecause = (proofRecordId: string): unknown => unverified().get(proofRecordId)

/**
 * Notes an error, which is no judgement on the presentation. Throws it if it is one of the table: then nothing can be
 * written, and the message has to come again.
 */
export const noteUnverified = async (proofRecordId: string, error: unknown): Promise<void> => {
  const unit = currentUnit()
  if (unit.failure !== undefined) throw unit.failure
  if (isAgentError(error) && error.code.startsWith('store.')) await unit.recordFailure(() => Promise.reject(error))
  unverified().set(proofRecordId, error)
  log(isAgentError(error) ? 'warn' : 'error', 'a presentation could not be verified', {
    event: 'proof.verification_waits',
    ...{ tenant: unit.tenant, proofRecordId, error: errorName(error) },
  })
}
