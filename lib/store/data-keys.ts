/** The data key of a scope (a tenant or an organization): from KMS on AWS, derived from one key on the local stage. */
import { hkdfSync } from 'node:crypto'
import { Bounded } from '../bounded.ts'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import { dataKeyAddress } from './address.ts'
import { getItem, toKey, translateFault } from './table.ts'
import { currentUnit } from './transaction.ts'
import type { UnitOfWork } from './unit-of-work.ts'

const KEY_BYTES = 32

/** Data keys in the clear live in the memory of the process only. */
const known = new Bounded<string, Uint8Array>(1_000)

/** The data keys of a unit: all that it seals for a scope is sealed with the one that it commits. */
const made = new WeakMap<UnitOfWork, Map<string, Promise<Uint8Array>>>()

/** The 32 bytes that seal what belongs to `scope`. Makes them, in the running unit of work, where there are none yet. */
export const dataKey = async (scope: string): Promise<Uint8Array> => {
  const { SEALING_KEY, KMS_KEY_ID } = settings()
  const remembered = known.get(scope)
  if (remembered !== undefined) return remembered
  if (SEALING_KEY !== undefined) return known.set(scope, derived(Buffer.from(SEALING_KEY, 'base64url'), scope))
  if (KMS_KEY_ID === undefined) throw new AgentError('settings.invalid', 'SEALING_KEY or KMS_KEY_ID is needed')
  return onceAUnit(scope, () => fromKms(KMS_KEY_ID, scope))
}

const onceAUnit = (scope: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> => {
  const unit = currentUnit()
  const keys = made.get(unit) ?? new Map<string, Promise<Uint8Array>>()
  made.set(unit, keys)
  const key = keys.get(scope) ?? read()
  keys.set(scope, key)
  return key
}

/** RFC 5869 */
const derived = (key: Uint8Array, scope: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, new Uint8Array(), `data key of ${scope}`, KEY_BYTES))

/**
 * The encryption context binds a data key to its scope; CloudTrail shows it.
 * https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html
 */
const fromKms = async (KeyId: string, scope: string): Promise<Uint8Array> => {
  const { DecryptCommand, GenerateDataKeyCommand, kms } = await import('./kms-client.ts')
  const EncryptionContext = { scope }
  const address = dataKeyAddress(scope)
  const stored = await getItem(address)
  try {
    if (stored?.sealed?.B !== undefined) {
      const { Plaintext } = await kms().send(
        new DecryptCommand({ KeyId, CiphertextBlob: stored.sealed.B, EncryptionContext }),
      )
      return known.set(scope, complete(Plaintext))
    }
    const { Plaintext, CiphertextBlob } = await kms().send(
      new GenerateDataKeyCommand({ KeyId, KeySpec: 'AES_256', EncryptionContext }),
    )
    const key = complete(Plaintext)
    currentUnit().create({ ...toKey(address), kind: { S: 'data-key' }, sealed: { B: complete(CiphertextBlob) } })
    currentUnit().afterCommit(() => known.set(scope, key))
    return key
  } catch (error) {
    throw translateFault(error)
  }
}

const complete = (bytes: Uint8Array | undefined): Uint8Array => {
  if (bytes === undefined) throw new AgentError('store.unavailable', 'KMS gave no key')
  return bytes
}
