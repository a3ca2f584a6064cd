/** The result of reading from AWS: a value or a failure, which a check reports like any other finding. */
import { errorLine, isDenied, isUnauthenticated } from './aws-error.ts'
import { type Finding, findingsOf } from './finding.ts'

interface Failure {
  /** The permission is missing, the credentials are invalid, or AWS did not respond as documented. */
  kind: 'denied' | 'unauthenticated' | 'unavailable'
  /** The required permission, such as `lambda:GetAccountSettings`. */
  action: string
  /** One line. */
  message: string
}

export type Reading<T> = { value: T } | { failure: Failure }

/** Never rejects. */
export const read = async <T>(action: string, ask: () => Promise<T>): Promise<Reading<T>> => {
  try {
    return { value: await ask() }
  } catch (error) {
    const kind = isUnauthenticated(error) ? 'unauthenticated' : isDenied(error) ? 'denied' : 'unavailable'
    return { failure: { kind, action, message: errorLine(error) } }
  }
}

/** The response of AWS; undefined if it is this error, which means that there is no such resource. */
export const orNone = <T>(
  missing: abstract new (...of: never[]) => Error,
  answer: Promise<T>,
): Promise<T | undefined> =>
  answer.catch((error) => {
    if (error instanceof missing) return undefined
    throw error
  })

type FindingsOf = ReturnType<typeof findingsOf>

const unread = ({ kind, action, message }: Failure, { warning, fault }: FindingsOf): Finding[] =>
  kind === 'denied'
    ? fault(`the permission ${action} is missing: allow it to the deploying user or role (${message})`)
    : warning(`${action} failed, so this is not checked (${message})`)

/** The findings of `look` for the value that was read, or one for a failed reading. */
export const ifRead = <T>(
  check: string,
  reading: Reading<T>,
  look: (value: T, findings: FindingsOf) => Finding[],
): Finding[] => {
  const findings = findingsOf(check)
  return 'failure' in reading ? unread(reading.failure, findings) : look(reading.value, findings)
}
