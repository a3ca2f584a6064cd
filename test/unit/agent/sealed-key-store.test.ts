/** Private keys in the table: sealed, their owner's only, there when their transaction is and not before. */

import { randomBytes } from 'node:crypto'
import { AgentContext, DependencyManager, Kms } from '@credo-ts/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { SealedKeyStore } from '../../../lib/agent/keys/sealed-key-store.ts'
import { keyAddress } from '../../../lib/keys/key-item.ts'
import { toKey } from '../../../lib/store/table.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

const table = await useTable({ memory: true })
let keys = 0
let keyId: string
let jwk: ReturnType<typeof newKey>

beforeEach(() => {
  keys += 1
  keyId = `key-${keys}`
  jwk = newKey()
  vi.spyOn(Math, 'random').mockReturnValue(0)
})
afterEach(() => {
  table.way = undefined
  vi.restoreAllMocks()
})

const contextOf = (tenant: string) =>
  new AgentContext({ contextCorrelationId: tenant, dependencyManager: new DependencyManager() })
const acme = contextOf('acme')
const newKey = () => {
  const [x, d] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  return { kty: 'OKP', crv: 'Ed25519', x, d } as const
}
const run = <T>(act: () => Promise<T>): Promise<T> => transaction('acme', act)
/** A store as another process has it: with nothing in memory. */
const newStore = () => new SealedKeyStore()
const read = (store: SealedKeyStore, context = acme) => run(() => store.get(context, keyId))
const insert = (store: SealedKeyStore, context = acme) => run(() => store.insert(context, keyId, jwk))
const itemOf = (tenant = 'acme') => table.get(keyAddress(tenant, keyId))

describe('a key', () => {
  test('should be read back as it was stored, here and in every other process', async () => {
    const store = newStore()
    await insert(store)
    expect(await read(store)).toEqual(jwk)
    expect(await read(newStore())).toEqual(jwk)
  })

  test('should be read once for a process', async () => {
    const [maker, reader] = [newStore(), newStore()]
    await insert(maker)
    table.watch()
    for (let time = 0; time < 3; time++) await read(maker)
    expect(table.requests).toEqual([])
    for (let time = 0; time < 3; time++) await read(reader)
    expect(table.requests).toEqual(['GetItem'])
  })

  test('should lie in the table sealed: nothing of it can be read there', async () => {
    await insert(newStore())
    const item = await itemOf()
    expect(Object.keys(item ?? {}).sort()).toEqual(['kind', 'pk', 'sealed', 'sk', 'writeId'])
    const sealed = Buffer.from(item?.sealed?.B ?? [])
    const secret = Buffer.from(jwk.d, 'base64url')
    for (const part of [secret, jwk.d, secret.toString('base64'), secret.toString('hex'), 'kty', 'OKP'])
      expect(sealed.includes(part)).toBe(false)
  })

  test('should be inaccessible to other tenants, whatever they know of it', async () => {
    const store = newStore()
    await insert(store)
    const other = contextOf('other')
    expect(await read(store, other)).toBeNull()
    expect(await run(() => store.delete(other, keyId))).toBe(false)
    const ours = jwk
    jwk = newKey()
    await insert(store, other)
    expect(await read(newStore(), other)).toEqual(jwk)
    expect(await read(newStore())).toEqual(ours)
  })

  test('should not open in another place, nor with any byte changed', async () => {
    await insert(newStore())
    const item = { ...(await itemOf()) }
    await table.put({ ...item, ...toKey(keyAddress('thief', keyId)) })
    await expect(read(newStore(), contextOf('thief'))).rejects.toThrow()
    const altered = Buffer.from(item.sealed?.B ?? [])
    altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1)
    await table.put({ ...item, sealed: { B: altered } })
    await expect(read(newStore())).rejects.toThrow()
  })

  test('that does not open should let nothing be written, although the operation has swallowed it', async () => {
    await insert(newStore())
    const item = { ...(await itemOf()) }
    await table.put({ ...item, sealed: { B: randomBytes(100) } })
    const mark = keyAddress('acme', `${keyId}-mark`)
    const careless = transaction('acme', async (unit) => {
      unit.create({ ...toKey(mark), kind: { S: 'key' } })
      await newStore()
        .get(acme, keyId)
        .catch(() => {})
    })
    await expect(careless).rejects.toThrow()
    expect(await table.get(mark)).toBeUndefined()
  })

  test('that is not there should be null, and be found once it is', async () => {
    const store = newStore()
    expect(await read(store)).toBeNull()
    await insert(newStore())
    expect(await read(store)).toEqual(jwk)
  })
})

