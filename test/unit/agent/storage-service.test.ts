/** Credo's storage interface on the unit of work, with Credo's own records. */
import {
  type AgentContext,
  DidRecord,
  JsonTransformer,
  RecordDuplicateError,
  RecordNotFoundError,
  StorageVersionRecord,
} from '@credo-ts/core'
import {
  DidCommConnectionRecord,
  DidCommMessage,
  DidCommMessageRecord,
  DidCommOutOfBandRecord,
  DidCommOutOfBandRole,
  DidCommProofExchangeRecord,
  DidCommProofState,
  DidCommRequestPresentationV2Message,
} from '@credo-ts/didcomm'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { toStored } from '../../../lib/agent/credo/storage-service.ts'
import { recordsOf } from '../../../lib/records/kinds.ts'
import { ATTACHED_REQUEST } from '../../../lib/records/record-json.ts'
import { fromRecordItem } from '../../../lib/store/stored-record.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTable } from '../store/use-table.ts'
import {
  ALL,
  type AnyRecord,
  connectionRecord,
  didRecord,
  messageRecord,
  outOfBandRecord,
  proofRecord,
} from './credo-records.ts'
import { contextOf, storage } from './credo-storage.ts'

let tenants = 0
let acme: AgentContext

/** Runs `act` in a transaction of its own. */
const run = <T>(act: () => Promise<T>): Promise<T> => transaction('acme', act)

const table = await useTable({ memory: true, check: false })
afterAll(async () => {
  // The keys that the records name are made up.
  expect((await table.check()).filter((problem) => !problem.includes(' its key'))).toEqual([])
})
beforeEach(() => {
  tenants += 1
  acme = contextOf(`acme${tenants}`)
})

const save = (...records: AnyRecord[]) =>
  run(async () => {
    for (const record of records) await storage.save(acme, record)
  })
/** A record as it is shown: its own JSON, with the complete tags. */
const shown = (record: AnyRecord) => JSON.parse(JSON.stringify({ ...record.toJSON(), _tags: record.getTags() }))

describe.each(ALL)('a %s', (_name, type, make) => {
  const within = recordsOf(type.type)?.partitionTag
  /** Reads a record by its id: a record in the partition of a tag is found by the tag first. */
  const get = async (record: AnyRecord, context = acme) => {
    const tags: Record<string, unknown> = { ...record.getTags() }
    if (within !== undefined) await storage.findByQuery(context, type, { [within]: String(tags[within]) })
    return storage.getById(context, type, record.id)
  }
  const missing = within === undefined ? RecordNotFoundError : `no index of ${type.type} answers a query by id`

  test('should be read back equal to what was saved, with all its tags', async () => {
    const record = make()
    await save(record)
    const read = await run(() => get(record))
    expect(read).toBeInstanceOf(type)
    expect(shown(read)).toEqual(shown(record))
    expect(read.getTags()).toEqual(JSON.parse(JSON.stringify(record.getTags())))
    expect(read.metadata).toEqual(record.metadata)
    expect([read.createdAt, read.updatedAt]).toEqual([record.createdAt, record.updatedAt])
  })

  test('should stay the same however often it is read and written', async () => {
    const record = make()
    await save(record)
    for (let time = 0; time < 2; time++) await run(async () => storage.update(acme, await get(record)))
    const read = await run(() => get(record))
    expect({ ...shown(read), updatedAt: '' }).toEqual({ ...shown(record), updatedAt: '' })
    expect(Number(read.updatedAt)).toBeGreaterThanOrEqual(Number(record.updatedAt))
  })

  test('should lie in the table as its own JSON without tags, and the tags beside it', async () => {
    const record = make()
    await save(record)
    const { _tags, ...value } = JSON.parse(JSON.stringify(record.toJSON()))
    const items = await table.items(`${acme.contextCorrelationId}|`)
    const [stored, ...others] = items.filter(({ kind }) => kind?.S === 'record').map(fromRecordItem)
    expect(others).toEqual([])
    if (stored === undefined) throw new Error('the record was not stored')
    expect(stored).toMatchObject({ value, tags: JSON.parse(JSON.stringify(record.getTags())) })
    expect(stored.value).not.toHaveProperty('_tags')
    expect(toStored(acme, record)).toEqual({
      tenant: acme.contextCorrelationId,
      type: record.type,
      id: record.id,
      value: stored.value,
      tags: stored.tags,
    })
  })

  test('should be saved once, and found no more once it is deleted', async () => {
    const [record, other] = [make(), make()]
    await save(record, other)
    const again = run(async () => {
      await get(record)
      await storage.save(acme, record)
    })
    await expect(again).rejects.toThrow(RecordDuplicateError)
    await run(async () => storage.delete(acme, await get(record)))
    await run(async () => storage.deleteById(acme, type, (await get(other)).id))
    for (const one of [record, other]) {
      await expect(run(() => get(one))).rejects.toThrow(missing)
      await expect(run(() => storage.deleteById(acme, type, one.id))).rejects.toThrow(missing)
    }
    await expect(run(() => storage.update(acme, record))).rejects.toThrow(missing)
    await expect(run(() => storage.delete(acme, record))).rejects.toThrow(missing)
    expect(await table.items(`${acme.contextCorrelationId}|`)).toEqual([])
  })

  test('should be seen by no other tenant, nor by the base agent', async () => {
    const record = make()
    await save(record)
    for (const other of [contextOf('other'), contextOf(acme.contextCorrelationId, true)]) {
      await expect(run(() => get(record, other))).rejects.toThrow(missing)
      await expect(run(() => storage.update(other, record))).rejects.toThrow(missing)
      await expect(run(() => storage.deleteById(other, type, record.id))).rejects.toThrow(missing)
    }
    expect(await run(() => get(record))).toBeInstanceOf(type)
  })
})

