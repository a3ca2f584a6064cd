/** Holds the functions that run in a test's own process to their roles. */
import { permissionsOfServiceFile } from '../../../infra/access/service-file.ts'
import { RoleGuard, roleCheck } from '../../../infra/roles/guard.ts'
import type { DeliveryQueues } from './queues.ts'

/**
 * On AWS each function has its own memory. Here they share a process, and a read of one of them must not spare
 * another a read that its role does not allow.
 */
export const rememberApart = async (guard: RoleGuard): Promise<void> => {
  const { Bounded } = await import('../../../lib/bounded.ts')
  const { get, set, delete: forget } = Bounded.prototype
  // A cache deletes by keys that it already has.
  const apart = (key: unknown): string => (`${key}`.startsWith('\0') ? `${key}` : `\0${guard.running} ${key}`)
  Object.assign(Bounded.prototype, {
    get(key: unknown) {
      return get.call(this, apart(key))
    },
    set(key: unknown, value: unknown) {
      return set.call(this, apart(key), value)
    },
    delete(key: unknown) {
      return forget.call(this, apart(key))
    },
  })
}

/** The service's clients must not have sent anything yet. */
export const guardRoles = async (
  table: string,
  { urls, deadUrls }: Pick<DeliveryQueues, 'urls' | 'deadUrls'>,
): Promise<RoleGuard> => {
  const { dynamodb } = await import('../../../lib/store/client.ts')
  const { sqs, sqsOnce } = await import('../../../lib/outbox/wake-ups/queues.ts')
  const resources = {
    [table]: 'Table',
    [urls.wakeUps]: 'WakeUpQueue',
    [urls.slowWakeUps]: 'SlowWakeUpQueue',
    [urls.timers]: 'TimerQueue',
    [urls.jobs]: 'JobQueue',
    [urls.removals]: 'RemovalQueue',
    'alias/local': 'SealingKey',
    ...Object.fromEntries(Object.entries(deadUrls).map(([id, url]) => [url, id])),
  }
  const guard = new RoleGuard(resources, roleCheck(permissionsOfServiceFile()))
  guard.watch(dynamodb(), 'dynamodb')
  for (const client of [sqs(), sqsOnce()]) guard.watch(client, 'sqs')
  return guard
}
