/** The wallet's storage by Credo's rules: what a query finds, and what is refused. */
import {
  AgentContext,
  DependencyManager,
  GenericRecord,
  RecordDuplicateError,
  RecordNotFoundError,
} from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { MemoryStorage } from '../../wallet/memory-storage.ts'
import { matches, type TagQuery } from '../../wallet/tag-query.ts'

const context = new AgentContext({ contextCorrelationId: 'wallet', dependencyManager: new DependencyManager() })

describe('a query', () => {
  const tags = { state: 'done', role: 'prover', ready: true, keys: ['a', 'b'], empty: undefined }

  test.each<[object, boolean]>([
    [{}, true],
    [{ state: 'done', role: 'prover' }, true],
    [{ state: 'done', role: 'verifier' }, false],
    [{ ready: true }, true],
    [{ ready: false }, false],
    [{ keys: ['a'] }, true],
    [{ keys: ['b', 'a'] }, true],
    [{ keys: ['a', 'c'] }, false],
    [{ keys: 'a' }, false],
    [{ state: ['done'] }, false],
    [{ threadId: undefined }, true],
    [{ threadId: null }, true],
    [{ empty: null }, true],
    [{ state: null }, false],
    [{ $and: [{ state: 'done' }, { role: 'prover' }] }, true],
    [{ $and: [{ state: 'done' }, { role: 'verifier' }] }, false],
    [{ $or: [{ state: 'abandoned' }, { role: 'prover' }] }, true],
    [{ $or: [{ state: 'abandoned' }, { role: 'verifier' }] }, false],
    [{ $not: { state: 'abandoned' } }, true],
    [{ $not: { state: 'done' } }, false],
    [{ role: 'prover', $or: [{ $not: { state: 'done' } }, { $and: [{ keys: ['b'] }] }] }, true],
    [{ role: 'verifier', $or: [{ state: 'done' }] }, false],
  ])('%o: %s', (query, expected) => {
    expect(matches(tags, query as TagQuery)).toBe(expected)
  })
})

describe('the storage', () => {
  const record = (id: string, state: string) => new GenericRecord({ id, content: { state }, tags: { state } })

  test('gives back copies, with their tags', async () => {
    const storage = new MemoryStorage()
    const saved = record('1', 'open')
    await storage.save(context, saved)
    saved.content = { state: 'changed by its owner' }
    const found = await storage.getById(context, GenericRecord, '1')
    expect(found.content).toStrictEqual({ state: 'open' })
    expect(found.getTags()).toStrictEqual({ state: 'open' })
  })

  test('finds in the order of saving, with limit and offset', async () => {
    const storage = new MemoryStorage()
    for (const id of ['b', 'a', 'c']) await storage.save(context, record(id, 'open'))
    await storage.save(context, record('d', 'closed'))
    const ids = async (options: { limit?: number; offset?: number }) =>
      (await storage.findByQuery<GenericRecord>(context, GenericRecord, { state: 'open' }, options)).map(({ id }) => id)
    expect(await ids({})).toStrictEqual(['b', 'a', 'c'])
    expect(await ids({ limit: 1, offset: 1 })).toStrictEqual(['a'])
    expect((await storage.getAll(context, GenericRecord)).length).toBe(4)
  })

  test('refuses a second record of an id, and one that is not there', async () => {
    const storage = new MemoryStorage()
    await storage.save(context, record('1', 'open'))
    await expect(storage.save(context, record('1', 'open'))).rejects.toThrow(RecordDuplicateError)
    await expect(storage.update(context, record('2', 'open'))).rejects.toThrow(RecordNotFoundError)
    await storage.deleteById(context, GenericRecord, '1')
    await expect(storage.getById(context, GenericRecord, '1')).rejects.toThrow(RecordNotFoundError)
    await expect(storage.delete(context, record('1', 'open'))).rejects.toThrow(RecordNotFoundError)
  })

  test('loses no change that is made under its lock', async () => {
    const storage = new MemoryStorage()
    await storage.save(context, new GenericRecord({ id: '1', content: { count: 0 } }))
    const increment = () =>
      storage.updateByIdWithLock(context, GenericRecord, '1', async (held) => {
        const count = Number(held.content.count)
        await Promise.resolve()
        held.content = { count: count + 1 }
        return held
      })
    await Promise.all(Array.from({ length: 20 }, increment))
    expect((await storage.getById(context, GenericRecord, '1')).content).toStrictEqual({ count: 20 })
  })
})
