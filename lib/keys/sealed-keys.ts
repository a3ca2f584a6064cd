/** Private keys of tenants in the running unit of work: new ones are sealed and committed with its other writes. */
import { AgentError } from '../errors.ts'
import { ensureDataKey, seal } from '../store/data-keys.ts'
import { currentUnit } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type KeyPurpose, keyAddress, keyItem } from './key-item.ts'
import type { PrivateJwk } from './key-pair.ts'
import { type CachedKey, StoredKeys, storedKeys, type UnsealedKey } from './stored-keys.ts'

/** A key that the running unit of work has created. */
interface CreatedKey {
  tenant: string
  keyId: string
  sealed: Uint8Array
  known: CachedKey
  expiresAt?: number
}

export class SealedKeys {
  readonly #stored: StoredKeys

  constructor(stored = new StoredKeys()) {
    this.#stored = stored
  }

  /** The private key; `null` if the tenant has none with this id. */
  async get(tenant: string, keyId: string): Promise<PrivateJwk | null> {
    return (await this.first(tenant, [keyId]))?.jwk ?? null
  }

  /** What a key was created for; undefined if the tenant has no such key. */
  async purposeOf(tenant: string, keyId: string): Promise<KeyPurpose | undefined> {
    return (await this.first(tenant, [keyId]))?.purpose
  }

  /**
   * The first of these keys that the tenant has; `null` if it has none. If none is in memory, all are read in one
   * request. If a key cannot be unsealed, the unit does not commit.
   */
  async first(tenant: string, keyIds: readonly string[]): Promise<UnsealedKey | null> {
    const changed = this.#changedKeys()
    const candidates = keyIds.filter((keyId) => changed.get(keyAddress(tenant, keyId).pk) !== null)
    for (const keyId of candidates) {
      const known = changed.get(keyAddress(tenant, keyId).pk) ?? this.#stored.cached(tenant, keyId)
      if (known) return { keyId, ...known }
    }
    return (await currentUnit().runRead(() => this.#stored.read(tenant, candidates))) ?? null
  }

  /**
   * Stores a new key. Existing keys are never replaced: throws `key.exists`, or `store.conflict` if another process
   * created it concurrently.
   */
  async insert(tenant: string, keyId: string, jwk: PrivateJwk): Promise<void> {
    const { pk } = keyAddress(tenant, keyId)
    if (this.#changedKeys().get(pk)) throw keyExistsError()
    const unit = currentUnit()
    const sealed = seal(Buffer.from(JSON.stringify(jwk)), await ensureDataKey(unit, tenant), pk)
    const created: CreatedKey = { tenant, keyId, sealed, known: { jwk, purpose: {} } }
    const keys = this.#createdKeys()
    // Encoded once: purposes and the expiry are added until then.
    unit.beforeCommit(() => {
      if (keys.get(pk) === created) create(unit, created)
    })
    unit.afterCommit(() => this.#stored.cache(tenant, keyId, created.known))
    this.#changedKeys().set(pk, created.known)
    keys.set(pk, created)
  }

  /**
   * Adds to what a key was created for. Returns false, and changes nothing, unless the running unit of work has created
   * the key, and for nothing of this kind.
   */
  addPurpose(tenant: string, keyId: string, added: KeyPurpose): boolean {
    const created = this.#createdKeys().get(keyAddress(tenant, keyId).pk)
    if (created === undefined) return false
    const { purpose } = created.known
    if (Object.keys(added).some((name) => name in purpose)) return false
    Object.assign(purpose, added)
    return true
  }

  /** Sets the expiry of all keys that the running unit of work has created (epoch seconds). Returns their ids. */
  expireNew(expiresAt: number): string[] {
    return [...this.#createdKeys().values()].map((created) => Object.assign(created, { expiresAt }).keyId)
  }

  /** Removes the expiry of a stored key. */
  removeExpiry(tenant: string, keyId: string): void {
    currentUnit().change(keyAddress(tenant, keyId), { remove: ['expiresAt'] }, { present: ['sealed'] })
  }

  /** Deletes a key. Returns whether there was one. */
  async delete(tenant: string, keyId: string): Promise<boolean> {
    const address = keyAddress(tenant, keyId)
    if ((await this.get(tenant, keyId)) === null) return false
    if (!this.#createdKeys().delete(address.pk)) currentUnit().delete(address)
    currentUnit().afterCommit(() => this.#stored.forget(tenant, keyId))
    this.#changedKeys().set(address.pk, null)
    return true
  }

  /**
   * Keys that the running unit has created, and `null` for deleted ones. Only this unit sees them before the commit.
   */
  #changedKeys(): Map<string, CachedKey | null> {
    return currentUnit().moduleState(this, () => new Map<string, CachedKey | null>())
  }

  /** Keys that the running unit will write, by partition key. */
  #createdKeys(): Map<string, CreatedKey> {
    return currentUnit().moduleState(CREATED, () => new Map())
  }
}

const CREATED = Symbol('created keys')

/** Adds the item of a key to the unit. */
const create = (unit: UnitOfWork, { known: { purpose }, ...key }: CreatedKey): void =>
  unit.create(
    keyItem.encode({ ...key, ...(Object.keys(purpose).length > 0 && { purpose }) }),
    // The operation is retried, and finds the key if it looks for it.
    () => new AgentError('store.conflict', 'the key was created at the same time', { cause: keyExistsError() }),
  )

const keyExistsError = () => new AgentError('key.exists', 'there is a key with this id')

/** The keys of the process's tenants. */
export const sealedKeys = new SealedKeys(storedKeys)
