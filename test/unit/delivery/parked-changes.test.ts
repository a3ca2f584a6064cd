/** Parked changes are stored completely, for any size, once, in the order of the stream, for a month. */
import { randomBytes } from 'node:crypto'
import type { DynamoDBRecord } from 'aws-lambda'
import { beforeEach, expect, test, vi } from 'vitest'
import {
  beginTry,
  endTry,
  PARKED_CHANGES,
  type ParkedChange,
  park,
  parkedChanges,
  parkedItem,
  triesItem,
} from '../../../lib/delivery/parked-changes.ts'
import { epochSeconds } from '../../../lib/store/table.ts'
import { removeIf } from '../../../lib/store/write.ts'
import { modified } from '../../support/webhooks/changes.ts'
import { failure } from '../store/started-table.ts'
import { useTable } from '../store/use-table.ts'

process.env.LOG_LEVEL = 'error'
const told = vi.spyOn(console, 'log').mockImplementation(() => {})
const table = await useTable({ memory: true, check: false })

beforeEach(async () => {
  table.way = undefined
  for (const { remove } of await all()) await remove()
})

const all = async (): Promise<ParkedChange[]> => {
  const found: ParkedChange[] = []
  for await (const change of parkedChanges()) found.push(change)
  return found
}

const daysUntil = (time: string | undefined) => Math.round((Number(time) - epochSeconds()) / (24 * 3600))

const key = { pk: { S: 'acme|ProofRecord|r1' }, sk: { S: '~' } }
/** A change with images that can hardly be compressed. */
const changeOf = (sequence: string, bytes = 10): DynamoDBRecord => {
  const image = () => ({ ...key, value: { S: randomBytes((bytes * 3) / 4).toString('base64') } })
  const change = modified(image(), image())
  return { ...change, dynamodb: { ...change.dynamodb, SequenceNumber: sequence } }
}

test('two images of 400 KB are stored, although they exceed one item', async () => {
  const change = changeOf('7', 400_000)
  expect(await park(change)).toBe(true)
  expect((await table.items(PARKED_CHANGES)).length).toBeGreaterThan(1)
  expect((await all()).map(({ record }) => record)).toEqual([change])
  expect(await table.check()).toEqual([])
})

test('a change that is stored already stays unchanged', async () => {
  const change = changeOf('7')
  await park(change)
  const before = await table.items(PARKED_CHANGES)
  expect(await park(changeOf('7'))).toBe(true)
  expect(await table.items(PARKED_CHANGES)).toEqual(before)
})

test('they are read in the order of the stream, for any length of sequence numbers', async () => {
  const sequences = ['9', '10', '100000000000000000000001', '99999999999999999999999']
  for (const sequence of sequences.toReversed()) await park(changeOf(sequence, sequence === '10' ? 400_000 : 10))
  const sorted = sequences.toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  expect((await all()).map(({ sequence }) => sequence)).toEqual(sorted)
})

test('more of them than in one read are all found', async () => {
  for (let sequence = 1; sequence <= 45; sequence++) await park(changeOf(String(sequence)))
  expect((await all()).map(({ sequence }) => Number(sequence))).toEqual(Array.from({ length: 45 }, (_, i) => i + 1))
})

test('one is stored for 30 days', async () => {
  await park(changeOf('7'))
  const [item] = await table.items(PARKED_CHANGES)
  expect(daysUntil(item?.expiresAt?.N)).toBe(30)
})

test.each([
  ['is unavailable', failure('InternalServerError', { $fault: 'server' })],
  ['rejects the write', failure('AccessDeniedException')],
])('parking fails if the table %s', async (_name, error) => {
  table.way = () => Promise.reject(error)
  expect(await park(changeOf('7'))).toBe(false)
})

test('a change without one of its parts is skipped, and the next ones are found', async () => {
  await park(changeOf('4'))
  for (const sequence of ['5', '6', '7']) await park(changeOf(sequence, 400_000))
  for (const address of [
    parkedItem.addressOf({ sequence: '5', part: 1 }),
    parkedItem.addressOf({ sequence: '6', part: 0 }),
  ])
    await removeIf(address)
  expect((await all()).map(({ sequence }) => sequence)).toEqual(['4', '7'])
})

test('a change whose removal was interrupted is not reported, because it was dispatched', async () => {
  await park(changeOf('8', 400_000))
  const [change] = await all()
  let requests = 0
  table.way = (_, send) => (++requests === 1 ? send() : Promise.reject(failure('AccessDeniedException')))
  await expect(change?.remove()).rejects.toThrow()
  table.way = undefined
  told.mockClear()
  expect(await all()).toEqual([])
  expect(told).not.toHaveBeenCalledWith(expect.stringContaining('"sequence":"8"'))
})

test('tries are counted from 0 after one that an outage has ended, and no item is created if none was counted', async () => {
  expect([await beginTry('8'), await beginTry('8')]).toEqual([1, 2])
  expect(daysUntil((await table.get(triesItem.addressOf({ sequence: '8' })))?.expiresAt?.N)).toBe(2)
  await endTry('8')
  expect(await beginTry('8')).toBe(1)
  await endTry('9')
  expect(await table.get(triesItem.addressOf({ sequence: '9' }))).toBeUndefined()
})

test('a try that an outage ends has ended, even if the table cannot record that', async () => {
  await beginTry('10')
  table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
  await expect(endTry('10')).resolves.toBeUndefined()
})
