/**
 * What a function may do, by `permissions` of its block in serverless.yml: names of groups.ts, or single permissions:
 * an action, and the keys (keys.ts), queues, indexes or scopes of data keys that it is for.
 * `permissions: [sending, put basic-message, send JobQueue]`
 */
import { ACTIONS, type Permission, TABLE_ACTIONS } from '../roles/statements.ts'
import { GROUPS } from './groups.ts'
import { KEYS } from './keys.ts'

/** What a function is bundled with, which is not a permission. */
const BUNDLED = ['anoncreds', 'registries'] as const

const ownValue = <T extends object>(values: T, name: string): T[keyof T] | undefined =>
  Object.hasOwn(values, name) ? values[name as keyof T] : undefined

/** The permissions of one entry. Throws for an unknown name. */
export const permissionsOf = (entry: string): Permission[] => {
  if (BUNDLED.some((name) => name === entry)) return []
  const group = ownValue(GROUPS, entry)
  if (group !== undefined) return group.flatMap(permissionsOf)
  const [action = '', ...names] = entry.split(' ')
  if (!ACTIONS.includes(action) || names.length === 0)
    throw new Error(`"${entry}" is neither a group of permissions nor a permission`)
  return [{ action, names: action in TABLE_ACTIONS ? names.flatMap(patternsOf) : names }]
}

/** All permissions of a function. One with the table reads the version of its layout first (lib/store/layout.ts). */
export const allPermissionsOf = (entries: readonly string[]): Permission[] => {
  const permissions = entries.flatMap(permissionsOf)
  const usesTable = permissions.some(({ action }) => action in TABLE_ACTIONS)
  return usesTable ? [...permissions, ...permissionsOf('get layout')] : permissions
}

const patternsOf = (name: string): readonly string[] => {
  const patterns = ownValue(KEYS, name)
  if (patterns === undefined) throw new Error(`"${name}" is not a key of infra/access/keys.ts`)
  return patterns
}

/** Environment variables with the URLs of queues, of functions that may send to them or count their messages. */
const QUEUE_URLS: Readonly<Record<string, string>> = {
  WakeUpQueue: 'WAKE_UP_QUEUE_URL',
  SlowWakeUpQueue: 'SLOW_WAKE_UP_QUEUE_URL',
  TimerQueue: 'TIMER_QUEUE_URL',
  JobQueue: 'JOB_QUEUE_URL',
  RemovalQueue: 'REMOVAL_QUEUE_URL',
  WakeUpDeadLetterQueue: 'WAKE_UP_DEAD_LETTER_QUEUE_URL',
  TimerDeadLetterQueue: 'TIMER_DEAD_LETTER_QUEUE_URL',
  JobDeadLetterQueue: 'JOB_DEAD_LETTER_QUEUE_URL',
  DispatchFailures: 'DISPATCH_FAILURES_URL',
}

/**
 * The environment that follows: the queues' URLs, and where the binding of AnonCreds looks for the library in the
 * function's zip.
 */
export const environmentOf = (entries: readonly string[]): Record<string, unknown> => {
  const queues = new Set(
    entries
      .flatMap(permissionsOf)
      .flatMap(({ action, names }) => (action === 'send' || action === 'count' ? names : [])),
  )
  return {
    ...Object.fromEntries([...queues].map((queue) => [QUEUE_URLS[queue], { Ref: queue }])),
    ...(entries.includes('anoncreds') && { LIB_ANONCREDS_PATH: '/var/task' }),
  }
}
