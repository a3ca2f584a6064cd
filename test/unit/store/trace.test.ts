/** Calls to DynamoDB as X-Ray's daemon hears of them, where tracing is on. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from './started-table.ts'
import { useTable } from './use-table.ts'

const ROOT = '1-5759e988-bd862e3fe1be46a994272793'
const PARENT = '53995c3f42cd8ad8'

const heard: string[] = []

const daemon = createSocket('udp4', (message) => heard.push(message.toString()))
daemon.bind(0, '127.0.0.1')
await once(daemon, 'listening')
vi.stubEnv('TRACING', 'on')
vi.stubEnv('AWS_XRAY_DAEMON_ADDRESS', `127.0.0.1:${daemon.address().port}`)
const table = await useTable({ check: false })
afterAll(async () => {
  daemon.close()
})
beforeEach(() => {
  heard.length = 0
})
afterEach(() => {
  table.way = undefined
  vi.stubEnv('_X_AMZN_TRACE_ID', undefined)
})

const read = async () => {
  const { getItem } = await import('../../../lib/store/table.ts')
  return getItem({ pk: 'acme|secret', sk: '~' })
}

const told = async (count: number) => {
  await expect.poll(() => heard.length).toBe(count)
  return heard.map((message) => {
    const [preamble, document = ''] = message.split('\n')
    expect(preamble).toBe('{"format": "json", "version": 1}')
    return JSON.parse(document)
  })
}

describe('a call to DynamoDB', () => {
  test('is a subsegment of the invocation whose trace is sampled, with nothing of what was read', async () => {
    vi.stubEnv('_X_AMZN_TRACE_ID', `Root=${ROOT};Parent=${PARENT};Sampled=1;Lineage=a:0`)
    const before = Date.now()
    await read()
    const [subsegment] = await told(1)
    expect(subsegment).toMatchObject({
      ...{ name: 'DynamoDB', namespace: 'aws', type: 'subsegment', fault: false },
      ...{ trace_id: ROOT, parent_id: PARENT, id: expect.stringMatching(/^[0-9a-f]{16}$/) },
      aws: { operation: 'GetItem', table_name: table.dynamo.table },
    })
    expect(subsegment.end_time).toBeGreaterThanOrEqual(subsegment.start_time)
    expect(Math.round(subsegment.start_time * 1000)).toBeGreaterThanOrEqual(before)
    expect(Math.round(subsegment.end_time * 1000)).toBeLessThanOrEqual(Date.now())
    expect(heard.join()).not.toContain('secret')
  })

  test('that fails is reported as a fault, and its error is thrown unchanged', async () => {
    vi.stubEnv('_X_AMZN_TRACE_ID', `Root=${ROOT};Parent=${PARENT};Sampled=1`)
    table.way = () => Promise.reject(failure('InternalServerError', { $fault: 'server' }))
    await expect(read()).rejects.toMatchObject({ code: 'store.unavailable' })
    expect(await told(1)).toMatchObject([{ fault: true }])
  })

  test.each(['', `Root=${ROOT};Parent=${PARENT};Sampled=0`, 'nonsense'])(
    'is not told of where the trace is %j',
    async (header) => {
      vi.stubEnv('_X_AMZN_TRACE_ID', header)
      await read()
      vi.stubEnv('_X_AMZN_TRACE_ID', `Root=${ROOT};Parent=${PARENT};Sampled=1`)
      await read()
      expect(await told(1)).toHaveLength(1)
    },
  )
})
