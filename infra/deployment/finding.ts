/** The result of a check, and the line of it that an operator reads. */

export interface Finding {
  /** What was checked, in a word or two. */
  check: string
  /** A fault ends a deployment before anything is created; a warning does not. */
  status: 'ok' | 'warning' | 'fault'
  /** What was found; for a warning or a fault also what to do. */
  message: string
}

/** What a check can find: each makes a list of one. */
export const findingsOf = (check: string) => {
  const found =
    (status: Finding['status']) =>
    (message: string): Finding[] => [{ check, status, message }]
  return { ok: found('ok'), warning: found('warning'), fault: found('fault') }
}

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' }

/** `ok      credentials: account 123456789012 as arn:aws:iam::123456789012:user/operator` */
export const toLine = ({ check, status, message }: Finding): string => `${MARKS[status]} ${check}: ${message}`

export const faultsOf = (findings: readonly Finding[]): Finding[] => findings.filter(({ status }) => status === 'fault')

/** The error of a rejected deployment, with a line for each fault; undefined if there are none. */
export const faultsMessage = (findings: readonly Finding[]): string | undefined => {
  const faults = faultsOf(findings)
  return faults.length === 0 ? undefined : faults.map(({ check, message }) => `${check}: ${message}`).join('\n')
}

/** Leaves out repeated messages: some checks run for the settings, and again for the package. */
export const onceEach = (findings: readonly Finding[]): Finding[] =>
  findings.filter(
    ({ status, message }, index) =>
      status === 'ok' ||
      !findings.slice(0, index).some((other) => other.status === status && other.message.endsWith(message)),
  )
