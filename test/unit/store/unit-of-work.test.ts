/** What a unit of work reads and writes: it sees its own changes immediately, and commits them in one transaction. */

import { beforeEach, describe, expect, test } from 'vitest'
import { keyAddress } from '../../../lib/keys/key-item.ts'
import { connectionRecords } from '../../../lib/records/kinds.ts'
import { tagPartition } from '../../../lib/store/index-entries.ts'
import { recordAddress } from '../../../lib/store/keys.ts'
import type { NewRecord } from '../../../lib/store/stored-record.ts'
import { addressOf, type Item, toKey } from '../../../lib/store/table.ts'
import { currentUnit, transaction } from '../../../lib/store/transaction.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { ACME, newRecord } from './records.ts'
import { useTable } from './use-table.ts'

const TYPE = 'ConnectionRecord'
const KEY: Item = { ...toKey(keyAddress(ACME, 'k1')), kind: { S: 'key' } }

const table = await useTable()

beforeEach(() => table.watch())

const save = (...records: NewRecord[]) =>
  transaction(ACME, async (unit) => {
    for (const record of records) unit.insert(record)
  })
const saved = async (changes: Partial<NewRecord> = {}): Promise<NewRecord> => {
  const record = newRecord(changes)
  await save(record)
  table.watch()
  return record
}
const read = ({ tenant, type, id }: NewRecord) => transaction(tenant, (unit) => unit.read(tenant, type, id))
const found = (unit: UnitOfWork, tags: object) =>
  unit.find(ACME, TYPE, { ...tags }).then((records) => records.map(({ id }) => id))

