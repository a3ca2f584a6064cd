/** Credo's storage interface on the unit of work, with Credo's own records. */
import {
  AgentContext,
  DependencyManager,
  DidRecord,
  RecordDuplicateError,
  RecordNotFoundError,
  StorageVersionRecord,
} from '@credo-ts/core'
import {
  DidCommBasicMessageRecord,
  DidCommConnectionRecord,
  DidCommDidExchangeState,
  DidCommMediationRecord,
  DidCommMessageRecord,
  DidCommOutOfBandRecord,
  DidCommProofExchangeRecord,
  DidCommProofState,
  DidCommRequestPresentationV2Message,
} from '@credo-ts/didcomm'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toStored, UnitOfWorkStorageService } from '../../../lib/agent/storage-service.ts'
import { requireRecord } from '../../../lib/store/record-reads.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { type StartedTable, startTable } from '../store/started-table.ts'
import {
  ALL,
  type AnyRecord,
  basicMessageRecord,
  connectionRecord,
  didRecord,
  messageRecord,
  outOfBandRecord,
  proofRecord,
  type RecordClass,
} from './credo-records.ts'

/** The service without the generics of Credo's records, which have no type in common. */
interface Storage {
  save(context: AgentContext, record: AnyRecord): Promise<void>
  update(context: AgentContext, record: AnyRecord): Promise<void>
  delete(context: AgentContext, record: AnyRecord): Promise<void>
  deleteById(context: AgentContext, type: RecordClass, id: string): Promise<void>
  getById<T extends AnyRecord>(context: AgentContext, type: RecordClass<T>, id: string): Promise<T>
  getAll<T extends AnyRecord>(context: AgentContext, type: RecordClass<T>): Promise<T[]>
  findByQuery<T extends AnyRecord>(
    context: AgentContext,
    type: RecordClass<T>,
    query: object,
    options?: { limit?: number; offset?: number },
  ): Promise<T[]>
  updateByIdWithLock<T extends AnyRecord>(
    context: AgentContext,
    type: RecordClass<T>,
    id: string,
    change: (record: T) => Promise<T>,
  ): Promise<T>
}

const service = new UnitOfWorkStorageService()
const storage = service as unknown as Storage

let table: StartedTable
let tenants = 0
let acme: AgentContext

const contextOf = (tenant: string, isRootAgentContext = false) =>
  new AgentContext({ contextCorrelationId: tenant, dependencyManager: new DependencyManager(), isRootAgentContext })
/** Runs `act` in a transaction of its own. */
const run = <T>(act: () => Promise<T>): Promise<T> => transaction('acme', act)