describe('the first of several keys that the agent has', () => {
  const first = (store: SealedKeyStore, ids: string[], context = acme) => run(() => store.first(context, ids))

  test('should be found in one request, whatever the others are', async () => {
    await insert(newStore())
    const unknown = Array.from({ length: 15 }, (_, at) => `unknown-${at}`)
    table.watch()
    expect(await first(newStore(), [...unknown, keyId])).toEqual({ keyId, jwk, purpose: {} })
    expect(table.requests).toEqual(['BatchGetItem'])
  })

  test('should be null, after one request, if it does not exist', async () => {
    await insert(newStore())
    table.watch()
    expect(await first(newStore(), ['unknown', 'of nobody'])).toBeNull()
    expect(await first(newStore(), ['unknown', keyId], contextOf('other'))).toBeNull()
    expect(table.requests).toEqual(['BatchGetItem', 'BatchGetItem'])
  })

  test('should be the one that is named first', async () => {
    const store = newStore()
    await insert(store)
    const other = { keyId: `${keyId}-other`, jwk: newKey() }
    await run(() => store.insert(acme, other.keyId, other.jwk))
    expect(await first(newStore(), [other.keyId, keyId])).toEqual({ ...other, purpose: {} })
    expect(await first(newStore(), [keyId, other.keyId])).toEqual({ keyId, jwk, purpose: {} })
  })

  test('should be read once for a process', async () => {
    await insert(newStore())
    const reader = newStore()
    await first(reader, ['unknown', keyId])
    table.watch()
    expect(await first(reader, ['unknown', keyId])).toEqual({ keyId, jwk, purpose: {} })
    expect(await read(reader)).toEqual(jwk)
    expect(table.requests).toEqual([])
  })

  test('should not be one that the transaction has deleted', async () => {
    const store = newStore()
    await insert(store)
    await run(async () => {
      await store.delete(acme, keyId)
      expect(await store.first(acme, [keyId])).toBeNull()
    })
  })
})

describe('a key that is made', () => {
  test('should be visible immediately in its own transaction, and elsewhere after the commit', async () => {
    const store = newStore()
    await run(async () => {
      await store.insert(acme, keyId, jwk)
      expect(await store.get(acme, keyId)).toEqual(jwk)
      expect(await read(store)).toBeNull()
      expect(await itemOf()).toBeUndefined()
    })
    expect(await read(store)).toEqual(jwk)
  })

  test('should not exist, in memory neither, if its transaction fails', async () => {
    const store = newStore()
    const failing = run(async () => {
      await store.insert(acme, keyId, jwk)
      throw new RangeError('changed its mind')
    })
    await expect(failing).rejects.toThrow(RangeError)
    expect(await read(store)).toBeNull()
    await insert(store)
    expect(await read(store)).toEqual(jwk)
  })

  test('should never take the place of one that is there', async () => {
    const store = newStore()
    await insert(store)
    const first = jwk
    jwk = newKey()
    for (const other of [store, newStore()])
      await expect(insert(other)).rejects.toMatchObject({ code: 'store.conflict' })
    expect(await read(newStore())).toEqual(first)
  })

  test('should not be made twice in one transaction', async () => {
    const store = newStore()
    const twice = run(async () => {
      await store.insert(acme, keyId, jwk)
      await store.insert(acme, keyId, newKey())
    })
    await expect(twice).rejects.toThrow(Kms.KeyManagementKeyExistsError)
    expect(await itemOf()).toBeUndefined()
  })

  test('should be one if two create it concurrently', async () => {
    const stores = [newStore(), newStore()]
    const results = await Promise.allSettled(stores.map((store) => run(() => store.insert(acme, keyId, newKey()))))
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [one, other] = await Promise.all([read(newStore()), read(newStore())])
    expect(one).toEqual(other)
  })

  test('should not be named with its private half in what is thrown', async () => {
    await insert(newStore())
    const error: unknown = await insert(newStore()).catch((thrown: unknown) => thrown)
    expect(`${error} ${JSON.stringify(error)}`).not.toContain(jwk.d)
  })
})

