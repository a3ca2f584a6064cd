/** Removals have a queue of their own: no wallet waits behind them. */
import { beforeEach, describe, expect, test } from 'vitest'
import { enqueue, jobName } from '../../../lib/jobs/job.ts'
import { wakeJobLater, wakeJobs, wakeJobsNow } from '../../../lib/outbox/wake-ups/queues.ts'
import { jobGroupOf } from '../../../lib/outbox/wake-ups/wake-up.ts'
import { settings } from '../../../lib/settings.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import { useTableAndQueues } from './table-and-queues.ts'

const { queues } = await useTableAndQueues()
beforeEach(() => queues.clear())

const job = (type: string, id = '1') => `acme|job|${type}|${id}`
const sentTo = () => queues.sent.map(({ queue, body }) => [queue, Object(body).job])

describe.each([
  ['tenant-removal', 'removals'],
  ['connection-removal', 'removals'],
  ['presentation', 'jobs'],
  // Of a later release.
  ['other', 'jobs'],
])('a job of type %s is woken through the queue of %s', (type, queue) => {
  test.each([
    ['by the sweep', () => wakeJobs([job(type)])],
    ['after its commit', () => wakeJobsNow([job(type)])],
    ['after a delay', () => wakeJobLater(job(type), 5_000)],
  ])('%s', async (_, wake) => {
    await wake()
    expect(queues.sent).toMatchObject([{ queue, body: { job: job(type) }, group: jobGroupOf(job(type)) }])
  })
})

test('jobs of both queues are woken in one call, and each result is that of its job', async () => {
  const types = ['presentation', 'tenant-removal', 'issuance', 'connection-removal']
  const jobs = [1, 2, 3, 4, 5, 6].flatMap((id) => types.map((type) => job(type, String(id))))
  queues.refuse = ({ body }) => [jobs[1], jobs[22]].includes(Object(body).job)
  expect(await wakeJobs(jobs)).toEqual(jobs.map((_, index) => index !== 1 && index !== 22))
  expect(sentTo()).toHaveLength(22)
  for (const [queue, name] of sentTo())
    expect({ name, queue }).toEqual({ name, queue: /removal/.test(name) ? 'removals' : 'jobs' })
})

test('a commit with jobs of both queues wakes those whose queue the function has', async () => {
  const { REMOVAL_QUEUE_URL } = settings()
  for (const [id, url] of [
    ['1', REMOVAL_QUEUE_URL],
    ['2', undefined],
  ] as const) {
    queues.clear()
    Object.assign(settings(), { REMOVAL_QUEUE_URL: url })
    const keys = (['presentation', 'tenant-removal'] as const).map((type) => ({ tenant: 'acme', type, id }))
    await transaction('acme', async (unit) => {
      for (const key of keys) enqueue(unit, key)
    })
    const expected = keys.map((key) => [key.type === 'presentation' ? 'jobs' : 'removals', jobName(key)])
    expect(sentTo()).toEqual(url === undefined ? expected.slice(0, 1) : expected)
  }
  Object.assign(settings(), { REMOVAL_QUEUE_URL })
})