beforeAll(async () => {
  table = await startTable()
})
afterAll(async () => {
  // The keys that the records name are made up.
  expect((await table.check()).filter((problem) => !problem.includes('lacks its key'))).toEqual([])
  await table.stop()
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
const idsOf = (records: AnyRecord[]) => records.map(({ id }) => id)
const find = (type: RecordClass, query: object, options?: { limit?: number; offset?: number }) =>
  run(() => storage.findByQuery(acme, type, query, options)).then(idsOf)

describe.each(ALL)('a %s', (_name, type, make) => {
  test('should be read back equal to what was saved, with all its tags', async () => {
    const record = make()
    await save(record)
    const read = await run(() => storage.getById(acme, type, record.id))
    expect(read).toBeInstanceOf(type)
    expect(shown(read)).toEqual(shown(record))
    expect(read.getTags()).toEqual(JSON.parse(JSON.stringify(record.getTags())))
    expect(read.metadata).toEqual(record.metadata)
    expect([read.createdAt, read.updatedAt]).toEqual([record.createdAt, record.updatedAt])
  })

  test('should stay the same however often it is read and written', async () => {
    const record = make()
    await save(record)
    for (let time = 0; time < 2; time++)
      await run(async () => storage.update(acme, await storage.getById(acme, type, record.id)))
    const read = await run(() => storage.getById(acme, type, record.id))
    expect({ ...shown(read), updatedAt: '' }).toEqual({ ...shown(record), updatedAt: '' })
    expect(Number(read.updatedAt)).toBeGreaterThanOrEqual(Number(record.updatedAt))
  })

  test('should lie in the table as its own JSON without tags, and the tags beside it', async () => {
    const record = make()
    await save(record)
    const { _tags, ...value } = JSON.parse(JSON.stringify(record.toJSON()))
    const stored = await requireRecord(acme.contextCorrelationId, record.type, record.id)
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
      await storage.getById(acme, type, record.id)
      await storage.save(acme, record)
    })
    await expect(again).rejects.toThrow(RecordDuplicateError)
    await run(() => storage.delete(acme, record))
    await run(() => storage.deleteById(acme, type, other.id))
    for (const { id } of [record, other]) {
      await expect(run(() => storage.getById(acme, type, id))).rejects.toThrow(RecordNotFoundError)
      await expect(run(() => storage.deleteById(acme, type, id))).rejects.toThrow(RecordNotFoundError)
    }
    await expect(run(() => storage.update(acme, record))).rejects.toThrow(RecordNotFoundError)
    await expect(run(() => storage.delete(acme, record))).rejects.toThrow(RecordNotFoundError)
    expect(await table.items(`${acme.contextCorrelationId}|`)).toEqual([])
  })

  test('should be seen by no other tenant, nor by the base agent', async () => {
    const record = make()
    await save(record)
    for (const other of [contextOf('other'), contextOf(acme.contextCorrelationId, true)]) {
      await expect(run(() => storage.getById(other, type, record.id))).rejects.toThrow(RecordNotFoundError)
      await expect(run(() => storage.update(other, record))).rejects.toThrow(RecordNotFoundError)
      await expect(run(() => storage.deleteById(other, type, record.id))).rejects.toThrow(RecordNotFoundError)
    }
    expect(await run(() => storage.getById(acme, type, record.id))).toBeInstanceOf(type)
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
      const readMessage = await storage.getById(acme, DidCommMessageRecord, message.id)
      expect(readMessage.message).toEqual(message.message)
      expect(() => readMessage.getMessageInstance(DidCommRequestPresentationV2Message)).not.toThrow()
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
      const again = await storage.getById(acme, DidCommConnectionRecord, record.id)
      expect(again).not.toBe(read)
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

describe('a tag', () => {
  test('should be gone once it is unset', async () => {
    const record = connectionRecord({ threadId: 'gone' })
    await save(record)
    await run(() =>
      storage.updateByIdWithLock(acme, DidCommConnectionRecord, record.id, async (held) => {
        Reflect.deleteProperty(held, 'threadId')
        held.setTag('custom', undefined)
        return held
      }),
    )
    const read = await run(() => storage.getById(acme, DidCommConnectionRecord, record.id))
    expect(read.threadId).toBeUndefined()
    expect([read.getTag('threadId'), read.getTag('custom')]).toEqual([undefined, undefined])
    expect(await find(DidCommConnectionRecord, { threadId: 'gone' })).toEqual([])
  })
})

describe('the queries that Credo makes', () => {
  const [did, connection, invitation, message] = [didRecord(), connectionRecord(), outOfBandRecord(), messageRecord()]
  const [proof, text] = [proofRecord(), basicMessageRecord()]
  const fingerprints = did.getTags().recipientKeyFingerprints
  const invitationId = invitation.outOfBandInvitation.id

  beforeEach(async () => {
    await save(did, connection, invitation, message, proof, text)
    await save(didRecord('did:peer:2.another'), messageRecord('proof-2'))
    table.watch()
  })

  test.each<[RecordClass, object, AnyRecord]>([
    [DidRecord, { did: 'did:peer:2.one' }, did],
    [DidRecord, { recipientKeyFingerprints: fingerprints, role: 'created' }, did],
    [DidRecord, { $or: [{ did: 'did:peer:2.one' }, { alternativeDids: ['did:peer:2.one'] }], role: 'created' }, did],
    [DidCommConnectionRecord, { did: 'did:peer:ours', theirDid: 'did:peer:theirs' }, connection],
    [
      DidCommConnectionRecord,
      {
        $or: [
          { did: 'did:peer:before', theirDid: 'x' },
          { previousDids: ['did:peer:before'], theirDid: 'did:peer:theirs' },
        ],
      },
      connection,
    ],
    [DidCommConnectionRecord, { previousTheirDids: ['did:peer:theirs-before'] }, connection],
    [DidCommConnectionRecord, { outOfBandId: 'oob-1' }, connection],
    [DidCommConnectionRecord, { threadId: 'thread-1' }, connection],
    [DidCommConnectionRecord, { invitationDid: 'did:peer:invitation' }, connection],
    [DidCommConnectionRecord, { connectionTypes: ['mediator'] }, connection],
    [DidCommConnectionRecord, { state: 'completed', $not: { alias: 'x' } }, connection],
    [DidCommOutOfBandRecord, { invitationId, role: 'sender' }, invitation],
    [DidCommOutOfBandRecord, { recipientKeyFingerprints: ['z6MkTwo'], state: 'await-response' }, invitation],
    [
      DidCommMessageRecord,
      { associatedRecordId: 'proof-1', messageName: 'request-presentation', role: 'sender' },
      message,
    ],
    [DidCommProofExchangeRecord, { threadId: 'thread-1', role: 'verifier', connectionId: 'connection-1' }, proof],
    [DidCommProofExchangeRecord, { parentThreadId: 'parent-1' }, proof],
    [DidCommProofExchangeRecord, { threadId: 'thread-1', connectionId: undefined }, proof],
    [DidCommBasicMessageRecord, { connectionId: 'connection-1', role: 'receiver' }, text],
    [DidCommBasicMessageRecord, { threadId: 'thread-1', parentThreadId: null }, text],
  ])('should find the %o with %o', async (type, query, record) => {
    expect(await find(type, query)).toEqual([record.id])
    expect(table.requests.length).toBeLessThanOrEqual(2)
  })

  test.each<[RecordClass, object]>([
    [DidRecord, { did: 'did:peer:2.one', role: 'received' }],
    [DidRecord, { did: 'did:peer:2.none' }],
    [DidCommConnectionRecord, { did: 'did:peer:ours', $not: { state: 'completed' } }],
    [DidCommProofExchangeRecord, { threadId: 'thread-1', connectionId: null }],
    [DidCommProofExchangeRecord, { $and: [{ threadId: 'thread-1' }, { state: 'abandoned' }] }],
  ])('should find no %o with %o', async (type, query) => {
    expect(await find(type, query)).toEqual([])
  })
})

describe('a list', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const messages = ['c', 'a', 'd', 'b'].map((id, second) => basicMessageRecord({ id, createdAt: at(second) }))
  const options = { connectionId: 'connection-1' }

  test('should be in the order of age, within limit and offset', async () => {
    await save(...messages.toReversed())
    expect(await find(DidCommBasicMessageRecord, options)).toEqual(['c', 'a', 'd', 'b'])
    expect(await find(DidCommBasicMessageRecord, options, { limit: 2 })).toEqual(['c', 'a'])
    expect(await find(DidCommBasicMessageRecord, options, { offset: 3 })).toEqual(['b'])
    expect(await find(DidCommBasicMessageRecord, options, { limit: 2, offset: 1 })).toEqual(['a', 'd'])
    expect(await find(DidCommBasicMessageRecord, options, { limit: 0 })).toEqual([])
    expect(await find(DidCommBasicMessageRecord, options, { offset: 9, limit: 1 })).toEqual([])
  })

  test('should be all that there are of a type that has one, and be refused where only a scan could tell', async () => {
    const [first, second] = [connectionRecord({ createdAt: at(1) }), connectionRecord({ createdAt: at(2) })]
    await save(second, first)
    expect(idsOf(await run(() => storage.getAll(acme, DidCommConnectionRecord)))).toEqual([first.id, second.id])
    await expect(run(() => storage.getAll(acme, DidRecord))).rejects.toMatchObject({ code: 'store.query_not_indexed' })
    await expect(find(DidCommProofExchangeRecord, { state: 'done' })).rejects.toMatchObject({
      code: 'store.query_not_indexed',
    })
  })

  test('should never hold what is of another tenant', async () => {
    await save(connectionRecord())
    const other = contextOf(`${acme.contextCorrelationId}-other`)
    expect(await run(() => storage.getAll(other, DidCommConnectionRecord))).toEqual([])
    expect(await run(() => storage.findByQuery(other, DidCommConnectionRecord, { did: 'did:peer:ours' }))).toEqual([])
  })

  test('should be empty without a request for what this agent never stores', async () => {
    table.watch()
    expect(await find(DidCommMediationRecord, { default: true })).toEqual([])
    expect(table.requests).toEqual([])
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

  test('should be refused within an invocation, and a conflict where another one was first', async () => {
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

describe('an update under lock', () => {
  const counter = () => connectionRecord({ id: 'counter', alias: '0' })
  const increment = (before: () => Promise<unknown> = async () => {}) =>
    run(() =>
      storage.updateByIdWithLock(acme, DidCommConnectionRecord, 'counter', async (held) => {
        await before()
        held.alias = String(Number(held.alias) + 1)
        return held
      }),
    )

  test('should give back what is stored', async () => {
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
    await expect(
      run(() => storage.updateByIdWithLock(acme, DidCommConnectionRecord, 'unknown', async (held) => held)),
    ).rejects.toThrow(RecordNotFoundError)
    expect((await run(() => storage.getById(acme, DidCommConnectionRecord, 'counter'))).alias).toBe('0')
  })

  test('should be what the service says that it can do', () => {
    expect(service.supportsLocking()).toBe(true)
    expect(service.supportsCursorPagination).toBe(false)
  })
})

test('the version of the storage should be that of the framework, without a request', async () => {
  table.watch()
  const record = await run(() => storage.getById(acme, StorageVersionRecord, 'STORAGE_VERSION_RECORD_ID'))
  expect(record.storageVersion).toBe(StorageVersionRecord.frameworkStorageVersion)
  expect(table.requests).toEqual([])
})

test('a state that changes should be found under its new name only', async () => {
  const record = connectionRecord({ state: DidCommDidExchangeState.RequestReceived })
  await save(record)
  record.state = DidCommDidExchangeState.Completed
  await run(() => storage.update(acme, record))
  expect(await find(DidCommConnectionRecord, { state: 'completed' })).toEqual([record.id])
  expect(await find(DidCommConnectionRecord, { state: 'request-received' })).toEqual([])
})
