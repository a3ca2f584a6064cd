/** Jobs: done once despite repetitions, crashes and lost leases, and given up after three failures of their own. */
import type { SQSRecord } from 'aws-lambda'
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { AgentError } from '../../../lib/errors.ts'
import {
  enqueue,
  type JobHandler,
  type JobKey,
  type JobType,
  jobItem,
  jobName,
  jobNamed,
} from '../../../lib/jobs/job.ts'
import { leaseJob } from '../../../lib/jobs/lease.ts'
import { runBatch, runJob } from '../../../lib/jobs/run.ts'
import { sweep } from '../../../lib/outbox/sweep.ts'
import { sqsOnce } from '../../../lib/outbox/wake-ups/queues.ts'
import { settings } from '../../../lib/settings.ts'
import { defineItem } from '../../../lib/store/item.ts'
import { text } from '../../../lib/store/item-fields.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { UnitOfWork } from '../../../lib/store/unit-of-work.ts'
import { useTableAndQueues } from '../outbox/table-and-queues.ts'
import { failure } from '../store/started-table.ts'

const lines: string[] = []

/** The items that the handlers of these tests write. */
const outcome = defineItem(
  'outcome',
  ({ id }: { id: string }) => ({ pk: `outcome|${id}`, sk: '~' }),
  { text: text() },
  'service',
)

vi.useFakeTimers({ toFake: ['Date'] })
vi.spyOn(console, 'log').mockImplementation((line) => lines.push(String(line)))
process.env.LOG_LEVEL = 'debug'
const { table, queues } = await useTableAndQueues({ check: false })
afterAll(async () => {
  vi.useRealTimers()
})
beforeEach(() => {
  table.way = undefined
  queues.clear()
  lines.length = 0
})

let jobs = 0
const newJob = async (type: JobType = 'credential-definition', delay = 0): Promise<JobKey> => {
  const key = { tenant: 'acme', type, id: `job-${jobs++}` }
  await transaction('acme', async (unit) => enqueue(unit, key, delay))
  return key
}

const itemOf = async (key: JobKey) => {
  const item = await table.get(jobItem.addressOf(key))
  return item && jobItem.decode(item)
}
const outcomeOf = async ({ id }: JobKey) => {
  const item = await table.get(outcome.addressOf({ id }))
  return item && outcome.decode(item).text
}
const events = () => lines.map((line) => JSON.parse(line).event)
/** The lines of the log that count what was given up. */
const counted = () => lines.map((line) => JSON.parse(line)).filter(({ WorkGivenUp }) => WorkGivenUp !== undefined)
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)
const MINUTE = 60_000
const LEASE = 90_000

/** A handler that commits a text, or first runs a function of the test. */
const handler = (run: () => unknown = () => undefined): JobHandler & { runs: number } => {
  const made = {
    runs: 0,
    run: async ({ id }: JobKey) => {
      made.runs += 1
      await run()
      return {
        commit: async (unit: Parameters<JobHandler['giveUp']>[0]) => unit.create(outcome.encode({ id, text: 'done' })),
      }
    },
    giveUp: async (unit: Parameters<JobHandler['giveUp']>[0], { id }: JobKey, reason: string) =>
      unit.create(outcome.encode({ id, text: `given up: ${reason}` })),
  }
  return made
}
const failing = (error: unknown = new Error('secret')) =>
  handler(() => {
    throw error
  })

/** Loses the response of the first successful write by this command. Returns the number of tries. */
const loseFirstResponse = (lost: string): (() => number) => {
  let tries = 0
  table.way = async (command, send) => {
    await send()
    if (command === lost && ++tries === 1) throw failure('TimeoutError')
  }
  return () => tries
}