describe('a unit', () => {
  test('should see its own writes before the commit', async () => {
    const record = newRecord({ tags: { threadId: 'own' } })
    await transaction(ACME, async (unit) => {
      expect(await unit.read(ACME, TYPE, record.id)).toBeUndefined()
      expect(unit.insert(record)).toBe(true)
      expect(await unit.read(ACME, TYPE, record.id)).toMatchObject(record)
      expect(await found(unit, { threadId: 'own' })).toEqual([record.id])
      expect(await read(record)).toBeUndefined()
      await unit.update({ ...record, tags: { threadId: 'changed' } })
      expect(await found(unit, { threadId: 'own' })).toEqual([])
      expect(await found(unit, { threadId: 'changed' })).toEqual([record.id])
      await unit.remove(ACME, TYPE, record.id)
      expect(await unit.read(ACME, TYPE, record.id)).toBeUndefined()
      expect(await found(unit, { threadId: 'changed' })).toEqual([])
    })
    expect(await read(record)).toBeUndefined()
  })

  test('should find by the tags that it has changed, not by those in the table', async () => {
    const record = await saved({ tags: { did: 'did:before' } })
    const deleted = await saved({ tags: { did: 'did:before' } })
    await transaction(ACME, async (unit) => {
      await unit.update({ ...record, tags: { did: 'did:after' } })
      await unit.remove(ACME, TYPE, deleted.id)
      expect(await found(unit, { did: 'did:before' })).toEqual([])
      expect(await found(unit, { did: 'did:after' })).toEqual([record.id])
    })
  })

  test('should find the newest 500 where a holder has more credentials', async () => {
    const tenant = 'collector'
    const credentials = Array.from({ length: 501 }, () => newRecord({ tenant, type: 'W3cCredentialRecord' }))
    for (let first = 0; first < credentials.length; first += 20)
      await transaction(tenant, async (unit) => {
        for (const credential of credentials.slice(first, first + 20)) unit.insert(credential)
      })
    const [oldest, ...others] = credentials.map(({ id }) => id)
    const listed = await transaction(tenant, (unit) => unit.find(tenant, 'W3cCredentialRecord', {}))
    const ids = listed.map(({ id }) => id)
    expect(ids).not.toContain(oldest)
    expect(ids.toSorted()).toEqual(others.toSorted())
  })

  test('should go on with its own writes where a later read brings the record again', async () => {
    const [changed, removed] = [await saved(), await saved()]
    await transaction(ACME, async (unit) => {
      await unit.update({ ...changed, value: { ...changed.value, count: 1 } })
      await unit.remove(ACME, TYPE, removed.id)
      for (const { id } of [changed, removed]) await unit.readWithLast(recordAddress(ACME, TYPE, id).pk)
      expect((await unit.read(ACME, TYPE, changed.id))?.value.count).toBe(1)
      expect(await unit.read(ACME, TYPE, removed.id)).toBeUndefined()
    })
    expect((await read(changed))?.value.count).toBe(1)
    expect(await read(removed)).toBeUndefined()
  })

  test('should read each record and each index once', async () => {
    const [first, second] = [await saved({ tags: { threadId: 't1' } }), await saved({ tags: { threadId: 't1' } })]
    await transaction(ACME, async (unit) => {
      for (let time = 0; time < 3; time++) {
        await unit.read(ACME, TYPE, first.id)
        expect(await found(unit, { threadId: 't1' })).toEqual([first.id, second.id])
        await unit.read(ACME, TYPE, second.id)
      }
    })
    expect(table.requests).toEqual(['GetItem', 'Query', 'GetItem'])
  })

  test('should read an index and its records once for queries at the same time', async () => {
    const { id } = await saved({ tags: { threadId: 't2' } })
    table.watch()
    await transaction(ACME, async (unit) => {
      const together = await Promise.all([1, 2, 3].map(() => found(unit, { threadId: 't2' })))
      expect(together).toEqual([[id], [id], [id]])
    })
    expect(table.requests).toEqual(['Query', 'GetItem'])
  })

  test('should find many records that have no copy in the index with one request, and those with a copy with none', async () => {
    const byThread = await Promise.all([1, 2, 3].map(() => saved({ tags: { threadId: 't3' } })))
    const byDid = await Promise.all([1, 2, 3].map(() => saved({ tags: { theirDid: 'did:3' } })))
    table.watch()
    await transaction(ACME, async (unit) => {
      expect((await found(unit, { threadId: 't3' })).sort()).toEqual(byThread.map(({ id }) => id).sort())
      expect((await found(unit, { theirDid: 'did:3' })).sort()).toEqual(byDid.map(({ id }) => id).sort())
    })
    expect(table.requests).toEqual(['Query', 'BatchGetItem', 'Query'])
  })

  test('should read a record that is known by its id with the request for those that are found', async () => {
    const [known, one] = [await saved({}), await saved({ tags: { threadId: 't4' } })]
    table.watch()
    await transaction(ACME, async (unit) => {
      const records = await unit.find(ACME, TYPE, { threadId: 't4' }, [{ type: TYPE, id: known.id }])
      expect(records.map(({ id }) => id)).toEqual([one.id])
      expect(await unit.read(ACME, TYPE, known.id)).toMatchObject({ id: known.id })
    })
    expect(table.requests).toEqual(['Query', 'BatchGetItem'])
  })

  test('should read a record with the last item of its partition, however many there are', async () => {
    const record = await saved()
    const { pk } = recordAddress(ACME, TYPE, record.id)
    for (const sk of ['0', 'a', 'f']) await table.put({ ...toKey({ pk, sk }), kind: { S: 'outbox' } })
    table.watch()
    await transaction(ACME, async (unit) => {
      expect(addressOf((await unit.readWithLast(pk)) ?? {}).sk).toBe('f')
      expect(await unit.read(ACME, TYPE, record.id)).toMatchObject({ id: record.id })
    })
    expect(table.requests).toEqual(['Query'])
    for (const sk of ['0', 'a', 'f']) await removeIf({ pk, sk })
  })

  test('should not read a partition that it takes for empty, and find its own records there', async () => {
    const [stored, own] = [await saved({ tags: { threadId: 't5' } }), newRecord({ tags: { threadId: 't5' } })]
    await transaction(ACME, async (unit) => {
      unit.assumeEmpty(tagPartition(ACME, connectionRecords, 'threadId', 't5'))
      unit.insert(own)
      expect(await found(unit, { threadId: 't5' })).toEqual([own.id])
      expect([unit.hasRead(ACME, TYPE, own.id), unit.hasRead(ACME, TYPE, stored.id)]).toEqual([false, false])
    })
    expect(table.requests).toEqual(['TransactWriteItems'])
    await transaction(ACME, async (unit) => {
      await found(unit, { threadId: 't5' })
      unit.assumeEmpty(tagPartition(ACME, connectionRecords, 'threadId', 't5'))
      expect(await found(unit, { threadId: 't5' })).toEqual([stored.id, own.id])
      expect(unit.hasRead(ACME, TYPE, stored.id)).toBe(true)
    })
  })

  test('should see a record unchanged after it has read it, despite concurrent writes', async () => {
    const record = await saved({ value: { count: 1 } })
    await transaction(ACME, async (unit) => {
      await unit.read(ACME, TYPE, record.id)
      await transaction(ACME, (other) => other.update({ ...record, value: { ...record.value, count: 2 } }))
      expect((await unit.read(ACME, TYPE, record.id))?.value.count).toBe(1)
    })
  })

  test('should find oldest first, and by id where they are of one age', async () => {
    const createdAt = '2025-06-01T00:00:00.000Z'
    const of = (id: string, at: string) => newRecord({ id, tags: { did: 'did:order' }, value: { createdAt: at } })
    await save(of('b', createdAt), of('z', '2025-05-01T00:00:00.000Z'), of('a', createdAt))
    await transaction(ACME, async (unit) => {
      unit.insert(of('0', '2025-07-01T00:00:00.000Z'))
      expect(await found(unit, { did: 'did:order' })).toEqual(['z', 'a', 'b', '0'])
    })
  })

  test('should neither read nor find what is of another tenant or type', async () => {
    const record = await saved({ tags: { threadId: 'theirs' } })
    await transaction('other', async (unit) => {
      expect(await unit.read(ACME, TYPE, record.id)).toBeDefined()
      expect(await unit.read('other', TYPE, record.id)).toBeUndefined()
      expect(await unit.find('other', TYPE, { threadId: 'theirs' })).toEqual([])
      expect(await unit.find(ACME, 'ProofRecord', { threadId: 'theirs' })).toEqual([])
      expect(await unit.remove('other', TYPE, record.id)).toBe(false)
      expect(await unit.update({ ...record, tenant: 'other' })).toBe(false)
    })
  })

  test('should read items, and partitions page by page or as a whole', async () => {
    const address = (sk: string) => ({ pk: 'notes', sk })
    const items = ['a', 'b', 'c'].map((sk) => ({ ...toKey(address(sk)), kind: { S: 'context' } }))
    await table.putAll(items)
    const [first, second] = items
    await transaction(ACME, async (unit) => {
      expect(await unit.get(address('a'))).toEqual(first)
      expect(await unit.get(address('none'))).toBeUndefined()
      expect(await unit.getAll([address('b'), address('none')])).toEqual([second])
      expect(await unit.query('notes', { from: 'b', limit: 1 })).toEqual({ items: [second], next: 'b' })
      expect(await unit.queryAll('notes')).toEqual(items)
    })
    await Promise.all(items.map((item) => removeIf(addressOf(item))))
  })

  test('should keep what each holder of a key has in it, for itself alone', async () => {
    const [key, another] = [Symbol('key'), {}]
    let made = 0
    const counter = (unit: UnitOfWork, of: symbol | object) => unit.moduleState(of, () => ({ number: ++made, seen: 0 }))
    await transaction(ACME, async (unit) => {
      counter(unit, key).seen += 1
      expect(counter(unit, key)).toEqual({ number: 1, seen: 1 })
      expect(counter(unit, another)).toEqual({ number: 2, seen: 0 })
      expect(unit.moduleState(Symbol('empty'), () => undefined)).toBeUndefined()
    })
    await transaction(ACME, async (unit) => expect(counter(unit, key)).toEqual({ number: 3, seen: 0 }))
  })

  test('should not exist outside of a transaction', () => {
    expect(() => currentUnit()).toThrow('outside of transaction()')
  })

  test('should be that of its own transaction if many run concurrently', async () => {
    await Promise.all(
      ['a', 'b', 'c'].map((tenant) =>
        transaction(tenant, async (unit) => {
          await new Promise(setImmediate)
          expect(currentUnit()).toBe(unit)
          expect(currentUnit().tenant).toBe(tenant)
        }),
      ),
    )
  })
})

