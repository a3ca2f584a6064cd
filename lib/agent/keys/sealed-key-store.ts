/** The private keys of an agent in the table: sealed, written with the unit of work, remembered in memory once committed. */
import { type AgentContext, Kms } from '@credo-ts/core'
import * as v from 'valibot'
import { Bounded } from '../../bounded.ts'
import { type Address, keyAddress } from '../../store/address.ts'
import { dataKey } from '../../store/data-keys.ts'
import { open, seal } from '../../store/sealing.ts'
import { getItem, getItems, type Item, toKey } from '../../store/table.ts'
import { currentUnit } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { tenantOf } from '../tenant-of.ts'
import type { KeyStore } from './key-store.ts'

/** Keys of this many agents' contacts stay in memory; a key is read again when it was forgotten. */
const MOST_REMEMBERED = 5_000

const PrivateJwk = v.custom<Kms.KmsJwkPrivate>((value) => v.is(v.looseObject({ kty: v.string() }), value))

export interface FoundKey {
  keyId: string
  jwk: Kms.KmsJwkPrivate
}

export class SealedKeyStore implements KeyStore {
  readonly #committed = new Bounded<string, Kms.KmsJwkPrivate>(MOST_REMEMBERED)
  readonly #changed = new WeakMap<UnitOfWork, Map<string, Kms.KmsJwkPrivate | null>>()

  async get(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate | null> {
    const tenant = tenantOf(agentContext)
    const address = keyAddress(tenant, keyId)
    const changed = this.#changedNow().get(address.pk)
    if (changed !== undefined) return changed
    return this.#committed.get(address.pk) ?? currentUnit().attempt(() => this.#read(tenant, address))
  }

  /** The first of these keys that the agent has; `null` if it has none. Without one in memory, all are read in one request. */
  async first(agentContext: AgentContext, keyIds: readonly string[]): Promise<FoundKey | null> {
    const tenant = tenantOf(agentContext)
    const changed = this.#changedNow()
    const wanted = keyIds
      .map((keyId) => ({ keyId, address: keyAddress(tenant, keyId) }))
      .filter(({ address }) => changed.get(address.pk) !== null)
    for (const { keyId, address } of wanted) {
      const jwk = changed.get(address.pk) ?? this.#committed.get(address.pk)
      if (jwk) return { keyId, jwk }
    }
    return currentUnit().attempt(async () => {
      const items = await getItems(wanted.map(({ address }) => address))
      for (const { keyId, address } of wanted) {
        const item = items.find(({ pk }) => pk?.S === address.pk)
        const jwk = await this.#open(tenant, address, item)
        if (jwk !== null) return { keyId, jwk }
      }
      return null
    })
  }

  async insert(agentContext: AgentContext, keyId: string, jwk: Kms.KmsJwkPrivate): Promise<void> {
    const tenant = tenantOf(agentContext)
    const address = keyAddress(tenant, keyId)
    const exists = () => new Kms.KeyManagementKeyExistsError(keyId, 'serverless-agent')
    if (this.#changedNow().get(address.pk)) throw exists()
    const unit = currentUnit()
    const sealed = seal(Buffer.from(JSON.stringify(jwk)), await unit.attempt(() => dataKey(tenant)), address.pk)
    unit.create({ ...toKey(address), kind: { S: 'key' }, sealed: { B: sealed } }, exists)
    unit.afterCommit(() => this.#committed.set(address.pk, jwk))
    this.#changedNow().set(address.pk, jwk)
  }

  async delete(agentContext: AgentContext, keyId: string): Promise<boolean> {
    const address = keyAddress(tenantOf(agentContext), keyId)
    if ((await this.get(agentContext, keyId)) === null) return false
    currentUnit().delete(toKey(address))
    currentUnit().afterCommit(() => this.#committed.delete(address.pk))
    this.#changedNow().set(address.pk, null)
    return true
  }

  async #read(tenant: string, address: Address): Promise<Kms.KmsJwkPrivate | null> {
    return this.#open(tenant, address, await getItem(address))
  }

  /** A key that does not open is our failure and no answer about the key: the unit must not commit what follows from it. */
  async #open(tenant: string, address: Address, item: Item | undefined): Promise<Kms.KmsJwkPrivate | null> {
    if (item?.sealed?.B === undefined) return null
    const bytes = open(item.sealed.B, await dataKey(tenant), address.pk)
    return this.#committed.set(address.pk, v.parse(PrivateJwk, JSON.parse(Buffer.from(bytes).toString())))
  }

  /** Keys that the running unit has made, and `null` for those that it has deleted: nobody else's business before the commit. */
  #changedNow(): Map<string, Kms.KmsJwkPrivate | null> {
    const unit = currentUnit()
    const changed = this.#changed.get(unit) ?? new Map<string, Kms.KmsJwkPrivate | null>()
    this.#changed.set(unit, changed)
    return changed
  }
}