describe('a job', () => {
  const TYPES: JobType[] = [
    'credential-definition',
    'revocation-registry',
    'revocation-list',
    'ledger-object',
    'registry-write',
    'presentation',
    'issuance',
    'pickup-expiry',
    'certificate-expiry',
    'status-revocation',
    'tenant-removal',
    'connection-removal',
  ]
  test.each(TYPES)('of type %s is found by its name in a wake-up, and one of another type is not', (type) => {
    const key = { tenant: 'acme', type, id: 'job' }
    expect(jobNamed(jobName(key))).toEqual(key)
    expect(jobNamed(jobName(key).replace(type, `${type}s`))).toBeUndefined()
  })

  test('is woken after its commit', async () => {
    const key = await newJob()
    expect(queues.sent).toMatchObject([{ queue: 'jobs', body: { job: jobName(key) } }])
  })

  test('does not exist if that commit fails, and no wake-up is sent', async () => {
    const key = await newJob()
    queues.clear()
    const again = transaction('acme', async (unit) => enqueue(unit, key))
    await expect(again).rejects.toMatchObject({ code: 'store.conflict' })
    expect(queues.sent).toEqual([])
  })

  test('is woken if a conflict has repeated its operation', async () => {
    const there = await newJob()
    const key: JobKey = { ...there, id: 'at-last' }
    queues.clear()
    let runs = 0
    await transaction('acme', async (unit) => enqueue(unit, runs++ === 0 ? there : key))
    expect(queues.sent).toMatchObject([{ body: { job: jobName(key) } }])
  })

  test('is woken together with the others of its unit, up to ten: the sweep wakes the rest', async () => {
    const { calls } = vi.mocked(sqsOnce().send).mock
    const before = calls.length
    await transaction('acme', async (unit) => {
      for (let id = 0; id < 11; id++) enqueue(unit, { tenant: 'acme', type: 'revocation-list', id: `several-${id}` })
    })
    expect(queues.sent).toHaveLength(10)
    expect(calls.length - before).toBe(1)
  })

  test('is removed in the transaction of its outcome', async () => {
    const key = await newJob()
    await runJob(key, handler())
    expect(await outcomeOf(key)).toBe('done')
    expect(await itemOf(key)).toBeUndefined()
  })

  test('that another invocation has postponed since it was read is not run before its time', async () => {
    const key = await newJob()
    table.way = async (command, send) => {
      await send()
      if (command !== 'GetItem') return
      table.way = undefined
      await runJob(key, { ...handler(), run: async () => ({ later: MINUTE }) })
    }
    const late = handler()
    await runJob(key, late)
    expect(late.runs).toBe(0)
    expect(await itemOf(key)).toMatchObject({ attempts: 0, dueAt: Date.now() + MINUTE })
  })

  test('whose wake-up was lost is woken by the sweep, with the keys of the index only', async () => {
    queues.refuse = 'down'
    const key = await newJob()
    expect(events()).toContain('job.not_woken')
    queues.clear()
    await sweep(Date.now())
    expect(queues.sent).toContainEqual(expect.objectContaining({ queue: 'jobs', body: { job: jobName(key) } }))
  })

  test('is in the message group of its tenant for any wake-up: the queue delivers those of other tenants first', async () => {
    const later = async (tenant: string) => {
      const key: JobKey = { tenant, type: 'ledger-object', id: `group-${jobs++}` }
      await transaction(tenant, async (unit) => enqueue(unit, key))
      await runJob(key, { ...handler(), run: async () => ({ later: 30_000 }) })
      return key
    }
    const keys = [await later('acme'), await later('acme'), await later('globex')]
    pass(MINUTE)
    await sweep(Date.now())
    const groups = keys.map((key) => {
      const sent = queues.sent.filter(({ body }) => body.job === jobName(key))
      // After the commit, after the run, and by the sweep.
      expect(sent.map(({ delay }) => delay)).toEqual([undefined, 30, undefined])
      return new Set(sent.map(({ group }) => group))
    })
    expect(groups.map((group) => group.size)).toEqual([1, 1, 1])
    const [first, second, other] = groups.flatMap((group) => [...group])
    expect(first).toMatch(/^[\w-]{43}$/)
    expect(second).toBe(first)
    expect(other).not.toBe(first)
  })

  test('that was leased is run, even if the response of that write is lost', async () => {
    const key = await newJob()
    const tries = loseFirstResponse('UpdateItem')
    await runJob(key, handler())
    expect(tries()).toBe(2)
    expect(await outcomeOf(key)).toBe('done')
  })

  test('that continues to wait is postponed once, even if the response of that write is lost', async () => {
    const key = await newJob()
    const tries = loseFirstResponse('PutItem')
    await runJob(key, { ...handler(), run: async () => ({ later: MINUTE }) })
    expect(tries()).toBe(2)
    expect(await itemOf(key)).toMatchObject({ attempts: 0, failures: 0, dueAt: Date.now() + MINUTE })
    expect(events()).not.toContain('job.failed')
  })

  test('that waits is woken by the sweep at its time', async () => {
    const key = await newJob('ledger-object', MINUTE)
    await sweep(Date.now())
    expect(queues.sent).not.toContainEqual(expect.objectContaining({ body: { job: jobName(key) } }))
    pass(MINUTE)
    await sweep(Date.now())
    expect(queues.sent).toContainEqual(expect.objectContaining({ body: { job: jobName(key) } }))
  })
})

