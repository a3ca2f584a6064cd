/** Reads private keys, which are sealed with their tenant's data key, and caches them unsealed in memory. */
import * as v from 'valibot'
import { Bounded } from '../bounded.ts'
import { requireDataKey, unseal } from '../store/data-keys.ts'
import type { Stored } from '../store/item.ts'
import { getItems } from '../store/table.ts'
import { type KeyPurpose, keyAddress, keyItem } from './key-item.ts'
import { PrivateJwk } from './key-pair.ts'

/** Maximum number of keys in memory. */
const MAX_CACHED = 5_000

/** A key in memory. */
export interface CachedKey {
  jwk: PrivateJwk
  purpose: KeyPurpose
}

export interface UnsealedKey extends CachedKey {
  keyId: string
}

/** Reads keys without a unit of work, for functions that only read. */
export class StoredKeys {
  readonly #cache = new Bounded<string, CachedKey>(MAX_CACHED)

  /** A key from memory; undefined if it is not there. */
  cached(tenant: string, keyId: string): CachedKey | undefined {
    return this.#cache.get(keyAddress(tenant, keyId).pk)
  }

  cache(tenant: string, keyId: string, key: CachedKey): void {
    this.#cache.set(keyAddress(tenant, keyId).pk, key)
  }

  forget(tenant: string, keyId: string): void {
    this.#cache.delete(keyAddress(tenant, keyId).pk)
  }

  /** The private key; undefined if the tenant has none with this id. Throws if it cannot be unsealed. */
  async get(tenant: string, keyId: string): Promise<PrivateJwk | undefined> {
    return (this.cached(tenant, keyId) ?? (await this.read(tenant, [keyId])))?.jwk
  }

  /** The first of these keys that is stored, in one request. Throws if it cannot be unsealed. */
  async read(tenant: string, keyIds: readonly string[]): Promise<UnsealedKey | undefined> {
    const addresses = keyIds.map((keyId) => keyAddress(tenant, keyId))
    const stored = (await getItems(addresses)).map(keyItem.decode)
    for (const [index, { pk }] of addresses.entries()) {
      const item = stored.find((one) => one.pk === pk)
      const keyId = keyIds[index]
      if (item !== undefined && keyId !== undefined) return { keyId, ...(await this.#unseal(tenant, item)) }
    }
    return undefined
  }

  async #unseal(tenant: string, { pk, sealed, purpose = {} }: Stored<typeof keyItem>): Promise<CachedKey> {
    const jwk = unseal(sealed, await requireDataKey(tenant), pk)
    return this.#cache.set(pk, { jwk: v.parse(PrivateJwk, JSON.parse(Buffer.from(jwk).toString())), purpose })
  }
}

/** The keys of the process. */
export const storedKeys = new StoredKeys()
