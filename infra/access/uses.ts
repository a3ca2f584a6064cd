/**
 * What a function may do, as `uses` of its block in serverless.yml says: names of groups.ts, or rights of its own: an
 * action, and the keys (keys.ts), queues, indexes or scopes of data keys that it is for.
 * `uses: [sending, put basic-message, send JobQueue]`
 */
import type { Access } from '../roles/statements.ts'
import { GROUPS } from './groups.ts'
import { KEYS } from './keys.ts'

const TABLE_ACTIONS = {
  get: 'GetItem',
  query: 'Query',
  put: 'PutItem',
  update: 'UpdateItem',
  delete: 'DeleteItem',
} as const
const OTHER_ACTIONS = {
  send: 'SendMessage',
  count: 'GetQueueAttributes',
  receive: 'ReceiveMessage',
  'query-index': 'QueryIndex',
  describe: 'DescribeKey',
  seal: 'GenerateDataKey',
  open: 'Decrypt',
} as const

/** What a function is bundled with, which is not a right. */
const BUNDLED = ['anoncreds', 'registries'] as const

const ownValue = <T extends object>(values: T, name: string): T[keyof T] | undefined =>
  Object.hasOwn(values, name) ? values[name as keyof T] : undefined

/** The rights of one entry. Throws where it names nothing that there is. */
export const rightsOf = (entry: string): Access[] => {
  if (BUNDLED.some((name) => name === entry)) return []
  const group = ownValue(GROUPS, entry)
  if (group !== undefined) return group.flatMap(rightsOf)
  const [action = '', ...names] = entry.split(' ')
  const other = ownValue(OTHER_ACTIONS, action)
  if (other !== undefined && names.length > 0) return [{ [other]: names }]
  const onTable = ownValue(TABLE_ACTIONS, action)
  if (onTable === undefined || names.length === 0)
    throw new Error(`"${entry}" is neither a group of rights nor a right`)
  return [{ [onTable]: names.flatMap(patternsOf) }]
}

/** All rights of a function. Whoever uses the table reads the version of its layout first (lib/store/layout.ts). */
export const allRightsOf = (uses: readonly string[]): Access[] => {
  const rights = uses.flatMap(rightsOf)
  const usesTable = rights.some((access) => Object.values(TABLE_ACTIONS).some((action) => action in access))
  return usesTable ? [...rights, ...rightsOf('get layout')] : rights
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
  const rights = uses.flatMap(rightsOf)
  const queues = new Set(
    rights.flatMap(({ SendMessage = [], GetQueueAttributes = [] }) => [...SendMessage, ...GetQueueAttributes]),
  )
  return {
    ...Object.fromEntries([...queues].map((queue) => [QUEUE_URLS[queue], { Ref: queue }])),
    ...(uses.includes('anoncreds') && { LIB_ANONCREDS_PATH: '/var/task' }),
  }
}
