/** Asynchronous invocations: failures and near timeouts are logged, and count for an alarm. */
import type { Context } from 'aws-lambda'
import { beforeEach, expect, test, vi } from 'vitest'
import { background, logSlowInvocations } from '../../lib/background.ts'

Object.assign(process.env, { TABLE_NAME: 'agent', PUBLIC_URL: 'http://localhost:3000', LOG_LEVEL: 'info' })

const lines: Record<string, unknown>[] = []
beforeEach(() => {
  lines.length = 0
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(JSON.parse(line)))
})

/** Of a function with 30 s, of which the invocation takes some. */
const lasting = (ms: number): Context => {
  const getRemainingTimeInMillis = vi
    .fn()
    .mockReturnValueOnce(30_000)
    .mockReturnValue(30_000 - ms)
  return Object({ functionName: 'agent-wake', getRemainingTimeInMillis })
}

test('an error is logged with its function, and thrown unchanged', async () => {
  const error = new TypeError('any')
  const failing = background(async (_event: object, _context: Context) => Promise.reject(error))
  await expect(failing({}, lasting(5))).rejects.toBe(error)
  expect(lines).toEqual([
    expect.objectContaining({
      ...{ event: 'function.failed', function: 'agent-wake', error: 'TypeError', FunctionErrors: 1 },
      ...{ alarm: 'FaultsAlarm', weight: 33_333_334 },
    }),
  ])
})

test.each([
  [26_900, []],
  [27_000, [['function.slow', 'FaultsAlarm']]],
])('an invocation that takes %i of 30,000 ms', async (ms, events) => {
  const slow = background(async (event: object, _context: Context) => event)
  expect(await slow({ of: 'Lambda' }, lasting(ms))).toEqual({ of: 'Lambda' })
  expect(lines.map(({ event, alarm }) => [event, alarm])).toEqual(events)
})

test('a function that throws on purpose is logged for its duration only', async () => {
  const refusing = logSlowInvocations(async (_event: object, _context: Context) =>
    Promise.reject(new Error('Unauthorized')),
  )
  await expect(refusing({}, lasting(29_000))).rejects.toThrow('Unauthorized')
  expect(lines.map(({ event }) => event)).toEqual(['function.slow'])
})

test('a successful invocation is not logged', async () => {
  await background(async () => 1)()
  expect(lines).toEqual([])
})