describe('a record that was read', () => {
  test('should have all the methods of its class', async () => {
    const [did, invitation, message] = [didRecord(), outOfBandRecord(), messageRecord()]
    await save(did, invitation, message)
    await run(async () => {
      const readDid = await storage.getById(acme, DidRecord, did.id)
      expect(readDid.didDocument?.recipientKeys.map(({ fingerprint }) => fingerprint)).toEqual(
        did.getTags().recipientKeyFingerprints,
      )
      const readInvitation = await storage.getById(acme, DidCommOutOfBandRecord, invitation.id)
      expect(readInvitation.outOfBandInvitation.toUrl({ domain: 'https://example.com' })).toBe(
        invitation.outOfBandInvitation.toUrl({ domain: 'https://example.com' }),
      )
      const [readMessage] = await storage.findByQuery(acme, DidCommMessageRecord, { associatedRecordId: 'proof-1' })
      expect(readMessage?.message).toEqual(message.message)
      expect(() => readMessage?.getMessageInstance(DidCommRequestPresentationV2Message)).not.toThrow()
    })
  })

  test('should be a copy: nothing of it is stored before it is updated', async () => {
    const record = connectionRecord()
    await save(record)
    record.alias = 'changed by its owner'
    await run(async () => {
      const read = await storage.getById(acme, DidCommConnectionRecord, record.id)
      read.alias = 'changed'
      read.connectionTypes.push('changed')
      read.setTag('custom', 'changed')
      read.metadata.set('changed', { by: 'its owner' })
      const again = await storage.getById(acme, DidCommConnectionRecord, record.id)
      expect(again).not.toBe(read)
      expect(again.metadata).toEqual(record.metadata)
      expect([again.alias, again.connectionTypes, again.getTag('custom')]).toEqual([
        'Bob "the wallet" \u{1f600}',
        ['mediator'],
        'tag',
      ])
    })
  })

  test('should be the one that this invocation has changed', async () => {
    const record = connectionRecord()
    await save(record)
    await run(async () => {
      const read = await storage.getById(acme, DidCommConnectionRecord, record.id)
      read.theirDid = 'did:peer:rotated'
      await storage.update(acme, read)
      const [found] = await storage.findByQuery(acme, DidCommConnectionRecord, { theirDid: 'did:peer:rotated' })
      expect(found?.alias).toBe(record.alias)
      expect(await storage.findByQuery(acme, DidCommConnectionRecord, { theirDid: 'did:peer:theirs' })).toEqual([])
    })
  })
})

test('saving and updating should set their times', async () => {
  const record = connectionRecord()
  const written = async (write: (context: AgentContext, record: AnyRecord) => Promise<void>) => {
    const before = Date.now()
    record.updatedAt = new Date(0)
    await run(() => write(acme, record))
    expect(Number(record.updatedAt)).toBeGreaterThanOrEqual(before)
    const read = await run(() => storage.getById(acme, DidCommConnectionRecord, record.id))
    expect(read.updatedAt).toEqual(record.updatedAt)
  }
  await written(storage.save.bind(storage))
  await written(storage.update.bind(storage))
})

const change = async (id: string, act: (held: DidCommConnectionRecord) => Promise<DidCommConnectionRecord>) => {
  const record = await act(await storage.getById(acme, DidCommConnectionRecord, id))
  await storage.update(acme, record)
  return record
}