describe('a commit', () => {
  test('should be one request for whatever was written', async () => {
    const [changed, deleted] = [await saved(), await saved()]
    await transaction(ACME, async (unit) => {
      unit.insert(newRecord({ tags: { did: 'did:one', threadId: 'one' } }))
      await unit.update({ ...changed, tags: { did: 'did:two' } })
      await unit.remove(ACME, TYPE, deleted.id)
      unit.create(KEY)
      unit.beforeCommit(() => unit.create({ pk: { S: 'acme|key|k' }, sk: { S: '~' }, kind: { S: 'key' } }))
    })
    expect(table.requests.filter((name) => name !== 'GetItem')).toEqual(['TransactWriteItems'])
    expect(await table.check()).toEqual([])
  })

  test('should be no request at all where nothing was written', async () => {
    const record = await saved()
    await transaction(ACME, async (unit) => {
      await unit.read(ACME, TYPE, record.id)
      const made = newRecord()
      unit.insert(made)
      await unit.remove(ACME, TYPE, made.id)
      unit.create({ ...KEY, ...toKey(keyAddress(ACME, 'nothing')) })
      unit.delete(keyAddress(ACME, 'nothing'))
    })
    expect(table.requests).toEqual(['GetItem'])
  })

  test('should not come where the operation throws', async () => {
    const record = newRecord()
    const failing = transaction(ACME, async (unit) => {
      unit.insert(record)
      throw new RangeError('changed its mind')
    })
    await expect(failing).rejects.toThrow(new RangeError('changed its mind'))
    expect(table.requests).toEqual([])
    expect(await read(record)).toBeUndefined()
  })

  test('should count the versions of a record', async () => {
    const record = await saved()
    const version = async () => (await table.get(recordAddress(ACME, TYPE, record.id)))?.version?.N
    expect(await version()).toBe('1')
    for (let time = 0; time < 2; time++)
      await transaction(ACME, (unit) => unit.update({ ...record, tags: { did: 'x' } }))
    expect(await version()).toBe('3')
    await transaction(ACME, async (unit) => {
      await unit.remove(ACME, TYPE, record.id)
      unit.insert(record)
    })
    expect(await version()).toBe('4')
  })

  test('should write only the index entries that have changed', async () => {
    const schema = await saved({
      type: 'AnonCredsSchemaRecord',
      tags: { schemaId: 't', unqualifiedSchemaId: 'p', methodName: 'webvh' },
    })
    await transaction(ACME, (unit) => unit.update({ ...schema, tags: { ...schema.tags, methodName: 'indy' } }))
    await transaction(ACME, (unit) => unit.update({ ...schema, tags: { schemaId: 't', unqualifiedSchemaId: 'q' } }))
    // The record alone; the record, the old entry and the new one.
    expect(table.writes).toEqual([1, 3])
    const connection = await saved({ tags: { did: 'did:copied', threadId: 't' } })
    await transaction(ACME, (unit) => unit.update({ ...connection, value: { ...connection.value, theirLabel: 'Bob' } }))
    // The record, and the two of its entries that carry a copy of it.
    expect(table.writes).toEqual([3])
  })

  test('should leave no entry behind when tags go, nor when a record comes back younger', async () => {
    const record = await saved({ tags: { did: 'did:gone', theirDid: 'did:kept' } })
    await transaction(ACME, (unit) => unit.update({ ...record, tags: { theirDid: 'did:kept' } }))
    expect(await table.check()).toEqual([])
    await transaction(ACME, async (unit) => {
      await unit.remove(ACME, TYPE, record.id)
      unit.insert({ ...record, value: { ...record.value, createdAt: '2026-02-02T00:00:00.000Z' } })
    })
    expect(await table.check()).toEqual([])
    await transaction(ACME, (unit) => unit.remove(ACME, TYPE, record.id))
    expect(await table.items(`${ACME}|${TYPE}|${record.id}`)).toEqual([])
    expect(await table.check()).toEqual([])
  })

  test('should take an item that is deleted and made anew, or made and deleted, for one write', async () => {
    const address = keyAddress(ACME, 'k2')
    const item = { ...KEY, ...toKey(address), sealed: { S: 'first' } }
    await transaction(ACME, async (unit) => unit.create(item))
    await transaction(ACME, async (unit) => {
      unit.delete(address)
      unit.delete(address)
      unit.create({ ...item, sealed: { S: 'second' } })
    })
    expect((await table.get(address))?.sealed).toEqual({ S: 'second' })
    await transaction(ACME, async (unit) => {
      unit.delete(address)
      unit.create(item)
      unit.delete(address)
    })
    expect(await table.get(address)).toBeUndefined()
  })

  test('should tell those who asked, and only after it holds', async () => {
    const told: string[] = []
    const record = newRecord()
    await transaction(ACME, async (unit) => {
      unit.insert(record)
      unit.afterCommit(() => told.push(table.requests.join()))
    })
    expect(told).toEqual(['TransactWriteItems'])
    const refused = transaction(ACME, async (unit) => {
      unit.create(toKey(recordAddress(ACME, TYPE, record.id)), () => new Error('there'))
      unit.afterCommit(() => told.push('never'))
    })
    await expect(refused).rejects.toThrow('there')
    expect(told).toHaveLength(1)
  })

  test('should end after all that follows it', async () => {
    let done = 0
    await transaction(ACME, async (unit) => {
      for (let act = 0; act < 2; act++)
        unit.afterCommit(async () => {
          await new Promise(setImmediate)
          done += 1
        })
    })
    expect(done).toBe(2)
  })

  test('should not have two items made at one address', async () => {
    const twice = transaction(ACME, async (unit) => {
      for (let item = 0; item < 2; item++) unit.create(toKey(keyAddress(ACME, 'twice')), () => new Error('there'))
    })
    await expect(twice).rejects.toThrow('there')
  })
})