describe('three concurrent deliveries', () => {
  test('are one run', async () => {
    const key = await newJob()
    const held = Promise.withResolvers<void>()
    const slow = handler(() => held.promise)
    const runs = [runJob(key, slow), runJob(key, slow), runJob(key, slow)]
    await expect.poll(() => slow.runs).toBe(1)
    held.resolve()
    await Promise.all(runs)
    await runJob(key, slow)
    expect(slow.runs).toBe(1)
    expect(await outcomeOf(key)).toBe('done')
  })
})

describe('a process that is killed during a job', () => {
  const never = () => new Promise<void>(() => {})

  test('leaves it to the next one after its lease, not before', async () => {
    const key = await newJob()
    const killed = handler(never)
    void runJob(key, killed)
    await expect.poll(() => killed.runs).toBe(1)
    const next = handler()
    pass(LEASE - 10_000)
    await runJob(key, next)
    expect(next.runs).toBe(0)
    pass(10_000)
    await sweep(Date.now())
    expect(queues.sent.map(({ body }) => body.job)).toContain(jobName(key))
    await runJob(key, next)
    expect(await outcomeOf(key)).toBe('done')
  })

  /** A run that continues after its lease. `end` ends it, with an error if there is one. */
  const runSlowly = async (key: JobKey) => {
    const held = Promise.withResolvers<void>()
    const slow = handler(() => held.promise)
    const run = runJob(key, slow)
    await expect.poll(() => slow.runs).toBe(1)
    pass(LEASE)
    return (error?: Error): Promise<void> => {
      if (error === undefined) held.resolve()
      else held.reject(error)
      return run
    }
  }

  test('and one that was only slow commits nothing if another has leased the job', async () => {
    const key = await newJob()
    const end = await runSlowly(key)
    const other = Promise.withResolvers<void>()
    const second = handler(() => other.promise)
    const running = runJob(key, second)
    await expect.poll(() => second.runs).toBe(1)
    await end()
    expect(events()).toContain('job.taken_over')
    expect(await outcomeOf(key)).toBeUndefined()
    other.resolve()
    await running
    expect(await outcomeOf(key)).toBe('done')
  })

  test('and one that was only slow, and fails, does not end the lease of another', async () => {
    const key = await newJob()
    const end = await runSlowly(key)
    queues.clear()
    await runJob(key, {
      ...handler(),
      run: async () => {
        const leased = await itemOf(key)
        await end(new Error('too late'))
        expect(await itemOf(key)).toEqual(leased)
        return { commit: async () => {} }
      },
    })
    expect(events()).toEqual(['job.failed'])
    expect(queues.sent).toEqual([])
  })

  test('and one that was only slow, and finds that it never succeeds, does not end the job of another', async () => {
    const key = await newJob()
    await runJob(key, {
      ...handler(),
      run: async () => {
        pass(LEASE)
        await runJob(key, handler())
        return { givenUp: 'it never succeeds' }
      },
    })
    expect(await outcomeOf(key)).toBe('done')
    expect(counted()).toEqual([])
  })

  /** A run whose process dies, and the time until the next one may begin. */
  const end = async (key: JobKey) => {
    const begun = Promise.withResolvers<void>()
    const killed = handler(() => {
      begun.resolve()
      return never()
    })
    await Promise.race([runJob(key, killed), begun.promise])
    expect(killed.runs).toBe(1)
    const lease = ((await itemOf(key))?.dueAt ?? 0) - Date.now()
    pass(lease)
    return Math.round(lease / LEASE)
  }

  test('and one that was only slow commits nothing where another takes the lease as it commits', async () => {
    const key = await newJob()
    const ofSlow = { id: `${key.id}-slow` }
    const commit = async (unit: UnitOfWork) => {
      unit.create(outcome.encode({ ...ofSlow, text: 'slow' }))
      pass(LEASE)
      await runJob(key, handler())
    }
    await runJob(key, { ...handler(), run: async () => ({ commit }) })
    expect(await outcomeOf(key)).toBe('done')
    expect(await outcomeOf({ ...key, ...ofSlow })).toBeUndefined()
    expect(events()).toContain('job.taken_over')
  })

  test('leaves it to the next process immediately if all former processes are known to have ended, as on the local stage', async () => {
    const key = await newJob()
    await leaseJob(key, 'of a process that has ended', Date.now())
    onTestFinished(() => {
      settings().LEASES_VOID_BEFORE = undefined
    })
    for (const [since, ended] of [
      [0, undefined],
      [1, 'done'],
    ] as const) {
      settings().LEASES_VOID_BEFORE = Date.now() + since
      await runJob(key, handler())
      expect(await outcomeOf(key)).toBe(ended)
    }
  })

  test('ends the job after more than five successive deaths, over more than an hour', async () => {
    const key = await newJob()
    const leases = []
    for (let ends = 1; ends <= 6; ends++) leases.push(await end(key))
    expect(leases).toEqual([1, 2, 4, 8, 16, 20])
    expect(await itemOf(key)).toMatchObject({ failures: 0 })
    const last = handler()
    await runJob(key, last)
    expect(last.runs).toBe(0)
    expect(await outcomeOf(key)).toMatch(/^given up: its process was stopped/)
    expect(await itemOf(key)).toBeUndefined()
    expect(counted()).toMatchObject([{ event: 'job.given_up', level: 'error' }])
  })

  test('ends it after five, if they have lasted for an hour because the sweep was late', async () => {
    const key = await newJob()
    for (let ends = 1; ends <= 5; ends++) await end(key)
    pass(15 * MINUTE)
    await runJob(key, handler())
    expect(await outcomeOf(key)).toMatch(/^given up: its process was stopped/)
  })

  test('does not run once more if DynamoDB is unavailable when the job must end', async () => {
    const key = await newJob()
    for (let ends = 1; ends <= 6; ends++) await end(key)
    table.way = async (command, send) => {
      if (command === 'TransactWriteItems') throw failure('InternalServerError')
      await send()
    }
    const last = handler()
    await runJob(key, last).catch(() => undefined)
    table.way = undefined
    pass(30 * MINUTE)
    await runJob(key, last)
    expect(last.runs).toBe(0)
    expect(await outcomeOf(key)).toMatch(/^given up: its process was stopped/)
  })

  test('does not end it after four, however long ago', async () => {
    const key = await newJob()
    for (let ends = 1; ends <= 4; ends++) await end(key)
    pass(120 * MINUTE)
    const last = handler()
    await runJob(key, last)
    expect(await outcomeOf(key)).toBe('done')
  })

  test('does not end it within an hour, nor after a finished attempt in between', async () => {
    const key = await newJob()
    for (let ends = 1; ends <= 5; ends++) await end(key)
    const transient = failing(new AgentError('store.unavailable', 'DynamoDB is unavailable'))
    await runJob(key, transient)
    expect(transient.runs).toBe(1)
    pass(30 * MINUTE)
    for (let ends = 1; ends <= 5; ends++) await end(key)
    const last = handler()
    await runJob(key, last)
    expect(await outcomeOf(key)).toBe('done')
  })
})

