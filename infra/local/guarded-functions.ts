/** Holds the functions of this process to their roles, as IAM would: watches every client of AWS that they use. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RoleGuard, roleCheck } from '../roles/guard.ts'
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
