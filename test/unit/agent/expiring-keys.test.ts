/** Private keys of handshakes: they expire unless the expiry is removed, also by another process. */

import { randomBytes } from 'node:crypto'
import { AgentContext, DependencyManager } from '@credo-ts/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SealedKeyStore } from '../../../lib/agent/keys/sealed-key-store.ts'
import { keyAddress } from '../../../lib/keys/key-item.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTable } from '../store/use-table.ts'

const MINUTE = 60_000

let keyId: string

const table = await useTable({ memory: true })
beforeEach(() => {
  keyId = `key-${randomBytes(4).toString('hex')}`
})
afterEach(() => {
  vi.useRealTimers()
})

const acme = new AgentContext({ contextCorrelationId: 'acme', dependencyManager: new DependencyManager() })
const newKey = () => {
  const [x, d] = [randomBytes(32).toString('base64url'), randomBytes(32).toString('base64url')]
  return { kty: 'OKP', crv: 'Ed25519', x, d } as const
}
const run = <T>(act: () => Promise<T>): Promise<T> => transaction('acme', act)
/** A store as another process has it: with nothing in memory. */
const newStore = () => new SealedKeyStore()
const read = (id = keyId) => run(() => newStore().get(acme, id))
const inTwoMinutes = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * MINUTE })

/** Makes a key in a transaction that lets all of its keys expire in a minute. Resolves to their ids. */
const insertExpiring = (jwk: ReturnType<typeof newKey>): Promise<string[]> =>
  run(async () => {
    const store = newStore()
    await store.insert(acme, keyId, jwk)
    return store.expireNew(Math.floor((Date.now() + MINUTE) / 1000))
  })

test('a key expires that its own transaction has made, and no other', async () => {
  const older = `${keyId}-older`
  await run(() => newStore().insert(acme, older, newKey()))
  const jwk = newKey()
  expect(await insertExpiring(jwk)).toEqual([keyId])
  expect(await read()).toEqual(jwk)
  inTwoMinutes()
  expect(await read()).toBeNull()
  expect(await read(older)).not.toBeNull()
})

test('a key stays that another process keeps before', async () => {
  const jwk = newKey()
  await insertExpiring(jwk)
  await run(async () => newStore().removeExpiry(acme, keyId))
  expect((await table.get(keyAddress('acme', keyId)))?.expiresAt).toBeUndefined()
  inTwoMinutes()
  expect(await read()).toEqual(jwk)
})

test('the expiry of a deleted key cannot be removed: nothing is written', async () => {
  await expect(run(async () => newStore().removeExpiry(acme, keyId))).rejects.toMatchObject({ code: 'store.conflict' })
  expect(await table.get(keyAddress('acme', keyId))).toBeUndefined()
})
