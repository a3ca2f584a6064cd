/** A reading from AWS: a value or a failure, so that a check can report a failed reading like any other finding. */
import { errorLine, isDenied, isUnauthenticated } from './aws-error.ts'
import { type Finding, findingsOf } from './finding.ts'

interface Failure {
  /** The right is missing, the credentials are not valid, or AWS did not answer as documented. */
  kind: 'denied' | 'unauthenticated' | 'unavailable'
  /** The right that is needed, such as `lambda:GetAccountSettings`. */
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

/** What AWS answers; undefined where it says by this error that there is none. */
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
    ? fault(`the right ${action} is missing: allow it to whoever deploys (${message})`)
    : warning(`${action} could not be asked, so this is not checked (${message})`)

/** The findings of `look` for the value that was read, or one for a failed reading. */
export const ifRead = <T>(
  check: string,
  reading: Reading<T>,
  look: (value: T, findings: FindingsOf) => Finding[],
): Finding[] => {
  const findings = findingsOf(check)
  return 'failure' in reading ? unread(reading.failure, findings) : look(reading.value, findings)
}