describe('insert, update and remove', () => {
  test('should tell whether there was a record', async () => {
    const [record, unknown] = [await saved(), newRecord()]
    await transaction(ACME, async (unit) => {
      expect(await unit.update(unknown)).toBe(false)
      expect(await unit.remove(ACME, TYPE, unknown.id)).toBe(false)
      expect(await unit.update(record)).toBe(true)
      expect(unit.insert(record)).toBe(false)
      expect(await unit.remove(ACME, TYPE, record.id)).toBe(true)
      expect(await unit.remove(ACME, TYPE, record.id)).toBe(false)
      expect(await unit.update(record)).toBe(false)
    })
    expect(await read(record)).toBeUndefined()
  })
})

describe('a record that lies in the partition of an index', () => {
  const type = 'DidCommMessageRecord'
  const message = (changes: Partial<NewRecord> = {}) =>
    newRecord({ type, tags: { associatedRecordId: 'p1' }, ...changes })
  const listed = (associatedRecordId: string) =>
    transaction(ACME, async (unit) => (await unit.find(ACME, type, { associatedRecordId })).map(({ id }) => id))

  test('should be one item, which one request finds', async () => {
    const [first, second] = [message(), message()]
    const before = (await table.items()).length
    await save(first, second)
    expect(await table.items()).toHaveLength(before + 2)
    table.watch()
    expect(await listed('p1')).toEqual([first.id, second.id])
    expect(table.requests).toEqual(['Query'])
    await transaction(ACME, async (unit) => {
      await unit.find(ACME, type, { associatedRecordId: 'p1' })
      for (const { id } of [first, second]) expect(await unit.remove(ACME, type, id)).toBe(true)
    })
    expect(await table.items()).toHaveLength(before)
  })

  test('should be read by its id once this unit has it, and not be searched before', async () => {
    const record = message({ tags: { associatedRecordId: 'p2' } })
    await transaction(ACME, async (unit) => {
      unit.insert(record)
      expect(await unit.read(ACME, type, record.id)).toMatchObject({ value: record.value })
    })
    table.watch()
    await transaction(ACME, async (unit) => {
      const byId = expect.objectContaining({ code: 'store.query_not_indexed' })
      await expect(unit.read(ACME, type, record.id)).rejects.toEqual(byId)
      await expect(unit.update(record)).rejects.toEqual(byId)
      await expect(unit.remove(ACME, type, record.id)).rejects.toEqual(byId)
      expect(table.requests).toEqual([])
      await unit.find(ACME, type, { associatedRecordId: 'p2' })
      expect(await unit.update({ ...record, value: { ...record.value, count: 1 } })).toBe(true)
      expect((await unit.read(ACME, type, record.id))?.value.count).toBe(1)
    })
    expect(table.requests).toEqual(['Query', 'PutItem'])
  })

  test('should move with its tag, and be in one partition only', async () => {
    const record = message({ tags: { associatedRecordId: 'p3' } })
    await save(record)
    await transaction(ACME, async (unit) => {
      await unit.find(ACME, type, { associatedRecordId: 'p3' })
      await unit.update({ ...record, tags: { associatedRecordId: 'p4' } })
    })
    expect([await listed('p3'), await listed('p4')]).toEqual([[], [record.id]])
  })

  test('should be written by one of two units that have read the same version', async () => {
    const record = message({ tags: { associatedRecordId: 'p5' } })
    await save(record)
    let tries = 0
    await transaction(ACME, async (unit) => {
      const [read] = await unit.find(ACME, type, { associatedRecordId: 'p5' })
      await unit.update({ ...record, value: { ...record.value, count: Number(read?.value.count ?? 0) + 1 } })
      tries += 1
      if (tries === 1)
        await transaction(ACME, async (other) => {
          await other.find(ACME, type, { associatedRecordId: 'p5' })
          await other.update({ ...record, value: { ...record.value, count: 1 } })
        })
    })
    expect(tries).toBe(2)
    await transaction(ACME, async (unit) => {
      expect(await unit.find(ACME, type, { associatedRecordId: 'p5' })).toMatchObject([
        { version: 3, value: { count: 2 } },
      ])
    })
  })

  test('should keep the delivery that it has when it is written again', async () => {
    const delivery = { state: 'delivered', attempts: 1, at: '2026-01-01T00:00:00.000Z' } as const
    const record = newRecord({ type: 'BasicMessageRecord', tags: { connectionId: 'c1' } })
    await save({ ...record, delivery })
    const find = (unit: UnitOfWork) => unit.find(ACME, record.type, { connectionId: 'c1' })
    await transaction(ACME, async (unit) => {
      await find(unit)
      await unit.update({ ...record, value: { ...record.value, read: true } })
    })
    expect(await transaction(ACME, find)).toMatchObject([{ version: 2, delivery, value: { read: true } }])
  })
})
