/** Classifies errors of AWS: unavailable, conflict, failed condition, or an internal error. */
import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { AgentError, cancellationReasons, isAgentError, isUnavailable } from '../errors.ts'

/**
 * Not `TransactionInProgressException`: that is our own transaction, whose response was lost and which may be written.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
 */
const CONFLICT = /^TransactionConflictException$/

/** A transaction of which nothing was written. */
export interface Cancellation {
  /** Indexes of the writes whose condition did not hold. */
  failed: number[]
  /** Another transaction was writing one of the items. */
  conflict: boolean
}

const isOf = (error: unknown, name: RegExp): boolean => error instanceof Error && name.test(error.name)

/** Whether a single write was refused by its condition. */
export const isConditionFailure = (error: unknown): boolean => isOf(error, /^ConditionalCheckFailedException$/)

/** The item that failed the condition, if the write asked for it. */
export const foundBy = (error: unknown): Record<string, AttributeValue> | undefined =>
  error instanceof ConditionalCheckFailedException ? error.Item : undefined

/** Whether the SDK had sent the request before, so that the first try may have worked. */
export const isRepeated = (error: unknown): boolean => Object(error).$metadata?.attempts > 1

/** Why a transaction was refused, if its conditions or a conflict are the reason; undefined for any other error. */
export const cancellationOf = (error: unknown): Cancellation | undefined => {
  if (isOf(error, CONFLICT)) return { failed: [], conflict: true }
  const reasons = cancellationReasons(error)
  const failed = reasons.flatMap((reason, index) => (reason === 'ConditionalCheckFailed' ? [index] : []))
  const conflict = reasons.includes('TransactionConflict')
  return failed.length > 0 || conflict ? { failed, conflict } : undefined
}

/**
 * Temporary errors become `store.unavailable`, conflicts of transactions `store.conflict`. Any other error is returned
 * unchanged.
 */
export const translateFault = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  if (isOf(error, CONFLICT)) return conflicting(error)
  return isUnavailable(error)
    ? new AgentError('store.unavailable', 'the table does not answer', { cause: error })
    : error
}

export const conflicting = (cause: unknown): AgentError =>
  new AgentError('store.conflict', 'the item changed at the same time', { cause })

/**
 * AWS errors that nothing in the data causes: missing permissions, a missing table. Any other cancellation is caused by
 * what was to be written.
 */
const NOT_OF_THE_DATA =
  /^(AccessDenied|ExpiredToken|InvalidSignature|MissingAuthenticationToken|ResourceNotFound|UnrecognizedClient|Credentials)/

/**
 * Whether the same may succeed later: after an outage, a conflict or wrong settings. If not, it is a fault of our code
 * or of its data.
 */
export const isRetryable = (error: unknown): boolean => {
  const fault = translateFault(error)
  return isAgentError(fault)
    ? ['store.unavailable', 'store.conflict', 'settings.invalid'].includes(fault.code)
    : isOf(fault, NOT_OF_THE_DATA)
}
