/** Something that was asked of AWS: what it answered, or why it did not, so that a failed reading is a line like any other. */
import { errorLine, isDenied, isUnauthenticated } from './aws-error.ts'
import { type Finding, fault, warning } from './finding.ts'

interface Failure {
  /** The right to it is missing; nobody is known by the credentials; or AWS did not answer as documented. */
  kind: 'denied' | 'unauthenticated' | 'unavailable'
  /** The right that it needs, as `lambda:GetAccountSettings`. */
  action: string
  /** One line. */
  message: string
}

export type Reading<T> = { value: T } | { failure: Failure }

/** Asks; never rejects. */
export const read = async <T>(action: string, ask: () => Promise<T>): Promise<Reading<T>> => {
  try {
    return { value: await ask() }
  } catch (error) {
    const kind = isUnauthenticated(error) ? 'unauthenticated' : isDenied(error) ? 'denied' : 'unavailable'
    return { failure: { kind, action, message: errorLine(error) } }
  }
}

/** What a check says of a reading that failed. Without credentials one line says so, and the others are left out. */
const unread = (check: string, { kind, action, message }: Failure): Finding[] => {
  if (kind === 'unauthenticated') return []
  if (kind === 'denied')
    return [fault(check, `the right ${action} is missing: allow it to whoever deploys (${message})`)]
  return [warning(check, `${action} could not be asked, so this is not checked (${message})`)]
}

/** What `look` finds in what was read; what is to be said of it where it could not be read. */
export const found = <T>(check: string, reading: Reading<T>, look: (value: T) => Finding[]): Finding[] =>
  'failure' in reading ? unread(check, reading.failure) : look(reading.value)