describe('what a key is made for', () => {
  test('should be set once for each kind, by the transaction that creates the key, and by no other agent', async () => {
    const store = newStore()
    await run(async () => {
      await store.insert(acme, keyId, jwk)
      expect(store.addPurpose(contextOf('other'), keyId, { outOfBandId: 'theirs' })).toBe(false)
      expect(store.addPurpose(acme, `${keyId}x`, { outOfBandId: 'none' })).toBe(false)
      expect(store.addPurpose(acme, keyId, { outOfBandId: 'first' })).toBe(true)
      store.expireNew(Math.floor(Date.now() / 1000) + 60)
      expect(store.addPurpose(acme, keyId, { outOfBandId: 'second' })).toBe(false)
      const did = { did: 'did:peer:2.one', createdAt: new Date(0).toISOString() }
      expect(store.addPurpose(acme, keyId, { did })).toBe(true)
    })
    await run(async () => expect(store.addPurpose(acme, keyId, { did: undefined })).toBe(false))
    const purpose = { outOfBandId: 'first', did: { did: 'did:peer:2.one', createdAt: '1970-01-01T00:00:00.000Z' } }
    for (const reader of [store, newStore()]) {
      expect(await run(() => reader.purposeOf(acme, keyId))).toEqual(purpose)
      expect(await run(() => reader.purposeOf(contextOf('other'), keyId))).toBeUndefined()
    }
    expect((await itemOf())?.expiresAt).toBeDefined()
  })

  test('should be deleted with the key', async () => {
    const store = newStore()
    await run(async () => {
      await store.insert(acme, keyId, jwk)
      store.addPurpose(acme, keyId, { outOfBandId: 'first' })
      await store.delete(acme, keyId)
      expect(await store.purposeOf(acme, keyId)).toBeUndefined()
      expect(store.addPurpose(acme, keyId, { outOfBandId: 'second' })).toBe(false)
    })
    expect(await itemOf()).toBeUndefined()
  })
})

describe('a key that is deleted', () => {
  test('should be deleted immediately in its own transaction, and elsewhere after the commit', async () => {
    const store = newStore()
    await insert(store)
    await run(async () => {
      expect(await store.delete(acme, keyId)).toBe(true)
      expect(await store.get(acme, keyId)).toBeNull()
      expect(await store.delete(acme, keyId)).toBe(false)
      expect(await read(store)).toEqual(jwk)
    })
    expect(await read(store)).toBeNull()
    expect(await itemOf()).toBeUndefined()
    expect(await run(() => store.delete(acme, keyId))).toBe(false)
  })

  test('should stay where its transaction fails', async () => {
    const store = newStore()
    await insert(store)
    const failing = run(async () => {
      await store.delete(acme, keyId)
      throw new RangeError('changed its mind')
    })
    await expect(failing).rejects.toThrow(RangeError)
    expect(await read(store)).toEqual(jwk)
    expect(await read(newStore())).toEqual(jwk)
  })

  test('should leave nothing where it was made in the same transaction', async () => {
    const store = newStore()
    await run(async () => {
      await store.insert(acme, keyId, jwk)
      expect(await store.delete(acme, keyId)).toBe(true)
    })
    expect(await itemOf()).toBeUndefined()
    expect(await read(store)).toBeNull()
  })

  test('should give way to a new one in the same transaction', async () => {
    const store = newStore()
    await insert(store)
    jwk = newKey()
    await run(async () => {
      await store.delete(acme, keyId)
      await store.insert(acme, keyId, jwk)
      expect(await store.get(acme, keyId)).toEqual(jwk)
    })
    expect(await read(store)).toEqual(jwk)
    expect(await read(newStore())).toEqual(jwk)
  })
})

test('a key that cannot be read because the table fails should be store.unavailable, not a key that is missing', async () => {
  await insert(newStore())
  table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  const careless = run(() =>
    newStore()
      .get(acme, keyId)
      .catch(() => null),
  )
  await expect(careless).rejects.toMatchObject({ code: 'store.unavailable' })
})
