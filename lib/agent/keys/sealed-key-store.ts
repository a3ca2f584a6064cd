/** The key store in the table: keys are sealed, written by the unit of work, and cached in memory after the commit. */
import { type AgentContext, Kms } from '@credo-ts/core'
import * as v from 'valibot'
import { Bounded } from '../../bounded.ts'
import { AgentError } from '../../errors.ts'
import { ensureDataKey, open, openDataKey, seal } from '../../store/data-keys.ts'
import type { Stored } from '../../store/item.ts'
import { type Address, keyAddress } from '../../store/keys.ts'
import { getItems } from '../../store/table.ts'
import { currentUnit } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { tenantOf } from '../credo/index.ts'
import { type KeyPurpose, keyItem, PrivateJwk } from './key-item.ts'

/**
 * A store of private keys for key management, separate for each agent context (the tenant). Its interface has plain
 * JWKs; sealing them is left to the implementation.
 */
export interface KeyStore {
  /** The private key, or `null` if this agent has none with that id. */
  get(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate | null>
  /**
   * Stores a new key. Existing keys are never replaced: throws `KeyManagementKeyExistsError`, or `store.conflict` if
   * another process created it concurrently.
   */
  insert(agentContext: AgentContext, keyId: string, jwk: Kms.KmsJwkPrivate): Promise<void>
  /** Deletes a key. Returns whether there was one. */
  delete(agentContext: AgentContext, keyId: string): Promise<boolean>
}

/** Maximum number of keys in memory. */
const MAX_REMEMBERED = 5_000

/** A key in memory. */
interface KnownKey {
  jwk: Kms.KmsJwkPrivate
  purpose: KeyPurpose
}

interface OpenedKey extends KnownKey {
  keyId: string
}

/** A key that the running unit of work has created. */
interface CreatedKey {
  tenant: string
  keyId: string
  sealed: Uint8Array
  known: KnownKey
  expiresAt?: number
}

interface KeyAddress {
  keyId: string
  address: Address
}

export class SealedKeyStore implements KeyStore {
  readonly #committed = new Bounded<string, KnownKey>(MAX_REMEMBERED)

  async get(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate | null> {
    return (await this.first(agentContext, [keyId]))?.jwk ?? null
  }

  /** What a key was created for; undefined if the agent has no such key. */
  async purposeOf(agentContext: AgentContext, keyId: string): Promise<KeyPurpose | undefined> {
    return (await this.first(agentContext, [keyId]))?.purpose
  }

  /**
   * The first of these keys that the agent has; `null` if it has none. Without one in memory, all are read in one
   * request.
   */
  async first(agentContext: AgentContext, keyIds: readonly string[]): Promise<OpenedKey | null> {
    const tenant = tenantOf(agentContext)
    const changed = this.#changedKeys()
    const keys = keyIds
      .map((keyId) => ({ keyId, address: keyAddress(tenant, keyId) }))
      .filter(({ address }) => changed.get(address.pk) !== null)
    for (const { keyId, address } of keys) {
      const known = changed.get(address.pk) ?? this.#committed.get(address.pk)
      if (known) return { keyId, ...known }
    }
    return this.#read(tenant, keys)
  }

  async insert(agentContext: AgentContext, keyId: string, jwk: Kms.KmsJwkPrivate): Promise<void> {
    const tenant = tenantOf(agentContext)
    const { pk } = keyAddress(tenant, keyId)
    if (this.#changedKeys().get(pk)) throw existing(keyId)
    const unit = currentUnit()
    const sealed = seal(Buffer.from(JSON.stringify(jwk)), await ensureDataKey(unit, tenant), pk)
    const created: CreatedKey = { tenant, keyId, sealed, known: { jwk, purpose: {} } }
    const keys = this.#createdKeys()
    // Encoded once: purposes and the expiry are added until then.
    unit.beforeCommit(() => {
      if (keys.get(pk) === created) create(unit, created)
    })
    unit.afterCommit(() => this.#committed.set(pk, created.known))
    this.#changedKeys().set(pk, created.known)
    keys.set(pk, created)
  }

  /**
   * Adds to what a key was created for. Returns false, and changes nothing, unless the running unit of work has created
   * the key, and for nothing of this kind.
   */
  addPurpose(agentContext: AgentContext, keyId: string, added: KeyPurpose): boolean {
    const created = this.#createdKeys().get(keyAddress(tenantOf(agentContext), keyId).pk)
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
  removeExpiry(agentContext: AgentContext, keyId: string): void {
    const address = keyAddress(tenantOf(agentContext), keyId)
    currentUnit().change(address, { remove: ['expiresAt'] }, { present: ['sealed'] })
  }

  async delete(agentContext: AgentContext, keyId: string): Promise<boolean> {
    const address = keyAddress(tenantOf(agentContext), keyId)
    if ((await this.get(agentContext, keyId)) === null) return false
    if (!this.#createdKeys().delete(address.pk)) currentUnit().delete(address)
    currentUnit().afterCommit(() => this.#committed.delete(address.pk))
    this.#changedKeys().set(address.pk, null)
    return true
  }

  /**
   * Reads the first of these keys that is stored. If a key can't be opened, that is our error, not an answer: the unit
   * must not commit what follows.
   */
  #read(tenant: string, keys: readonly KeyAddress[]): Promise<OpenedKey | null> {
    return currentUnit().recordFailure(async () => {
      const stored = (await getItems(keys.map(({ address }) => address))).map(keyItem.decode)
      for (const { keyId, address } of keys) {
        const item = stored.find(({ pk }) => pk === address.pk)
        if (item !== undefined) return { keyId, ...(await this.#open(tenant, item)) }
      }
      return null
    })
  }

  async #open(tenant: string, { pk, sealed, purpose = {} }: Stored<typeof keyItem>): Promise<KnownKey> {
    const jwk = open(sealed, await openDataKey(tenant), pk)
    return this.#committed.set(pk, { jwk: v.parse(PrivateJwk, JSON.parse(Buffer.from(jwk).toString())), purpose })
  }

  /**
   * Keys that the running unit has created, and `null` for those that it has deleted: not visible to others before the
   * commit.
   */
  #changedKeys(): Map<string, KnownKey | null> {
    return currentUnit().slot(this, () => new Map<string, KnownKey | null>())
  }

  /** Keys that the running unit has created and will write, by their partitions. */
  #createdKeys(): Map<string, CreatedKey> {
    return currentUnit().slot(CREATED, () => new Map())
  }
}

const CREATED = Symbol('created keys')

/** Adds the item of a key to the unit. */
const create = (unit: UnitOfWork, { known: { purpose }, ...key }: CreatedKey): void =>
  unit.create(keyItem.encode({ ...key, ...(Object.keys(purpose).length > 0 && { purpose }) }), () => {
    // The operation is repeated, and then finds the key if it looks for it.
    const cause = existing(key.keyId)
    return new AgentError('store.conflict', 'the key was created at the same time', { cause })
  })

const existing = (keyId: string) => new Kms.KeyManagementKeyExistsError(keyId, 'serverless-agent')

/** The keys of the process's agents. */
export const sealedKeys = new SealedKeyStore()