describe('an attempt that fails', () => {
  test('is repeated after a pause, and given up after the third', async () => {
    const key = await newJob()
    const broken = failing()
    await runJob(key, broken)
    await runJob(key, broken)
    expect(broken.runs).toBe(1)
    expect(queues.sent.at(-1)).toMatchObject({ queue: 'jobs', body: { job: jobName(key) }, delay: 5 })
    pass(5_000)
    await runJob(key, broken)
    expect(await itemOf(key)).toMatchObject({ attempts: 2, failures: 2 })
    expect(queues.sent.at(-1)).toMatchObject({ delay: 20 })
    pass(MINUTE)
    await runJob(key, broken)
    expect(broken.runs).toBe(3)
    expect(await itemOf(key)).toBeUndefined()
    expect(await outcomeOf(key)).toBe('given up: an internal error')
    expect(counted()).toMatchObject([{ event: 'job.given_up', level: 'error', WorkGivenUp: 1 }])
    expect(lines.join()).not.toContain('secret')
  })

  test.each([
    ['resource.not_found', 'warn', 'given up: there is no such schema'],
    ['internal', 'error', 'given up: an internal error'],
  ] as const)('says why where the reason is fit to be read: %s', async (code, level, text) => {
    const key = await newJob()
    const broken = failing(new AgentError(code, 'there is no such schema'))
    for (let attempt = 1; attempt <= 3; attempt++) {
      await runJob(key, broken)
      pass(MINUTE)
    }
    expect(await outcomeOf(key)).toBe(text)
    expect(counted()).toMatchObject([{ event: 'job.given_up', level, WorkGivenUp: 1 }])
  })

  test('that can never succeed ends the job with its reason, and is counted', async () => {
    const key = await newJob()
    await runJob(key, { ...handler(), run: async () => ({ givenUp: 'the operator has not written it' }) })
    expect(await outcomeOf(key)).toBe('given up: the operator has not written it')
    expect(await itemOf(key)).toBeUndefined()
    expect(counted()).toMatchObject([{ event: 'job.given_up', level: 'warn', WorkGivenUp: 1 }])
  })

  test('by a conflict does not count as a failure, but is repeated 40 times at most, with pauses up to half an hour, over most of a day', async () => {
    const key = await newJob()
    const conflicting = failing(new AgentError('store.conflict', 'the record changed at the same time'))
    const pauses: number[] = []
    const begun = Date.now()
    for (let attempt = 1; attempt <= 40; attempt++) {
      await runJob(key, conflicting)
      const pause = ((await itemOf(key))?.dueAt ?? 0) - Date.now()
      pauses.push(pause)
      pass(pause)
    }
    expect(pauses.slice(0, 4)).toEqual([5_000, 10_000, 20_000, 40_000])
    expect(pauses.at(-1)).toBe(30 * MINUTE)
    expect(Date.now() - begun).toBeGreaterThan(12 * 60 * MINUTE)
    await runJob(key, conflicting)
    expect(conflicting.runs).toBe(41)
    expect(await outcomeOf(key)).toBe('given up: an internal error')
  })

  test.each([
    'ThrottlingException',
    'InternalServerError',
    'TimeoutError',
    'KMSInternalException',
    'AccessDeniedException',
  ])('by %s of AWS never counts as a failure, however long that lasts', async (name) => {
    const key = await newJob()
    const broken = failing(failure(name))
    for (let attempt = 1; attempt <= 60; attempt++) {
      await runJob(key, broken)
      pass(30 * MINUTE)
    }
    expect(broken.runs).toBe(60)
    await runJob(key, handler())
    expect(await outcomeOf(key)).toBe('done')
    expect(counted()).toEqual([])
  })

  test('to give up keeps the job, and its wake-up is repeated', async () => {
    const key = await newJob()
    const broken = failing()
    broken.giveUp = () => Promise.reject(new Error('not even that'))
    const record = { messageId: 'm', body: JSON.stringify({ job: jobName(key) }) } as SQSRecord
    const batches: string[][] = []
    for (let attempt = 1; attempt <= 3; attempt++) {
      batches.push(await runBatch([record], { [key.type]: async () => broken }))
      pass(MINUTE)
    }
    expect(batches).toEqual([[], [], ['m']])
    pass(LEASE)
    await runJob(key, handler())
    expect(await outcomeOf(key)).toMatch(/^given up/)
  })
})

