/**
 * What a function may do, as `uses` of its block in serverless.yml says: names of groups.ts, or rights of its own: an
 * action, and the keys (keys.ts), queues, indexes or scopes of data keys that it is for.
 * `uses: [sending, put basic-message, send JobQueue]`
 */
import { ACTIONS, type Right, TABLE_ACTIONS } from '../roles/statements.ts'
import { GROUPS } from './groups.ts'
import { KEYS } from './keys.ts'

/** What a function is bundled with, which is not a right. */
const BUNDLED = ['anoncreds', 'registries'] as const

const ownValue = <T extends object>(values: T, name: string): T[keyof T] | undefined =>
  Object.hasOwn(values, name) ? values[name as keyof T] : undefined

/** The rights of one entry. Throws where it names nothing that there is. */
export const rightsOf = (entry: string): Right[] => {
  if (BUNDLED.some((name) => name === entry)) return []
  const group = ownValue(GROUPS, entry)
  if (group !== undefined) return group.flatMap(rightsOf)
  const [action = '', ...names] = entry.split(' ')
  if (!ACTIONS.includes(action) || names.length === 0)
    throw new Error(`"${entry}" is neither a group of rights nor a right`)
  return [{ action, names: action in TABLE_ACTIONS ? names.flatMap(patternsOf) : names }]
}

/** All rights of a function. Whoever uses the table reads the version of its layout first (lib/store/layout.ts). */
export const allRightsOf = (uses: readonly string[]): Right[] => {
  const rights = uses.flatMap(rightsOf)
  return rights.some(({ action }) => action in TABLE_ACTIONS) ? [...rights, ...rightsOf('get layout')] : rights
}

const patternsOf = (name: string): readonly string[] => {
  const patterns = ownValue(KEYS, name)
  if (patterns === undefined) throw new Error(`"${name}" is not a key of infra/access/keys.ts`)
  return patterns
}

/** The names of the queues' URLs in the environment of those that may send to them, or count what is there. */
const QUEUE_URLS: Readonly<Record<string, string>> = {
  WakeUpQueue: 'WAKE_UP_QUEUE_URL',
  SlowWakeUpQueue: 'SLOW_WAKE_UP_QUEUE_URL',
  TimerQueue: 'TIMER_QUEUE_URL',
  JobQueue: 'JOB_QUEUE_URL',
  WakeUpDeadLetterQueue: 'WAKE_UP_DEAD_LETTER_QUEUE_URL',
  TimerDeadLetterQueue: 'TIMER_DEAD_LETTER_QUEUE_URL',
  JobDeadLetterQueue: 'JOB_DEAD_LETTER_QUEUE_URL',
  DispatchFailures: 'DISPATCH_FAILURES_URL',
}

/**
 * The environment that follows: where the queues are, and where the binding of AnonCreds looks for the library in the
 * function's zip.
 */
export const environmentOf = (uses: readonly string[]): Record<string, unknown> => {
  const queues = new Set(
    uses.flatMap(rightsOf).flatMap(({ action, names }) => (action === 'send' || action === 'count' ? names : [])),
  )
  return {
    ...Object.fromEntries([...queues].map((queue) => [QUEUE_URLS[queue], { Ref: queue }])),
    ...(uses.includes('anoncreds') && { LIB_ANONCREDS_PATH: '/var/task' }),
  }
}
