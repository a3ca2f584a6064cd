/** The private keys of an agent in the table: sealed, written with the unit of work, remembered in memory once committed. */
import { type AgentContext, Kms } from '@credo-ts/core'
import * as v from 'valibot'
import { keyAddress } from '../../store/address.ts'
import { Bounded } from '../../store/bounded.ts'
import { dataKey } from '../../store/data-keys.ts'
import { open, seal } from '../../store/sealing.ts'
import { getItem, toKey } from '../../store/table.ts'
import { currentUnit } from '../../store/transaction.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { tenantOf } from '../tenant-of.ts'
import type { KeyStore } from './key-store.ts'

/** Keys of this many agents' contacts stay in memory; a key is read again when it was forgotten. */
const MOST_REMEMBERED = 5_000

const PrivateJwk = v.custom<Kms.KmsJwkPrivate>((value) => v.is(v.looseObject({ kty: v.string() }), value))

export class SealedKeyStore implements KeyStore {
  readonly #committed = new Bounded<string, Kms.KmsJwkPrivate>(MOST_REMEMBERED)
  readonly #made = new WeakMap<UnitOfWork, Map<string, Kms.KmsJwkPrivate>>()

  async get(agentContext: AgentContext, keyId: string): Promise<Kms.KmsJwkPrivate | null> {
    const tenant = tenantOf(agentContext)
    const address = keyAddress(tenant, keyId)
    const known = this.#madeNow().get(address.pk) ?? this.#committed.get(address.pk)
    if (known !== undefined) return known
    const item = await currentUnit().attempt(() => getItem(address))
    if (item?.sealed?.B === undefined) return null
    const bytes = open(item.sealed.B, await currentUnit().attempt(() => dataKey(tenant)), address.pk)
    return this.#committed.set(address.pk, v.parse(PrivateJwk, JSON.parse(Buffer.from(bytes).toString())))
  }

  async insert(agentContext: AgentContext, keyId: string, jwk: Kms.KmsJwkPrivate): Promise<void> {
    const tenant = tenantOf(agentContext)
    const address = keyAddress(tenant, keyId)
    const exists = () => new Kms.KeyManagementKeyExistsError(keyId, 'serverless-agent')
    if (this.#madeNow().has(address.pk)) throw exists()
    const unit = currentUnit()
    const sealed = seal(Buffer.from(JSON.stringify(jwk)), await unit.attempt(() => dataKey(tenant)), address.pk)
    unit.create({ ...toKey(address), kind: { S: 'key' }, sealed: { B: sealed } }, exists)
    unit.afterCommit(() => this.#committed.set(address.pk, jwk))
    this.#madeNow().set(address.pk, jwk)
  }

  async delete(agentContext: AgentContext, keyId: string): Promise<boolean> {
    const address = keyAddress(tenantOf(agentContext), keyId)
    if ((await this.get(agentContext, keyId)) === null) return false
    currentUnit().delete(toKey(address))
    currentUnit().afterCommit(() => this.#committed.delete(address.pk))
    return true
  }

  /** Keys that the running unit has made: they are nobody else's before the commit. */
  #madeNow(): Map<string, Kms.KmsJwkPrivate> {
    const unit = currentUnit()
    const made = this.#made.get(unit) ?? new Map<string, Kms.KmsJwkPrivate>()
    this.#made.set(unit, made)
    return made
  }
}
