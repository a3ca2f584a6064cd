/** What Credo looks for is found by the index, in its order, and only by its own tenant. */
import { AnonCredsCredentialRecord } from '@credo-ts/anoncreds'
import type { AgentContext } from '@credo-ts/core'
import { DidRecord } from '@credo-ts/core'
import {
  DidCommBasicMessageRecord,
  DidCommConnectionRecord,
  DidCommDidExchangeState,
  DidCommMediationRecord,
  DidCommMediatorRoutingRecord,
  DidCommMessageRecord,
  DidCommOutOfBandRecord,
  DidCommProofExchangeRecord,
} from '@credo-ts/didcomm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTable } from '../store/use-table.ts'
import {
  type AnyRecord,
  basicMessageRecord,
  connectionRecord,
  didRecord,
  messageRecord,
  outOfBandRecord,
  proofRecord,
  type RecordClass,
} from './credo-records.ts'
import { contextOf, idsOf, storage } from './credo-storage.ts'

const table = await useTable({ memory: true, check: false })
let tenants = 0
let acme: AgentContext

beforeEach(() => {
  tenants += 1
  acme = contextOf(`acme${tenants}`)
})

/** Runs `act` in a transaction of its own. */
const run = <T>(act: () => Promise<T>): Promise<T> => transaction('acme', act)
const save = (...records: AnyRecord[]) =>
  run(async () => {
    for (const record of records) await storage.save(acme, record)
  })
const find = (type: RecordClass, query: object, options?: { limit?: number; offset?: number }) =>
  run(() => storage.findByQuery(acme, type, query, options)).then(idsOf)

describe('the queries that Credo makes', () => {
  const [did, connection, invitation, message] = [didRecord(), connectionRecord(), outOfBandRecord(), messageRecord()]
  const [proof, text] = [proofRecord(), basicMessageRecord()]
  const fingerprints = did.getTags().recipientKeyFingerprints
  const invitationId = invitation.outOfBandInvitation.id

  const queried = contextOf('queried')

  beforeAll(async () => {
    acme = queried
    await save(did, connection, invitation, message, proof, text)
    await save(didRecord('did:peer:2.another'), messageRecord('proof-2'))
  })
  beforeEach(() => {
    acme = queried
    table.watch()
  })

  test.each<[object, RecordClass, AnyRecord]>([
    [{ did: 'did:peer:2.one' }, DidRecord, did],
    [{ recipientKeyFingerprints: fingerprints, role: 'created' }, DidRecord, did],
    [{ $or: [{ did: 'did:peer:2.one' }, { alternativeDids: ['did:peer:2.one'] }], role: 'created' }, DidRecord, did],
    [{ did: 'did:peer:ours', theirDid: 'did:peer:theirs' }, DidCommConnectionRecord, connection],
    [
      {
        $or: [
          { did: 'did:peer:before', theirDid: 'x' },
          { previousDids: ['did:peer:before'], theirDid: 'did:peer:theirs' },
        ],
      },
      DidCommConnectionRecord,
      connection,
    ],
    [{ previousTheirDids: ['did:peer:theirs-before'] }, DidCommConnectionRecord, connection],
    [{ outOfBandId: 'oob-1' }, DidCommConnectionRecord, connection],
    [{ threadId: 'thread-1' }, DidCommConnectionRecord, connection],
    [{ invitationDid: 'did:peer:invitation' }, DidCommConnectionRecord, connection],
    [{ connectionTypes: ['mediator'] }, DidCommConnectionRecord, connection],
    [{ state: 'completed', $not: { alias: 'x' } }, DidCommConnectionRecord, connection],
    [{ invitationId, role: 'sender' }, DidCommOutOfBandRecord, invitation],
    [
      { associatedRecordId: 'proof-1', messageName: 'request-presentation', role: 'sender' },
      DidCommMessageRecord,
      message,
    ],
    [{ threadId: 'thread-1', role: 'verifier', connectionId: 'connection-1' }, DidCommProofExchangeRecord, proof],
    [{ parentThreadId: 'parent-1' }, DidCommProofExchangeRecord, proof],
    [{ threadId: 'thread-1', connectionId: undefined }, DidCommProofExchangeRecord, proof],
    [{ connectionId: 'connection-1', role: 'receiver' }, DidCommBasicMessageRecord, text],
    [{ threadId: 'thread-1', connectionId: 'connection-1' }, DidCommBasicMessageRecord, text],
  ])('%j should find its record, with two requests at most', async (query, type, record) => {
    expect(await find(type, query)).toEqual([record.id])
    expect(table.requests.length).toBeLessThanOrEqual(2)
  })

  test.each<[object, RecordClass]>([
    [{ did: 'did:peer:2.one', role: 'received' }, DidRecord],
    [{ did: 'did:peer:2.none' }, DidRecord],
    [{ did: 'did:peer:ours', $not: { state: 'completed' } }, DidCommConnectionRecord],
    [{ threadId: 'thread-1', connectionId: null }, DidCommProofExchangeRecord],
    [{ $and: [{ threadId: 'thread-1' }, { state: 'abandoned' }] }, DidCommProofExchangeRecord],
  ])('%j should find none', async (query, type) => {
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

  test('should be all that there are of a type that has one, and be rejected where only a scan could tell', async () => {
    const [first, second] = [connectionRecord({ createdAt: at(1) }), connectionRecord({ createdAt: at(2) })]
    await save(second, first)
    expect(idsOf(await run(() => storage.getAll(acme, DidCommConnectionRecord)))).toEqual([first.id, second.id])
    await expect(run(() => storage.getAll(acme, DidRecord))).rejects.toMatchObject({ code: 'store.query_not_indexed' })
    await expect(find(DidCommMessageRecord, { messageName: 'ack' })).rejects.toMatchObject({
      code: 'store.query_not_indexed',
    })
  })

  test('should never hold what is of another tenant', async () => {
    await save(connectionRecord())
    const other = contextOf(`${acme.contextCorrelationId}-other`)
    expect(await run(() => storage.getAll(other, DidCommConnectionRecord))).toEqual([])
    expect(await run(() => storage.findByQuery(other, DidCommConnectionRecord, { did: 'did:peer:ours' }))).toEqual([])
  })

  test.each([DidCommMediationRecord, DidCommMediatorRoutingRecord, AnonCredsCredentialRecord])(
    'should be empty without a request for what this agent never stores: %#',
    async (type) => {
      table.watch()
      expect(await find(Object(type), {})).toEqual([])
      expect(table.requests).toEqual([])
    },
  )
})

test('a state that changes should be found under its new name only', async () => {
  const record = connectionRecord({ state: DidCommDidExchangeState.ResponseReceived })
  await save(record)
  record.state = DidCommDidExchangeState.Completed
  await run(() => storage.update(acme, record))
  expect(await find(DidCommConnectionRecord, { state: 'completed' })).toEqual([record.id])
  expect(await find(DidCommConnectionRecord, { state: 'response-received' })).toEqual([])
})
