/** The sweep wakes all that is due, after any crash; without due entries it costs little. */
import type { QueryCommand } from '@aws-sdk/client-dynamodb'
import type { SendMessageBatchCommand } from '@aws-sdk/client-sqs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { jobItem, jobName } from '../../../lib/jobs/job.ts'
import { destinationItem } from '../../../lib/outbox/destinations/destination.ts'
import { laneItem } from '../../../lib/outbox/lanes/lane.ts'
import { entriesToWake, sweep } from '../../../lib/outbox/sweep.ts'
import { sqs } from '../../../lib/outbox/wake-ups/queues.ts'
import { isForLane } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { settings } from '../../../lib/settings.ts'
import { dynamodb } from '../../../lib/store/client.ts'
import { type DueEntry, dueFor } from '../../../lib/store/due.ts'
import { kms } from '../../../lib/store/kms-client.ts'
import { toKey } from '../../../lib/store/table.ts'
import { failure } from '../store/started-table.ts'
import { answered, failing, newOrigin, useOutboxScene } from './scene.ts'

process.env.JOB_QUEUE_URL = 'http://sqs.test/jobs'
const scene = await useOutboxScene()

/** The requests of a sweep with a census: each shard of the index once, and the heartbeat of the stream. */
const COUNTING = [...Array.from({ length: 16 }, () => 'Query'), 'BatchGetItem', 'PutItem']

const SECOND = 1_000
const MINUTE = 60 * SECOND

const NEW_JOB = { attempts: 0, failures: 0, createdAt: new Date(0).toISOString() }

/** The queues of all entries that are sent from here on, also of dropped duplicates. A call has ten. */
const countEntries = (): string[] => {
  const sent: string[] = []
  vi.spyOn(sqs(), 'send').mockImplementation((async ({ input }: SendMessageBatchCommand) => {
    if ((input.Entries?.length ?? 0) > 10) throw new Error('TooManyEntriesInBatchRequest')
    sent.push(...(input.Entries ?? []).map(() => input.QueueUrl?.split('/').at(-1) ?? ''))
    return {}
  }) as never)
  return sent
}
afterEach(() => vi.restoreAllMocks())

