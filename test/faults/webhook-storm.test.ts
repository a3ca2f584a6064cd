/** Hundreds of changes of records in 10 organizations, and a receiver that fails three times in ten: every event, in order, and only those. */
import { paginateScan } from '@aws-sdk/client-dynamodb'
import { afterAll, expect, test, vi } from 'vitest'
import type { NewRecord } from '../../lib/store/stored-record.ts'
import { transaction } from '../../lib/store/transaction.ts'
import { insertTenant } from '../../lib/tenants/tenants.ts'
import { eventItem } from '../../lib/webhooks/event-item.ts'
import { registerEndpoint } from '../../lib/webhooks/registrations.ts'
import { startPipeline } from '../support/delivery/pipeline.ts'
import { FULL } from '../support/depth.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { startFailingReceiver } from './failing-receiver.ts'

const ORGANIZATIONS = 10
const RECORDS = FULL ? 50 : 20
/** Changes of the state of each record; every tenth is followed by a change that leaves the state as it is. */
const CHANGES = 20
const VERSIONS = CHANGES + CHANGES / 10 - 1
const FAILURES = 0.3

const TYPES = ['ProofRecord', 'CredentialRecord'] as const
const STATES = ['request-sent', 'presentation-received', 'done', 'abandoned']

vi.spyOn(console, 'log').mockImplementation(() => {})
vi.useFakeTimers({ toFake: ['Date'] })
const started = Date.now()
const pipeline = await stopAtEnd(startPipeline())
const receiver = await stopAtEnd(startFailingReceiver(FAILURES))
afterAll(async () => {
  vi.useRealTimers()
})

const tenantOf = (record: number): string => `org${record % ORGANIZATIONS}`

const register = async (): Promise<void> => {
  for (let number = 0; number < ORGANIZATIONS; number++) {
    const id = tenantOf(number)
    await transaction(id, async (unit) => {
      insertTenant(unit, { id, label: id, orgId: id, createdAt: new Date(started).toISOString() })
      const kind = number % 2 === 0 ? 'webhook' : 'notification'
      await registerEndpoint(unit, { orgId: id, kind, url: `${receiver.url}/${id}` })
    })
  }
}

const isNewState = (version: number): boolean => version % 11 !== 0

const recordOf = (number: number, version: number): NewRecord => {
  const id = `record${number}`
  const state = STATES[(version - Math.floor(version / 11)) % STATES.length] ?? ''
  const [createdAt, updatedAt] = [0, version].map((later) => new Date(started + later).toISOString())
  const tags = { state, threadId: `thread${number}` }
  const value = { id, state, createdAt, updatedAt, metadata: {} }
  return { tenant: tenantOf(number), type: TYPES[number % 2] ?? '', id, value, tags }
}

/** Writes all versions of all records, half of the records in one transaction. */
const change = async (): Promise<void> => {
  for (let version = 1; version <= VERSIONS; version++)
    for (const half of [0, 1])
      await transaction('@base', async (unit) => {
        for (let number = half; number < RECORDS; number += 2)
          if (version === 1) unit.insert(recordOf(number, version))
          else await unit.update(recordOf(number, version))
      })
}

const itemsOfKind = async (kind: string) => {
  const found = []
  for await (const { Items = [] } of paginateScan({ client: pipeline.client }, { TableName: pipeline.table }))
    found.push(...Items.filter((item) => item.kind?.S === kind))
  return found
}

test('every event of all changes arrives, in order for each record, and no other', async () => {
  await register()
  await change()
  await pipeline.settle(async () => receiver.arrivals.filter(({ taken }) => taken).length === RECORDS * CHANGES, 10)
  await pipeline.settle()

  const { arrivals } = receiver
  const sequences = Array.from({ length: VERSIONS }, (_, index) => index + 1).filter(isNewState)
  expect(sequences).toHaveLength(CHANGES)
  const ofRecord = Map.groupBy(arrivals, ({ recordId }) => recordId)
  expect(ofRecord.size).toBe(RECORDS)
  for (const [recordId, heard] of ofRecord) {
    // No attempt at an event before the one before it was taken, and none after its own.
    const tried = heard.filter((_, index) => index === 0 || heard[index - 1]?.taken).map(({ sequence }) => sequence)
    expect({ recordId, tried }).toEqual({ recordId, tried: sequences })
    expect(heard.filter(({ taken }) => taken).map(({ sequence }) => sequence)).toEqual(sequences)
  }
  const taken = arrivals.filter((arrival) => arrival.taken).map(({ id }) => id)
  expect(new Set(taken).size).toBe(RECORDS * CHANGES)
  expect(Math.abs(1 - taken.length / arrivals.length - FAILURES)).toBeLessThan(FULL ? 0.06 : 0.12)

  const events = (await itemsOfKind('event')).map(eventItem.decode)
  expect(events.map(({ id }) => id).toSorted()).toEqual(taken.toSorted())
  expect(new Set(events.map(({ state }) => state))).toEqual(new Set(['delivered']))
  const alone = events.filter(({ delivery }) => delivery !== undefined)
  expect(await itemsOfKind('attempt')).toHaveLength(arrivals.length - alone.length)
  expect(await itemsOfKind('pending-event')).toEqual([])
  expect(await itemsOfKind('lane')).toEqual([])
  expect(await checkTable(pipeline.client, pipeline.table)).toEqual([])
  expect([pipeline.queued(), pipeline.dead()]).toEqual([0, 0])
})
