/** Records of DIDs: read once in a process where they cannot change, each time where others add to them. */
import { randomUUID } from 'node:crypto'
import {
  type AgentContext,
  createPeerDidDocumentFromServices,
  DidDocument,
  DidRepository,
  didDocumentToNumAlgo2Did,
} from '@credo-ts/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DidRecordCache } from '../../../../lib/agent/dids/did-record-cache.ts'
import { AgentDidRepository } from '../../../../lib/agent/dids/did-repository.ts'
import { keysInQuery } from '../../../../lib/agent/dids/queried-keys.ts'
import { didsWithKey, hasDid, isKeyOf, storeTheirDid } from '../../../../lib/agent/dids/their-dids.ts'
import { type Ed25519Key, keyOfVerkey, verkeyOf } from '../../../../lib/agent/keys/ed25519-key.ts'
import { SealedKeyStore } from '../../../../lib/agent/keys/sealed-key-store.ts'
import { transaction } from '../../../../lib/store/transaction.ts'
import { unknownKid } from '../../../support/wallets/hand-made-envelope.ts'
import { useTable } from '../../store/use-table.ts'
import { contextOf, repositoryServices } from '../credo-storage.ts'

const table = await useTable({ memory: true })
let did: string
let key: Ed25519Key

beforeEach(async () => {
  did = `did:web:${randomUUID()}.example`
  key = await newKey()
})
afterEach(() => {
  table.way = undefined
})

const services = repositoryServices()

/** A repository as another process has it: with nothing in memory. */
const newRepository = () => new AgentDidRepository(services, new DidRecordCache(), new SealedKeyStore())

const acme = contextOf('acme')
/** A key of Acme. */
const newKey = async (): Promise<Ed25519Key> => {
  const made = keyOfVerkey(unknownKid())
  await run(() => new SealedKeyStore().insert(acme, verkeyOf(made), { kty: 'OKP', crv: 'Ed25519', x: 'x', d: 'd' }))
  return made
}
const run = <T>(act: () => Promise<T>): Promise<T> => transaction('acme', act)
const create = (repository: AgentDidRepository, of = did) =>
  repository.storeCreatedDid(acme, { did: of, tags: { recipientKeyFingerprints: [key.fingerprint] } })
const byDid = (repository: AgentDidRepository, context: AgentContext = acme) =>
  run(() => repository.getCreatedDids(context, { did }))
const byKey = (repository: AgentDidRepository) => run(() => repository.findCreatedDidByRecipientKey(acme, key))

describe('a DID of ours', () => {
  test('should be read once for a process, by its name and by its key', async () => {
    await run(() => create(newRepository()))
    const reader = newRepository()
    table.watch()
    for (let time = 0; time < 3; time++) expect((await byDid(reader)).map((record) => record.did)).toEqual([did])
    for (let time = 0; time < 3; time++) expect((await byKey(reader))?.did).toBe(did)
    expect(table.requests).toEqual(['Query', 'GetItem', 'Query'])
  })

  test('should be found as soon as another process has made it', async () => {
    const reader = newRepository()
    expect(await byDid(reader)).toEqual([])
    expect(await byKey(reader)).toBeNull()
    await run(() => create(newRepository()))
    expect(await byDid(reader)).toHaveLength(1)
    expect((await byKey(reader))?.did).toBe(did)
  })

  test('should be forgotten when the unit of work that made it fails', async () => {
    const repository = newRepository()
    const failing = run(async () => {
      await create(repository)
      expect(await repository.getCreatedDids(acme, { did })).toHaveLength(1)
      expect(await repository.findCreatedDidByRecipientKey(acme, key)).not.toBeNull()
      throw new Error('the operation fails')
    })
    await expect(failing).rejects.toThrow('the operation fails')
    expect(await byDid(repository)).toEqual([])
    expect(await byKey(repository)).toBeNull()
  })

  test("should be its tenant's only", async () => {
    const repository = newRepository()
    await run(() => create(repository))
    expect(await byDid(repository)).toHaveLength(1)
    expect(await byDid(repository, contextOf('other'))).toEqual([])
  })

  test('should be immutable: it is shared', async () => {
    const repository = newRepository()
    await run(() => create(repository))
    const [record] = await byDid(repository)
    expect(() => record?.setTag('recipientKeyFingerprints', [])).toThrow(TypeError)
    for (const change of ['update', 'updateByIdWithLock', 'delete', 'deleteById'] as const)
      expect(() => repository[change]()).toThrow('does not change')
    expect(await byDid(repository)).toEqual([record])
  })

  test('should not be the same as another one, nor as all of them', async () => {
    const repository = newRepository()
    await run(() => create(repository))
    await byDid(repository)
    const other = `${did}:other`
    await run(() => create(repository, other))
    const all = await run(() => repository.getCreatedDids(acme, { method: 'web', did: other }))
    expect(all.map((record) => record.did)).toEqual([other])
  })
})

