/** Private keys as they lie in the table, sealed under their tenant's data key; opened, they are cached in memory. */
import * as v from 'valibot'
import { Bounded } from '../bounded.ts'
import { open, openDataKey } from '../store/data-keys.ts'
import type { Stored } from '../store/item.ts'
import { getItems } from '../store/table.ts'
import { type KeyPurpose, keyAddress, keyItem } from './key-item.ts'
import { PrivateJwk } from './key-pair.ts'

/** Maximum number of keys in memory. */
const MAX_REMEMBERED = 5_000

/** A key in memory. */
export interface KnownKey {
  jwk: PrivateJwk
  purpose: KeyPurpose
}

export interface OpenedKey extends KnownKey {
  keyId: string
}

/** Reads keys without a unit of work, for functions that only read. */
export class StoredKeys {
  readonly #known = new Bounded<string, KnownKey>(MAX_REMEMBERED)

  /** A key; undefined if it is not in memory. */
  remembered(tenant: string, keyId: string): KnownKey | undefined {
    return this.#known.get(keyAddress(tenant, keyId).pk)
  }

  remember(tenant: string, keyId: string, key: KnownKey): void {
    this.#known.set(keyAddress(tenant, keyId).pk, key)
  }

  forget(tenant: string, keyId: string): void {
    this.#known.delete(keyAddress(tenant, keyId).pk)
  }

  /** The private key; undefined if the tenant has none with this id. Throws if it can't be opened. */
  async get(tenant: string, keyId: string): Promise<PrivateJwk | undefined> {
    return (this.remembered(tenant, keyId) ?? (await this.read(tenant, [keyId])))?.jwk
  }

  /** The first of these keys that is stored, in one request. Throws if it can't be opened. */
  async read(tenant: string, keyIds: readonly string[]): Promise<OpenedKey | undefined> {
    const addresses = keyIds.map((keyId) => keyAddress(tenant, keyId))
    const stored = (await getItems(addresses)).map(keyItem.decode)
    for (const [index, { pk }] of addresses.entries()) {
      const item = stored.find((one) => one.pk === pk)
      const keyId = keyIds[index]
      if (item !== undefined && keyId !== undefined) return { keyId, ...(await this.#open(tenant, item)) }
    }
    return undefined
  }

  async #open(tenant: string, { pk, sealed, purpose = {} }: Stored<typeof keyItem>): Promise<KnownKey> {
    const jwk = open(sealed, await openDataKey(tenant), pk)
    return this.#known.set(pk, { jwk: v.parse(PrivateJwk, JSON.parse(Buffer.from(jwk).toString())), purpose })
  }
}

/** The keys of the process. */
export const storedKeys = new StoredKeys()
