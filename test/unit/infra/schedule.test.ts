/** The schedule of the local stage: how often a function is invoked, and that nothing but the stage's end stops it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { rateMs, runSchedule } from '../../../infra/local/schedule.ts'

const paused = vi.hoisted(() => ({ times: [] as number[], most: 0 }))

// Time passes immediately; at the end of the last pause the stage stops.
vi.mock('../../../infra/local/pause.ts', async (original) => ({
  ...(await original<object>()),
  pause: async (ms: number, signal: AbortSignal) => {
    paused.times.push(ms)
    if (paused.times.length > paused.most) stopping.abort()
    signal.throwIfAborted()
  },
}))

let stopping: AbortController

beforeEach(() => {
  stopping = new AbortController()
  paused.times.length = 0
})
afterEach(() => vi.restoreAllMocks())

test.each([
  ['rate(1 minute)', 60_000],
  ['rate(5 minutes)', 300_000],
  ['rate(2 hours)', 7_200_000],
  ['rate(1 day)', 86_400_000],
])('%s is a rate', (schedule, ms) => {
  expect(rateMs(schedule)).toBe(ms)
})

test.each(['cron(0 12 * * ? *)', 'rate(1 second)', 'rate(x minutes)', 'rate(1 minute) ', ''])(
  'what the local stage does not know is refused: %s',
  (schedule) => {
    expect(() => rateMs(schedule)).toThrow(/rate\(/)
    expect(() => runSchedule(schedule, async () => {}, stopping.signal)).toThrow()
  },
)

test('the function is invoked after each minute, also when it has failed, until the stage stops', async () => {
  paused.most = 3
  let invoked = 0
  await runSchedule(
    'rate(1 minute)',
    async () => {
      invoked += 1
      if (invoked === 2) throw new Error('the function failed')
    },
    stopping.signal,
  )
  expect(invoked).toBe(3)
  expect(paused.times).toEqual([60_000, 60_000, 60_000, 60_000])
})