describe('the sweep', () => {
  test('reads each shard of the index once if nothing is due, and wakes nothing', async () => {
    scene.table.watch()
    expect(await sweep(scene.now)).toEqual({ entries: 0, age: 0 })
    expect(scene.table.requests).toEqual(COUNTING)
    expect(scene.sent).toEqual([])
  })

  test('wakes due lanes and destinations, and measures their number and age', async () => {
    const origin = newOrigin()
    scene.respond = ({ endpoint }) => (endpoint.startsWith(origin) ? failing('connect') : answered(500))
    scene.random = 0.999
    await scene.sendTo(origin, 2)
    await scene.sendTo(newOrigin(), 1)
    await scene.handleAll()
    scene.waiting.length = 0
    expect(await sweep(scene.now)).toMatchObject({ entries: 0 })
    scene.now += MINUTE
    const { entries, age } = await sweep(scene.now)
    expect(entries).toBe(2)
    expect(age).toBeGreaterThan(50 * SECOND)
    expect(scene.waiting.map(({ wakeUp }) => isForLane(wakeUp)).sort()).toEqual([false, true])
  })

  test('wakes again the lanes whose wake-ups a queue has rejected', async () => {
    const to = scene.newLane()
    scene.respond = () => answered(500)
    await scene.send(to, 'one', { origin: newOrigin() })
    await scene.handleAll()
    scene.waiting.length = 0
    scene.now += MINUTE
    scene.sqsFails = true
    await sweep(scene.now)
    scene.sqsFails = false
    scene.respond = () => answered(200)
    await scene.pass(2 * MINUTE)
    expect(scene.accepted).toEqual(['one'])
  })

  test('wakes an entry that stays due at the same time once in five minutes', async () => {
    const jobs = [1, 2, 3].map((id) => ({ tenant: 'acme', type: 'ledger-object' as const, id: String(id) }))
    const destination = newOrigin()
    const to = scene.newLane()
    for (const key of jobs)
      await scene.table.put(jobItem.encode({ ...key, ...NEW_JOB, ...dueFor(jobName(key), scene.now) }))
    await scene.table.put(destinationItem.encode({ destination, version: 1, ...dueFor(destination, scene.now) }))
    await scene.table.put(laneItem.encode({ lane: to.lane, ...dueFor(to.lane, scene.now) }))
    const woken = countEntries()
    const counts = []
    for (let minute = 0; minute < 11; minute++, scene.now += MINUTE) {
      await sweep(scene.now)
      counts.push(woken.splice(0).length)
    }
    expect(counts).toEqual([5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 5])
    // With another time it counts as new.
    for (const key of jobs)
      await scene.table.put(jobItem.encode({ ...key, ...NEW_JOB, ...dueFor(jobName(key), scene.now) }))
    await sweep(scene.now)
    expect(woken).toEqual(jobs.map(() => 'jobs'))
  })

  test('wakes more of each kind than one call to a queue takes', async () => {
    const due = { dueShard: 'due|0', dueAt: scene.now }
    for (let index = 0; index < 11; index++) {
      await scene.table.put(laneItem.encode({ lane: scene.newLane().lane, ...due }))
      await scene.table.put(destinationItem.encode({ destination: newOrigin(), version: 1, ...due }))
      const key = { tenant: 'acme', type: 'ledger-object' as const, id: String(index) }
      await scene.table.put(jobItem.encode({ ...key, ...NEW_JOB, ...due }))
    }
    const woken = countEntries()
    await sweep(scene.now)
    expect(woken).toHaveLength(33)
  })

  test('does not wait five minutes after a partial rejection', async () => {
    const lanes = Array.from({ length: 15 }, () => scene.newLane().lane)
    for (const lane of lanes) await scene.table.put(laneItem.encode({ lane, ...dueFor(lane, scene.now) }))
    scene.refuses = (body) => body.includes(lanes[7] as string)
    await sweep(scene.now)
    expect(scene.waiting).toHaveLength(14)
    scene.refuses = undefined
    await sweep(scene.now + MINUTE)
    expect(scene.waiting.map(({ wakeUp }) => 'lane' in wakeUp && wakeUp.lane).sort()).toEqual(lanes.sort())
  })

  test('wakes a limited number of one owner in a shard, and those of other owners behind them', async () => {
    const due = (owner: string, count: number, at: number): DueEntry[] =>
      Array.from({ length: count }, (_, index) => ({ kind: 'lane', name: `${owner}|ConnectionRecord|${index}`, at }))
    const shares = new Map<string, number>()
    const from = { now: 10, wokenAt: () => undefined, shares }
    const first = entriesToWake(due('busy', 500, 1), from)
    const second = entriesToWake([...due('busy', 400, 1), ...due('quiet', 3, 2)], from)
    expect(first).toEqual(due('busy', 256, 1))
    expect(second).toEqual(due('quiet', 3, 2))
    // Wake-ups that may still be in a queue count; handled ones do not.
    const names = new Set(first.map(({ name }) => name))
    const wokenAt = ({ name }: DueEntry) => (names.has(name) ? 10 : undefined)
    const later = () => ({ now: 10 + MINUTE, wokenAt, shares: new Map() })
    expect(entriesToWake(due('busy', 500, 1), later())).toEqual([])
    const handled = 100
    expect(entriesToWake(due('busy', 500, 1).slice(handled), later())).toEqual(
      due('busy', 500, 1).slice(first.length, first.length + handled),
    )
  })

  test('wakes a limited number of jobs of one agent, and those of other agents behind them', () => {
    const jobs = (tenant: string, count: number): DueEntry[] =>
      Array.from({ length: count }, (_, id) => ({ kind: 'job', name: `${tenant}|job|presentation|${id}`, at: 1 }))
    const due = [...jobs('busy', 300), ...jobs('quiet', 3)]
    const woken = entriesToWake(due, { now: 10, wokenAt: () => undefined, shares: new Map() })
    expect(woken).toEqual([...jobs('busy', 256), ...jobs('quiet', 3)])
  })

  test('ignores times at which its clock was ahead', async () => {
    const entry = { kind: 'lane', name: 'acme|ConnectionRecord|1', at: 1 } as const
    const wakes = (now: number, woken: number) =>
      entriesToWake([entry], { now, wokenAt: () => woken, shares: new Map() })
    expect(wakes(10, 11)).toEqual([entry])
    expect(wakes(5 * MINUTE - 1, 0)).toEqual([])
    expect(wakes(5 * MINUTE, 0)).toEqual([entry])
  })

  test('reads nothing that is due in weeks, even for a census', async () => {
    const CENSUS = 5 * MINUTE
    scene.now = Math.ceil(scene.now / CENSUS) * CENSUS
    const jobs = Array.from({ length: 600 }, (_, id) => ({
      ...{ tenant: 'acme', type: 'pickup-expiry' as const, id: String(id) },
    }))
    const later = scene.now + 13 * 24 * 60 * MINUTE
    await scene.table.putAll(jobs.map((key) => jobItem.encode({ ...key, ...NEW_JOB, dueShard: 'due|0', dueAt: later })))
    scene.table.watch()
    await sweep(scene.now)
    expect(scene.table.requests).toEqual(COUNTING)
  })

  test('reads all due entries, and a bounded number of those due later', async () => {
    const CENSUS = 5 * MINUTE
    scene.now = (Math.floor(scene.now / CENSUS) + 1) * CENSUS
    const pageAt = (at: number) =>
      Array.from({ length: 500 }, (_, id) => ({
        ...{ pk: { S: `acme|job|pickup-expiry|${id}` }, kind: { S: 'job' }, dueAt: { N: String(at) } },
      }))
    // 30 pages are due, followed by an endless number that is due later.
    const pages = new Map<string, number>()
    vi.spyOn(dynamodb(), 'send').mockImplementation((async ({ input }: QueryCommand) => {
      if (input.IndexName === undefined) return {}
      expect(input.Limit).toBe(500)
      const shard = input.ExpressionAttributeValues?.[':shard']?.S ?? ''
      const page = (pages.get(shard) ?? 0) + 1
      pages.set(shard, page)
      return { Items: pageAt(scene.now + (page > 30 ? 1 : page - 30)), LastEvaluatedKey: {} }
    }) as never)
    countEntries()
    expect(await sweep(scene.now)).toEqual({ entries: 16 * 30 * 500, age: 29 })
    expect([...pages.values()]).toEqual(Array.from({ length: 16 }, () => 50))
  })

  test('counts waiting lanes once in five minutes, and a minute later after a failure', async () => {
    const CENSUS = 5 * MINUTE
    scene.now = (Math.floor(scene.now / CENSUS) + 1) * CENSUS
    let reads = 0
    vi.spyOn(dynamodb(), 'send').mockImplementation((async ({ input }: QueryCommand) => {
      const down = { kind: { S: 'destination' }, destination: { S: 'down' } }
      if (input.IndexName !== undefined)
        return { Items: input.ExpressionAttributeValues?.[':shard']?.S === 'due|0' ? [down] : [] }
      if (input.KeyConditionExpression === undefined) return {}
      reads += 1
      if (reads <= 16) throw failure('InternalServerError', { $fault: 'server' })
      return { Items: [] }
    }) as never)
    await expect(sweep(scene.now)).rejects.toMatchObject({ code: 'store.unavailable' })
    await sweep(scene.now + MINUTE)
    expect(reads).toBe(32)
    await sweep(scene.now + 2 * MINUTE)
    expect(reads).toBe(32)
  })

  test('checks the sealing key when it counts', async () => {
    const { SEALING_KEY } = settings()
    Object.assign(settings(), { SEALING_KEY: undefined, KMS_KEY_ID: 'alias/key' })
    const asked = vi.spyOn(kms(), 'send').mockImplementation(async () => ({ KeyMetadata: { KeyState: 'Enabled' } }))
    try {
      await sweep(scene.now + 10 * MINUTE)
      expect(asked).toHaveBeenCalledOnce()
    } finally {
      Object.assign(settings(), { SEALING_KEY, KMS_KEY_ID: undefined })
    }
  })

  test('ignores an item of an unknown kind in the index', async () => {
    await scene.table.put({
      ...toKey({ pk: 'odd', sk: '~' }),
      dueShard: { S: 'due|3' },
      dueAt: { N: '5' },
      kind: { S: 'odd' },
    })
    expect(await sweep(scene.now)).toMatchObject({ entries: 0 })
  })
})
