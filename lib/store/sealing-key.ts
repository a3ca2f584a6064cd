/** Monitors the KMS key that encrypts data keys: without it the private keys of all tenants are lost. */
import { measure } from '../metrics.ts'
import { settings } from '../settings.ts'

/**
 * Reports a key that is disabled or scheduled for deletion. Processes notice that late, because they cache data keys.
 * Throws errors of KMS.
 */
export const checkSealingKey = async (): Promise<void> => {
  const { SEALING_KEY, KMS_KEY_ID: KeyId } = settings()
  if (SEALING_KEY !== undefined || KeyId === undefined) return
  const { DescribeKeyCommand, kms } = await import('./kms-client.ts')
  const { KeyMetadata } = await kms().send(new DescribeKeyCommand({ KeyId }))
  const { KeyState: state, DeletionDate: deletion } = KeyMetadata ?? {}
  if (state === 'Enabled') return
  const fields = { event: 'kms.key_unusable', state, deletion } as const
  measure('error', 'the KMS key is disabled or being deleted', fields, { values: { SealingKeyUnusable: 1 } })
}