describe('a tag', () => {
  test('should be deleted once it is unset', async () => {
    const record = connectionRecord({ threadId: 'gone' })
    await save(record)
    await run(() =>
      change(record.id, async (held) => {
        Reflect.deleteProperty(held, 'threadId')
        held.setTag('custom', undefined)
        return held
      }),
    )
    const read = await run(() => storage.getById(acme, DidCommConnectionRecord, record.id))
    expect(read.threadId).toBeUndefined()
    expect([read.getTag('threadId'), read.getTag('custom')]).toEqual([undefined, undefined])
    expect(await run(() => storage.findByQuery(acme, DidCommConnectionRecord, { threadId: 'gone' }))).toEqual([])
  })
})

describe('the same id', () => {
  test('should be another record in each tenant and of each type', async () => {
    const other = contextOf(`${acme.contextCorrelationId}-other`)
    const [ours, theirs] = [
      connectionRecord({ id: 'one', alias: 'ours' }),
      connectionRecord({ id: 'one', alias: 'theirs' }),
    ]
    await save(ours, proofRecord({ id: 'one' }))
    await run(() => storage.save(other, theirs))
    const aliasOf = async (context: AgentContext) =>
      (await run(() => storage.getById(context, DidCommConnectionRecord, 'one'))).alias
    expect([await aliasOf(acme), await aliasOf(other)]).toEqual(['ours', 'theirs'])
    await run(() => storage.deleteById(other, DidCommConnectionRecord, 'one'))
    expect(await aliasOf(acme)).toBe('ours')
  })

  test('should be rejected within an invocation, and a conflict where another one was first', async () => {
    const twice = run(async () => {
      await storage.save(acme, proofRecord({ id: 'twice' }))
      await storage.save(acme, proofRecord({ id: 'twice' }))
    })
    await expect(twice).rejects.toThrow(RecordDuplicateError)
    await save(proofRecord({ id: 'taken' }))
    await expect(save(proofRecord({ id: 'taken', state: DidCommProofState.Abandoned }))).rejects.toMatchObject({
      code: 'store.conflict',
    })
    expect((await run(() => storage.getById(acme, DidCommProofExchangeRecord, 'taken'))).state).toBe('done')
  })
})

describe('an update of what was read', () => {
  const counter = () => connectionRecord({ id: 'counter', alias: '0' })
  const increment = (before: () => Promise<unknown> = async () => {}) =>
    run(() =>
      change('counter', async (held) => {
        await before()
        held.alias = String(Number(held.alias) + 1)
        return held
      }),
    )

  test('should return the stored record', async () => {
    await save(counter())
    const changed = await increment()
    expect(changed.alias).toBe('1')
    expect(shown(await run(() => storage.getById(acme, DidCommConnectionRecord, 'counter')))).toEqual(shown(changed))
  })

  test('should be made again on what another one has written meanwhile', async () => {
    await save(counter())
    let times = 0
    const changed = await increment(async () => {
      times += 1
      if (times === 1) await increment()
    })
    expect(changed.alias).toBe('2')
    expect(times).toBe(2)
  })

  test('should throw what the change throws, and store nothing', async () => {
    await save(counter())
    await expect(increment(() => Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError)
    await expect(run(() => change('unknown', async (held) => held))).rejects.toThrow(RecordNotFoundError)
    expect((await run(() => storage.getById(acme, DidCommConnectionRecord, 'counter'))).alias).toBe('0')
  })
})

test('a received invitation should be found by the thread of its request once that was handled, and not before', () => {
  const tagsOf = (handled?: { threadId?: string }) => {
    const request = { '@type': 'https://didcomm.org/present-proof/2.0/request-presentation', '@id': 'request-1' }
    const record = outOfBandRecord()
    Object.assign(record, { role: DidCommOutOfBandRole.Receiver })
    record.outOfBandInvitation.addRequest(JsonTransformer.fromJSON(request, DidCommMessage))
    if (handled !== undefined) record.metadata.set(ATTACHED_REQUEST, handled)
    return toStored(acme, record).tags.invitationRequestsThreadIds
  }
  expect(tagsOf()).toEqual([])
  expect(tagsOf({ threadId: 'handled' })).toEqual(['handled'])
  // Refused, because the thread was another's.
  expect(tagsOf({})).toEqual([])
})

test('the version of the storage should be that of the framework, without a request', async () => {
  table.watch()
  const record = await run(() => storage.getById(acme, StorageVersionRecord, 'STORAGE_VERSION_RECORD_ID'))
  expect(record.storageVersion).toBe(StorageVersionRecord.frameworkStorageVersion)
  expect(table.requests).toEqual([])
})
