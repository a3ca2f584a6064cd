/**
 * Data keys, one for each scope (an agent or an organization), and sealing with them. On AWS they come from KMS; on the
 * local stage they are derived from SEALING_KEY.
 */
import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import { Bounded } from '../bounded.ts'
import { AgentError, errorName } from '../errors.ts'
import { measure } from '../metrics.ts'
import { settings } from '../settings.ts'
import { defineItem, readItem } from './item.ts'
import { bytes } from './item-fields.ts'
import { dataKeyAddress } from './keys.ts'
import type { Item } from './table.ts'

const KEY_BYTES = 32

export const dataKeyItem = defineItem(
  'data-key',
  ({ scope }: { scope: string }) => dataKeyAddress(scope),
  { sealed: bytes() },
  { tenant: ({ tenant }) => [dataKeyAddress(tenant).pk] },
)

/** Plaintext data keys by scope. They exist only in memory. */
const keyCache = new Bounded<string, Uint8Array>(1_000)

/** Reads in progress, so that a process calls KMS once. */
const pendingReads = new Map<string, Promise<Uint8Array | undefined>>()

/** State of a unit of work: the keys that it creates, by scope. It seals with them before they are committed. */
const CREATED_KEYS = Symbol('data keys')

/**
 * The 32-byte key for unsealing what was sealed for `scope`. Throws `internal` if there is no key, `store.unavailable`
 * if it cannot be read.
 */
export const requireDataKey = async (scope: string): Promise<Uint8Array> => {
  const key = await findDataKey(scope)
  if (key === undefined) throw new AgentError('internal', 'no data key is stored for a sealed value')
  return key
}

/** The same; undefined if nothing was sealed for the scope yet. */
export const findDataKey = async (scope: string): Promise<Uint8Array | undefined> =>
  cachedKey(scope) ?? (await readKey(scope))

/** What creating a key needs of a unit of work. Code that only unseals does not import the class. */
export interface KeyCreation {
  moduleState<T>(key: symbol, init: () => T): T
  runRead<T>(read: () => Promise<T>): Promise<T>
  create(item: Item): void
  afterCommit(then: () => unknown): void
}

/** The 32-byte key for sealing for `scope`. Creates it in the unit of work if there is none. */
export const ensureDataKey = async (unit: KeyCreation, scope: string): Promise<Uint8Array> => {
  const remembered = cachedKey(scope)
  if (remembered !== undefined) return remembered
  const keys = unit.moduleState(CREATED_KEYS, () => new Map<string, Promise<Uint8Array>>())
  const key = keys.get(scope) ?? unit.runRead(async () => (await readKey(scope)) ?? createKey(unit, scope))
  keys.set(scope, key)
  return key
}

const cachedKey = (scope: string): Uint8Array | undefined => {
  const { SEALING_KEY } = settings()
  const remembered = keyCache.get(scope)
  if (remembered !== undefined || SEALING_KEY === undefined) return remembered
  return keyCache.set(scope, deriveKey(Buffer.from(SEALING_KEY, 'base64url'), scope))
}

/** RFC 5869 */
const deriveKey = (key: Uint8Array, scope: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', key, new Uint8Array(), `data key of ${scope}`, KEY_BYTES))

const kmsKeyId = (): string => {
  const { KMS_KEY_ID } = settings()
  if (KMS_KEY_ID === undefined) throw new AgentError('settings.invalid', 'SEALING_KEY or KMS_KEY_ID is needed')
  return KMS_KEY_ID
}

/**
 * The encryption context binds a data key to its scope; CloudTrail shows it.
 * https://docs.aws.amazon.com/kms/latest/developerguide/encrypt_context.html
 */
const contextOf = (scope: string) => ({ KeyId: kmsKeyId(), EncryptionContext: { scope } })

/** Undefined if none is stored. */
const readKey = (scope: string): Promise<Uint8Array | undefined> => {
  const read = pendingReads.get(scope) ?? decryptStored(scope).finally(() => pendingReads.delete(scope))
  pendingReads.set(scope, read)
  return read
}

const decryptStored = async (scope: string): Promise<Uint8Array | undefined> => {
  const context = contextOf(scope)
  const stored = await readItem(dataKeyItem, { scope })
  if (stored === undefined) return undefined
  const { DecryptCommand, kms } = await import('./kms-client.ts')
  try {
    const { Plaintext } = await kms().send(new DecryptCommand({ ...context, CiphertextBlob: stored.sealed }))
    return keyCache.set(scope, copyOf(Plaintext))
  } catch (error) {
    throw toKmsError(error)
  }
}

const createKey = async (unit: KeyCreation, scope: string): Promise<Uint8Array> => {
  const { GenerateDataKeyCommand, kms } = await import('./kms-client.ts')
  try {
    const { Plaintext, CiphertextBlob } = await kms().send(
      new GenerateDataKeyCommand({ ...contextOf(scope), KeySpec: 'AES_256' }),
    )
    const key = copyOf(Plaintext)
    unit.create(dataKeyItem.encode({ scope, sealed: copyOf(CiphertextBlob) }))
    unit.afterCommit(() => keyCache.set(scope, key))
    return key
  } catch (error) {
    throw toKmsError(error)
  }
}

/** Errors of KMS are temporary (a disabled key can be enabled again), except for an invalid ciphertext. */
const toKmsError = (error: unknown): unknown => {
  const name = errorName(error)
  measure('error', 'KMS request failed', { event: 'kms.failed', error: name }, { values: { KmsFaults: 1 } })
  if (name === 'InvalidCiphertextException') return error
  return new AgentError('store.unavailable', 'KMS request failed', { cause: error })
}

/** A copy, because the SDK's bytes are part of a buffer of 64 KiB, which would stay in memory with the key. */
const copyOf = (bytes: Uint8Array | undefined): Uint8Array => {
  if (bytes === undefined) throw new TypeError('a response without bytes')
  return new Uint8Array(bytes)
}

/** NIST SP 800-38D, 8.2.2: a random IV of 96 bits. */
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals with AES-256-GCM. `address`, where the sealed bytes will be stored, is authenticated: they cannot be unsealed
 * elsewhere. Returns IV, tag and ciphertext, in this order.
 */
export const seal = (plaintext: Uint8Array, dataKey: Uint8Array, address: string): Uint8Array => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(dataKey), iv).setAAD(Buffer.from(address))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
}

/** Decrypts the output of `seal`. Throws if the key, the address or the bytes differ. */
export const unseal = (sealed: Uint8Array, dataKey: Uint8Array, address: string): Uint8Array => {
  const decipher = createDecipheriv('aes-256-gcm', createSecretKey(dataKey), sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(Buffer.from(address)).setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()])
}
