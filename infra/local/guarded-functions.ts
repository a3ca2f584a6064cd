/** Holds the functions of this process to their roles, as IAM would: watches every client of AWS that they use. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RoleGuard, roleCheck } from '../roles/guard.ts'
import type { Start } from './function-messages.ts'

export const guardFunctions = async ({ folder, permissions, resources }: Start): Promise<RoleGuard> => {
  const guard = new RoleGuard(resources, roleCheck(permissions))
  /** Loads the same modules as the functions. */
  const load = (module: string) => import(pathToFileURL(join(folder, 'lib', module)).href)
  const { dynamodb } = await load('store/client.ts')
  guard.watch(dynamodb(), 'dynamodb')
  const { sqs, sqsOnce } = await load('outbox/wake-ups/queues.ts')
  for (const client of [sqs(), sqsOnce()]) guard.watch(client, 'sqs')
  // Only with a KMS; functions load it when they need it.
  if (process.env.KMS_KEY_ID !== undefined) {
    const { kms } = await load('store/kms-client.ts')
    guard.watch(kms(), 'kms')
  }
  return guard
}