describe('a job that cannot be given up', () => {
  test('because DynamoDB is unavailable is given up later, for the same reason', async () => {
    const key = await newJob()
    const broken = failing(new AgentError('resource.not_found', 'there is no such schema'))
    for (let run = 1; run <= 4; run++) {
      if (run === 3)
        table.way = async (command, send) => {
          if (command === 'TransactWriteItems') throw failure('InternalServerError')
          await send()
        }
      await runJob(key, broken).catch(() => undefined)
      table.way = undefined
      pass(MINUTE)
    }
    expect(await outcomeOf(key)).toBe('given up: there is no such schema')
  })

  test('is tried again with pauses that grow to half an hour, until it can', async () => {
    const key = await newJob()
    const broken = failing()
    const { giveUp } = broken
    broken.giveUp = () => Promise.reject(new Error('not even that'))
    const begun = Date.now()
    let tries = 0
    while (Date.now() - begun < 24 * 60 * MINUTE) {
      await runJob(key, broken).catch(() => undefined)
      tries += 1
      pass(Math.max(0, ((await itemOf(key))?.dueAt ?? 0) - Date.now()))
    }
    expect(broken.runs).toBe(3)
    expect(tries).toBeLessThan(60)
    expect(counted()).toEqual([])
    broken.giveUp = giveUp
    await runJob(key, broken)
    expect(counted()).toHaveLength(1)
    expect(await outcomeOf(key)).toMatch(/^given up/)
    expect(await itemOf(key)).toBeUndefined()
  })
})

