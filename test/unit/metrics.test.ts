/** Lines that count, as Lambda takes them in either of its log formats. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ALARM_WEIGHT, weightOf } from '../../lib/metrics.ts'

const LAMBDA = { TABLE_NAME: 'agent', PUBLIC_URL: 'https://a.example', AWS_LAMBDA_LOG_FORMAT: 'Text' }

/** A separate process, because settings are read once. */
const load = async (environment: Record<string, string | undefined>) => {
  vi.resetModules()
  for (const [name, value] of Object.entries({ ...LAMBDA, ...environment })) vi.stubEnv(name, value)
  const [{ measure }, { log }] = await Promise.all([import('../../lib/metrics.ts'), import('../../lib/log.ts')])
  return { measure, log }
}

let printed: string[]
let written: string[]

beforeEach(() => {
  printed = []
  written = []
  vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line))
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const MEASURED = { values: { OutboxDue: 3, OutboxDueAge: 20 } }

describe('a measurement', () => {
  test('is one line with its values', async () => {
    const { measure } = await load({ LOG_LEVEL: 'error' })
    measure(
      'info',
      'exchanges have ended',
      { event: 'exchange.ended' },
      { values: { ExchangesEnded: 2 }, by: { State: 'done' } },
    )
    expect(printed.map((line) => JSON.parse(line))).toEqual([
      { level: 'info', message: 'exchanges have ended', event: 'exchange.ended', State: 'done', ExchangesEnded: 2 },
    ])
  })

  test('says which alarm it counts for, and how much of it all that it counts is', async () => {
    const { measure } = await load({ LOG_LEVEL: 'error' })
    measure('error', 'KMS request failed', { event: 'kms.failed' }, { values: { KmsFaults: 2 } })
    measure('error', 'nothing', { event: 'kms.failed' }, { values: { KmsFaults: 0 } })
    expect(printed.map((line) => JSON.parse(line))).toMatchObject([
      { KmsFaults: 2, alarm: 'FaultsAlarm', weight: 66_666_668 },
      expect.not.objectContaining({ alarm: expect.anything() }),
    ])
  })

  test('is written by every level of the log but `silent`', async () => {
    for (const LOG_LEVEL of ['debug', 'info', 'warn', 'error', 'silent']) {
      const { measure } = await load({ LOG_LEVEL })
      measure('info', 'the sweep has run', { event: 'outbox.swept' }, MEASURED)
    }
    expect(printed).toHaveLength(4)
  })

  test('is an ordinary line on this machine, where no metrics exist', async () => {
    for (const LOG_LEVEL of ['debug', 'info', 'warn', 'error', 'silent']) {
      const { measure } = await load({ LOG_LEVEL, AWS_LAMBDA_LOG_FORMAT: undefined })
      measure('info', 'the sweep has run', { event: 'outbox.swept' }, MEASURED)
    }
    expect(printed).toHaveLength(2)
  })

  test('goes past `console.log` where Lambda would wrap it in another line, and so does all that is logged', async () => {
    const { measure, log } = await load({ LOG_LEVEL: 'info', AWS_LAMBDA_LOG_FORMAT: 'JSON' })
    measure('info', 'the sweep has run', { event: 'outbox.swept' }, MEASURED)
    log('warn', 'two\nlines', { event: 'other.line' })
    expect(printed).toEqual([])
    expect(written.map((text) => text.split('\n').length)).toEqual([2, 2])
    expect(written.map((text) => JSON.parse(text).event)).toEqual(['outbox.swept', 'other.line'])
  })
})

test('so many lines are an alarm, and one fewer is not, up to 10,000', () => {
  const times = Array.from({ length: 10_000 }, (_, index) => index + 1)
  expect(times.filter((n) => n * weightOf(n) < ALARM_WEIGHT || (n - 1) * weightOf(n) >= ALARM_WEIGHT)).toEqual([])
})
