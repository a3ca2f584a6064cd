/** Has the functions of this process held to their roles, as IAM would: every client of AWS that they use is watched. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RoleGuard } from '../roles/guard.ts'
import { roleCheck } from '../roles/role-check.ts'
import type { Start } from './function-messages.ts'

export const guardFunctions = async ({ folder, resources }: Start): Promise<RoleGuard> => {
  const guard = new RoleGuard(resources, roleCheck())
  /** The same modules as the functions load. */
  const load = (module: string) => import(pathToFileURL(join(folder, 'lib', module)).href)
  const { dynamodb } = await load('store/client.ts')
  guard.watch(dynamodb(), 'dynamodb')
  const { sqs, sqsOnce } = await load('outbox/queues.ts')
  for (const client of [sqs(), sqsOnce()]) guard.watch(client, 'sqs')
  // Functions load it late, where there is a KMS at all.
  if (process.env.KMS_KEY_ID !== undefined) {
    const { kms } = await load('store/kms-client.ts')
    guard.watch(kms(), 'kms')
  }
  return guard
}
