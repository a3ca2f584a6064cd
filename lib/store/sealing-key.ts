/** Looks after the key under which data keys are sealed: with it go the private keys of all tenants. */
import { measure } from '../metrics.ts'
import { settings } from '../settings.ts'

/**
 * Tells of a key that is disabled or scheduled for deletion, which processes notice late: they remember data keys.
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
  measure('error', 'the key that seals can not be used', fields, { values: { SealingKeyUnusable: 1 } })
}
