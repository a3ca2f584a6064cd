/** Classifies errors of AWS: unavailable, conflict, failed condition, or an internal error. */
import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb'
import { AgentError, cancellationReasons, isAgentError, isUnavailable } from '../errors.ts'

/**
 * Not `TransactionInProgressException`: the SDK retries our own transaction, whose first try may be written.
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

const hasName = (error: unknown, name: RegExp): boolean => error instanceof Error && name.test(error.name)

/** Whether the condition of a single write failed. */
export const isConditionFailure = (error: unknown): boolean => hasName(error, /^ConditionalCheckFailedException$/)

/** The item that failed the condition, if the write requested it. */
export const existingItem = (error: unknown): Record<string, AttributeValue> | undefined =>
  error instanceof ConditionalCheckFailedException ? error.Item : undefined

/** Whether the SDK had sent the request before, so that the first try may have worked. */
export const isRetried = (error: unknown): boolean => Object(error).$metadata?.attempts > 1

/** Why a transaction was cancelled, if conditions or a conflict are the reason; undefined for any other error. */
export const cancellationOf = (error: unknown): Cancellation | undefined => {
  if (hasName(error, CONFLICT)) return { failed: [], conflict: true }
  const reasons = cancellationReasons(error)
  const failed = reasons.flatMap((reason, index) => (reason === 'ConditionalCheckFailed' ? [index] : []))
  const conflict = reasons.includes('TransactionConflict')
  return failed.length > 0 || conflict ? { failed, conflict } : undefined
}

/**
 * Temporary errors become `store.unavailable`, conflicts of transactions `store.conflict`. Any other error is returned
 * unchanged.
 */
export const toStoreError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  if (hasName(error, CONFLICT)) return conflictError(error)
  return isUnavailable(error) ? new AgentError('store.unavailable', 'DynamoDB is unavailable', { cause: error }) : error
}

export const conflictError = (cause: unknown): AgentError =>
  new AgentError('store.conflict', 'the item changed at the same time', { cause })

/** AWS errors of the deployment: missing permissions, a missing table. Others are caused by the data to write. */
const DEPLOYMENT_ERRORS =
  /^(AccessDenied|ExpiredToken|InvalidSignature|MissingAuthenticationToken|ResourceNotFound|UnrecognizedClient|Credentials)/

/**
 * Whether the same request may succeed later: after an outage, a conflict or wrong settings. Otherwise our code or its
 * data are wrong.
 */
export const isRetryable = (error: unknown): boolean => {
  const storeError = toStoreError(error)
  return isAgentError(storeError)
    ? ['store.unavailable', 'store.conflict', 'settings.invalid'].includes(storeError.code)
    : hasName(storeError, DEPLOYMENT_ERRORS)
}
