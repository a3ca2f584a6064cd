/** Heartbeats of the stream: the sweep detects that changes of the table do not reach the dispatcher. */
import type { DynamoDBRecord } from 'aws-lambda'
import { beforeEach, expect, test, vi } from 'vitest'
import { dispatch } from '../../../lib/delivery/dispatch.ts'
import { heartbeatItem } from '../../../lib/outbox/stream-heartbeat.ts'
import { sweep } from '../../../lib/outbox/sweep.ts'
import { heartbeatAddress } from '../../../lib/outbox/wake-ups/keys.ts'
import { inserted } from '../../support/webhooks/changes.ts'
import { failure } from '../store/started-table.ts'
import { useOutboxScene } from './scene.ts'

process.env.LOG_LEVEL = 'info'
const MINUTE = 60_000
const scene = await useOutboxScene()

const lines: Record<string, unknown>[] = []
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line)))
beforeEach(() => {
  lines.length = 0
  // The first minute of one of the sweep's five.
  scene.now = Math.ceil(scene.now / (5 * MINUTE)) * 5 * MINUTE
})

/** The stream's record of the last heartbeat. */
const change = async (): Promise<DynamoDBRecord> => inserted((await scene.table.get(heartbeatAddress('sent'))) ?? {})

/** The errors in runs of the sweep, five minutes apart: the minutes of each after the first run. */
const faultsIn = async (runs: number, isStreamed: boolean): Promise<number[]> => {
  const begin = scene.now
  const faults: number[] = []
  for (let run = 0; run < runs; run++, scene.now += 5 * MINUTE) {
    lines.length = 0
    await sweep(scene.now)
    const measured = lines.filter(({ alarm }) => alarm === 'FaultsAlarm')
    expect(measured.every(({ event, StreamStopped }) => event === 'stream.stopped' && StreamStopped === 1)).toBe(true)
    faults.push(...measured.map(() => (scene.now - begin) / MINUTE))
    if (isStreamed) expect(await dispatch([await change()])).toBeUndefined()
  }
  return faults
}

test('there is no error while they are received, nor in the first 15 minutes of a stage', async () => {
  expect(await faultsIn(3, false)).toEqual([])
  await dispatch([await change()])
  expect(await faultsIn(6, true)).toEqual([])
})

test('after 15 minutes without one, each run of the sweep is an error, until one is received', async () => {
  expect(await faultsIn(2, true)).toEqual([])
  expect(await faultsIn(6, false)).toEqual([15, 20, 25])
  await dispatch([await change()])
  expect(await faultsIn(3, true)).toEqual([])
})

test('a run that is early by seconds is in time', async () => {
  await faultsIn(3, false)
  scene.now -= 10_000
  expect(await faultsIn(1, false)).toEqual([])
  scene.now += 10_000
  expect(await faultsIn(1, false)).toEqual([0])
})

test('the time without runs of the sweep does not count, as in a restored table', async () => {
  await faultsIn(2, false)
  scene.now += 60 * MINUTE
  expect(await faultsIn(4, false)).toEqual([15])
})

test('one that cannot be recorded or read does not block changes', async () => {
  await sweep(scene.now)
  const heartbeat = await change()
  scene.table.way = (command, send) =>
    command === 'PutItem' ? Promise.reject(failure('InternalServerError', { $fault: 'server' })) : send()
  expect(await dispatch([heartbeat])).toBeUndefined()
  scene.table.way = undefined
  expect(await dispatch([inserted({ kind: { S: heartbeatItem.kind } })])).toBeUndefined()
  expect(await scene.table.get(heartbeatAddress('received'))).toBeUndefined()
})
