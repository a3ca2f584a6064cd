/** Holds the functions that run in a test's own process to their roles. */
import { usesOfServiceFile } from '../../../infra/access/service-file.ts'
import { RoleGuard, roleCheck } from '../../../infra/roles/guard.ts'
import type { DeliveryQueues } from './queues.ts'

/** The service's clients must not have sent anything yet. */
export const guardRoles = async (
  table: string,
  { urls, deadUrls }: Pick<DeliveryQueues, 'urls' | 'deadUrls'>,
): Promise<RoleGuard> => {
  const { dynamodb } = await import('../../../lib/store/client.ts')
  const { sqs, sqsOnce } = await import('../../../lib/outbox/queues.ts')
  const resources = {
    [table]: 'Table',
    [urls.wakeUps]: 'WakeUpQueue',
    [urls.slowWakeUps]: 'SlowWakeUpQueue',
    [urls.timers]: 'TimerQueue',
    [urls.jobs]: 'JobQueue',
    'alias/local': 'SealingKey',
    ...Object.fromEntries(Object.entries(deadUrls).map(([id, url]) => [url, id])),
  }
  const guard = new RoleGuard(resources, roleCheck(usesOfServiceFile()))
  guard.watch(dynamodb(), 'dynamodb')
  for (const client of [sqs(), sqsOnce()]) guard.watch(client, 'sqs')
  return guard
}