test('a job that must never end by failing is counted when it is given up, and runs again later', async () => {
  const key = await newJob('pickup-expiry')
  const broken = { ...failing(), repeatAfter: 24 * 60 * MINUTE, giveUp: async () => undefined }
  for (let attempt = 1; attempt <= 3; attempt++) {
    await runJob(key, broken)
    pass(MINUTE)
  }
  expect(counted()).toMatchObject([{ event: 'job.given_up', type: 'pickup-expiry', level: 'error' }])
  const next = handler()
  await runJob(key, next)
  expect(next.runs).toBe(0)
  pass(24 * 60 * MINUTE)
  await runJob(key, next)
  expect(await outcomeOf(key)).toBe('done')
})

describe('a job that is postponed', () => {
  test('runs again at its time, any number of times, with attempts and failures counted from 0', async () => {
    const key = await newJob('ledger-object')
    let polls = 0
    const polling: JobHandler = {
      run: async ({ id }) => {
        if (polls++ % 2 === 1) throw new Error('every second one fails')
        return polls <= 30
          ? { later: 5 * MINUTE }
          : { commit: async (unit) => unit.create(outcome.encode({ id, text: 'found' })) }
      },
      giveUp: () => Promise.reject(new Error('not expected')),
    }
    for (let poll = 0; poll <= 30; poll++) {
      await runJob(key, polling)
      await runJob(key, polling)
      pass(5 * MINUTE)
    }
    expect(polls).toBe(31)
    expect(await outcomeOf(key)).toBe('found')
  })
})

test('every call of AWS may fail once: the job is done once', async () => {
  for (let failed = 0, calls = Number.POSITIVE_INFINITY; failed < calls; failed++) {
    for (const after of [false, true]) {
      const key = await newJob()
      let call = 0
      table.way = async (_, send) => {
        const struck = call++ === failed
        if (!struck || after) await send()
        if (struck) throw Object.assign(new Error('injected'), { name: 'ThrottlingException', $retryable: {} })
      }
      await runJob(key, handler()).catch(() => undefined)
      calls = call
      table.way = undefined
      for (let turn = 0; turn < 3; turn++) {
        pass(LEASE)
        await runJob(key, handler())
      }
      expect(await outcomeOf(key)).toBe('done')
      expect(await itemOf(key)).toBeUndefined()
    }
  }
})

test('a job of another function is skipped, and stays due', async () => {
  const key = await newJob('tenant-removal')
  const record = { messageId: 'm', body: JSON.stringify({ job: jobName(key) }) } as SQSRecord
  const ofOthers = handler()
  expect(await runBatch([record], { presentation: async () => ofOthers })).toEqual([])
  expect(events()).toEqual(['job.unknown_type'])
  expect(await itemOf(key)).toMatchObject({ attempts: 0 })
  expect(ofOthers.runs).toBe(0)
})

test('a message that is not a wake-up of a job fails, for the dead-letter queue; a type of a later release is skipped', async () => {
  const records = ['', '{}', '{"job":"acme|ConnectionRecord|c1"}', '{"job":"acme|job|other|1"}']
  const failed = await runBatch(
    records.map((body, index) => ({ body, messageId: String(index) }) as SQSRecord),
    {},
  )
  expect(failed).toEqual(['0', '1', '2'])
  expect(events()).toEqual(['job.malformed', 'job.malformed', 'job.malformed', 'job.unknown_type'])
})
