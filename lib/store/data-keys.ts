/**
 * Data keys, one for each tenant or organization, and sealing with them. On AWS they come from KMS, on the local stage
 * they are derived from one key.
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

const dataKeyItem = defineItem('data-key', ({ scope }: { scope: string }) => dataKeyAddress(scope), { sealed: bytes() })

/** Plain data keys are only in the memory of the process. */
const known = new Bounded<string, Uint8Array>(1_000)

/** Reads in progress, so that a process calls KMS once. */
const reading = new Map<string, Promise<Uint8Array | undefined>>()

/** Keys that a unit of work has created, by scope: it seals with the key that it commits. */
const MADE = Symbol('data keys')

/**
 * The 32-byte key for opening what was sealed for `scope`. Throws `internal` if there is no key, `store.unavailable` if
 * it can't be read.
 */
export const openDataKey = async (scope: string): Promise<Uint8Array> => {
  const key = await findDataKey(scope)
  if (key === undefined) throw new AgentError('internal', 'the data key of something sealed is not stored')
  return key
}

/** The same; undefined where nothing was sealed yet. */
export const findDataKey = async (scope: string): Promise<Uint8Array | undefined> =>
  inMemory(scope) ?? (await readKey(scope))

/**
 * The part of a unit of work that creating a key needs. Code that only opens secrets does not import the unit of work.
 */
export interface KeyCreation {
  slot<T>(key: symbol, init: () => T): T
  recordFailure<T>(read: () => Promise<T>): Promise<T>
  create(item: Item): void
  afterCommit(then: () => unknown): void
}

/** The 32-byte key for sealing for `scope`. The unit of work creates the key if there is none, and keeps an error. */
export const ensureDataKey = async (unit: KeyCreation, scope: string): Promise<Uint8Array> => {
  const remembered = inMemory(scope)
  if (remembered !== undefined) return remembered
  const keys = unit.slot(MADE, () => new Map<string, Promise<Uint8Array>>())
  const key = keys.get(scope) ?? unit.recordFailure(async () => (await readKey(scope)) ?? makeKey(unit, scope))
  keys.set(scope, key)
  return key
}

const inMemory = (scope: string): Uint8Array | undefined => {
  const { SEALING_KEY } = settings()
  const remembered = known.get(scope)
  if (remembered !== undefined || SEALING_KEY === undefined) return remembered
  return known.set(scope, derived(Buffer.from(SEALING_KEY, 'base64url'), scope))
}

/** RFC 5869 */
const derived = (key: Uint8Array, scope: string): Uint8Array =>
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

/** Undefined where none is stored. */
const readKey = (scope: string): Promise<Uint8Array | undefined> => {
  const read = reading.get(scope) ?? decryptStored(scope).finally(() => reading.delete(scope))
  reading.set(scope, read)
  return read
}

const decryptStored = async (scope: string): Promise<Uint8Array | undefined> => {
  const context = contextOf(scope)
  const stored = await readItem(dataKeyItem, { scope })
  if (stored === undefined) return undefined
  const { DecryptCommand, kms } = await import('./kms-client.ts')
  try {
    const { Plaintext } = await kms().send(new DecryptCommand({ ...context, CiphertextBlob: stored.sealed }))
    return known.set(scope, complete(Plaintext))
  } catch (error) {
    throw failed(error)
  }
}

const makeKey = async (unit: KeyCreation, scope: string): Promise<Uint8Array> => {
  const { GenerateDataKeyCommand, kms } = await import('./kms-client.ts')
  try {
    const { Plaintext, CiphertextBlob } = await kms().send(
      new GenerateDataKeyCommand({ ...contextOf(scope), KeySpec: 'AES_256' }),
    )
    const key = complete(Plaintext)
    unit.create(dataKeyItem.encode({ scope, sealed: complete(CiphertextBlob) }))
    unit.afterCommit(() => known.set(scope, key))
    return key
  } catch (error) {
    throw failed(error)
  }
}

/** What KMS refuses it may allow again, such as a key that was disabled; but other bytes it never opens. */
const failed = (error: unknown): unknown => {
  const name = errorName(error)
  measure('error', 'KMS gave no key', { event: 'kms.failed', error: name }, { values: { KmsFaults: 1 } })
  if (name === 'InvalidCiphertextException') return error
  return new AgentError('store.unavailable', 'KMS gave no key', { cause: error })
}

/** A copy, because the SDK's bytes are part of a buffer of 64 KiB, which would stay in memory with the key. */
const complete = (bytes: Uint8Array | undefined): Uint8Array => {
  if (bytes === undefined) throw new TypeError('a response without bytes')
  return new Uint8Array(bytes)
}

/** NIST SP 800-38D, 8.2.2: a random IV of 96 bits. */
const IV = 12
const TAG = 16

/**
 * Seals with AES-256-GCM. `address`, where the sealed bytes will be stored, is authenticated: they can't be opened
 * elsewhere. Returns IV, tag and ciphertext, in this order.
 */
export const seal = (plaintext: Uint8Array, dataKey: Uint8Array, address: string): Uint8Array => {
  const iv = randomBytes(IV)
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(dataKey), iv).setAAD(Buffer.from(address))
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), ciphertext])
}

/** Opens the output of `seal`. Throws if the key, the address or the bytes differ. */
export const open = (sealed: Uint8Array, dataKey: Uint8Array, address: string): Uint8Array => {
  const decipher = createDecipheriv('aes-256-gcm', createSecretKey(dataKey), sealed.subarray(0, IV), {
    authTagLength: TAG,
  })
  decipher.setAAD(Buffer.from(address)).setAuthTag(sealed.subarray(IV, IV + TAG))
  return Buffer.concat([decipher.update(sealed.subarray(IV + TAG)), decipher.final()])
}