test('a DID is looked for by its key where it has one, and by none of several: each would be a read', async () => {
  acme.dependencyManager.registerInstance(DidRepository, newRepository())
  const keysOf = async (count: number) => {
    const recipientKeys = Array.from({ length: count }, () => keyOfVerkey(unknownKid()))
    const service = { id: '#didcomm', serviceEndpoint: 'https://wallet.example', recipientKeys, routingKeys: [] }
    const { didDocument } = createPeerDidDocumentFromServices([service], false)
    return keysInQuery(acme, { did: didDocumentToNumAlgo2Did(didDocument) })
  }
  expect(await keysOf(1)).toHaveLength(1)
  expect(await keysOf(2)).toBeUndefined()
})

test('a DID that names its document by a hash is read once it is there', async () => {
  const reader = newRepository()
  const find = () => run(() => reader.findAllByDid(acme, did))
  expect(await find()).toEqual([])
  await run(() => newRepository().storeReceivedDid(acme, { did }))
  expect(await find()).toHaveLength(1)
  table.watch()
  expect(await find()).toHaveLength(1)
  expect(table.requests).toEqual([])
})

test("a process's memory is not filled by the large documents of other agents, which are read again", async () => {
  const reader = newRepository()
  const dids = Array.from({ length: 25 }, (_, made) => `${did}:${made}`)
  const document = (id: string) => new DidDocument({ id, alsoKnownAs: ['x'.repeat(250 * 1024)] })
  for (const one of dids)
    await run(() => newRepository().storeReceivedDid(acme, { did: one, didDocument: document(one) }))
  const findAll = async () => {
    for (const one of dids) expect(await run(() => reader.findAllByDid(acme, one))).toHaveLength(1)
  }
  await findAll()
  table.watch()
  await findAll()
  expect(table.requests).toHaveLength(dids.length)
})

test('remote DIDs of a key are read each time: another one may be added', async () => {
  const repository = newRepository()
  acme.dependencyManager.registerInstance(DidRepository, repository)
  const tags = { recipientKeyFingerprints: [key.fingerprint] }
  const find = () => run(() => didsWithKey(acme, key))
  await run(() => repository.storeReceivedDid(acme, { did, tags }))
  expect(await find()).toHaveLength(1)
  await run(() => newRepository().storeReceivedDid(acme, { did: `${did}:two`, tags }))
  expect(await find()).toHaveLength(2)
})

test('the key of a DID is read once, that of any other each time', async () => {
  acme.dependencyManager.registerInstance(DidRepository, newRepository())
  const isKey = (...dids: (string | undefined)[]) => run(() => isKeyOf(acme, key, dids))
  const isOfAny = () => run(() => hasDid(acme, key))
  expect([await isOfAny(), await isKey(did)]).toEqual([false, false])
  await run(() => storeTheirDid(acme, { did }, key))
  table.watch()
  expect([await isKey(`${did}:former`, did), await isKey(undefined, did), await isOfAny()]).toEqual([true, true, true])
  expect(table.requests).toEqual(['Query'])
  expect([await isKey(`${did}:two`), await isKey(undefined)]).toEqual([false, false])
  await run(() => storeTheirDid(acme, { did: `${did}:two` }, key))
  expect([await isKey(`${did}:two`), await isKey(did)]).toEqual([true, true])
  const other = contextOf('other')
  other.dependencyManager.registerInstance(DidRepository, newRepository())
  expect(await run(() => isKeyOf(other, key, [did]))).toBe(false)
})

test('the key of a DID that was not stored in the end is not remembered', async () => {
  acme.dependencyManager.registerInstance(DidRepository, newRepository())
  const abandoned = run(async () => {
    await storeTheirDid(acme, { did }, key)
    expect(await isKeyOf(acme, key, [did])).toBe(true)
    throw new Error('abandoned')
  })
  await expect(abandoned).rejects.toThrow('abandoned')
  expect(await run(() => isKeyOf(acme, key, [did]))).toBe(false)
})
