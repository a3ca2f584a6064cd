/**
 * Presentations that the running unit of work could not verify, because a registry or this service failed. They are
 * neither accepted nor rejected, but verified again later.
 */
import { errorName, isAgentError } from '../../errors.ts'
import { log } from '../../log.ts'
import { currentUnit } from '../../store/transaction.ts'

const UNVERIFIED = Symbol('presentations that could not be verified')

/** By proof record. */
const unverified = (): Map<string, unknown> => currentUnit().moduleState(UNVERIFIED, () => new Map<string, unknown>())

/** The error that prevented the verification of a record's presentation, if any. */
export const verificationFailureOf = (proofRecordId: string): unknown => unverified().get(proofRecordId)

/**
 * Records an error that does not mean that the presentation is invalid. Throws a store error: nothing can be written,
 * and the sender must repeat the message.
 */
export const recordUnverified = async (proofRecordId: string, error: unknown): Promise<void> => {
  const unit = currentUnit()
  if (unit.failure !== undefined) throw unit.failure
  if (isAgentError(error) && error.code.startsWith('store.')) await unit.runRead(() => Promise.reject(error))
  unverified().set(proofRecordId, error)
  log(isAgentError(error) ? 'warn' : 'error', 'presentation could not be verified', {
    event: 'proof.verification_waits',
    ...{ tenant: unit.tenant, proofRecordId, error: errorName(error) },
  })
}
