/** docs/webhooks.md: its code for receivers works, and its tables are correct. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { POST_LIMITS } from '../../../lib/egress/post.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { EVENT_TYPES } from '../../../lib/interface/webhook-events.ts'
import { WEBHOOK_PLAN } from '../../../lib/outbox/lanes/retry-plan.ts'
import { MAX_BODY_BYTES } from '../../../lib/records/webhook-event.ts'
import { EVENT_EXPIRY_SECONDS } from '../../../lib/webhooks/event-item.ts'
import { FAILING_MS } from '../../../lib/webhooks/health.ts'
import { newSecret, PREVIOUS_SECONDS } from '../../../lib/webhooks/secrets.ts'
import { webhookHeaders } from '../../../lib/webhooks/send-event.ts'
import { waitFor } from '../../wallet/wait.ts'

const GUIDE = readFileSync('docs/webhooks.md', 'utf8')
const [RECEIVER = '', WITH_LIBRARY = ''] = [...GUIDE.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code)

/** The rows of the table under a heading, without its head; cells by column. */
const tableUnder = (heading: string): string[][] => {
  const [, section = ''] = GUIDE.split(`\n## ${heading}\n`)
  const lines = section.slice(0, section.search(/\n## |$(?![\s\S])/)).split('\n')
  const rows = lines.filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
const code = (cell: string | undefined): string => /`([^`]+)`/.exec(cell ?? '')?.[1] ?? ''

const eventOf = (sequence: number, state: string, type = 'proof.state_changed') =>
  JSON.stringify({ type, timestamp: '', data: { sequence, record: { id: 'one', state } } })

describe.each([
  ['receiver.ts', RECEIVER, 'verifyWebhook'],
  ['with-library.ts', WITH_LIBRARY, 'verifyWithLibrary'],
])('pasted as %s, it', (file, source, name) => {
  let folder: string
  let verify: (secret: string, headers: Record<string, string>, body: string) => unknown
  const [old, secret] = [newSecret(), newSecret()]
  const body = eventOf(1, 'done – ✓')
  const sign = (changes: object = {}) => {
    const signed = { id: 'evt', body, now: Date.now(), secrets: [secret], ...changes }
    return webhookHeaders(signed)
  }

  beforeAll(async () => {
    // The code is a module that other projects import: only here it must not listen.
    folder = mkdtempSync(join(tmpdir(), 'receiver-'))
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, file), source.replace(/^server\.listen.*$/m, ''))
    verify = (await import(pathToFileURL(join(folder, file)).href))[name]
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  test('verifies what we sign', () => {
    expect(verify(secret, sign(), body)).toEqual(JSON.parse(body))
  })

  test('verifies with either secret amid a rotation', () => {
    const headers = sign({ secrets: [secret, old] })
    expect(verify(secret, headers, body)).toEqual(JSON.parse(body))
    expect(verify(old, headers, body)).toEqual(JSON.parse(body))
  })

  test.each<[string, () => [string, Record<string, string>, string]]>([
    ['another secret', () => [old, sign(), body]],
    ['another body', () => [secret, sign(), body.replace('done', 'undone')]],
    ['another id', () => [secret, { ...sign(), 'webhook-id': 'other' }, body]],
    [
      'another time',
      () => [secret, { ...sign(), 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 1) }, body],
    ],
    ['an old event', () => [secret, sign({ now: Date.now() - 301_000 }), body]],
    ['an event of the future', () => [secret, sign({ now: Date.now() + 302_000 }), body]],
    ['an invalid time', () => [secret, { ...sign(), 'webhook-timestamp': 'now' }, body]],
    ['no signature', () => [secret, { ...sign(), 'webhook-signature': '' }, body]],
    ['a signature of another version', () => [secret, { ...sign(), 'webhook-signature': 'v2,AAAA' }, body]],
    [
      'half a signature',
      () => [secret, { ...sign(), 'webhook-signature': String(sign()['webhook-signature']).slice(0, -8) }, body],
    ],
    ['no headers', () => [secret, {}, body]],
  ])('rejects %s', (_, given) => {
    expect(() => verify(...given())).toThrow()
  })
})

describe('run as a program, it', () => {
  const secret = newSecret()
  let folder: string
  let program: ChildProcess
  let url: string
  let output = ''

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'receiver-'))
    writeFileSync(join(folder, 'receiver.ts'), RECEIVER)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    program = spawn(process.execPath, ['receiver.ts'], {
      cwd: folder,
      env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
    })
    for (const stream of [program.stdout, program.stderr])
      stream?.on('data', (chunk) => {
        output += chunk
      })
    const port = await waitFor('the receiver to listen', () => /port: (\d+)/.exec(output)?.[1])
    url = `http://127.0.0.1:${port}`
  })
  afterAll(async () => {
    program.kill()
    await once(program, 'exit')
    rmSync(folder, { recursive: true })
  })

  const post = async (id: string, body: string, secrets = [secret]): Promise<number> =>
    (await fetch(url, { method: 'POST', body, headers: webhookHeaders({ id, body, now: Date.now(), secrets }) })).status

  test('accepts events, handles each once and no older one, and rejects unsigned requests', async () => {
    expect(await post('a', eventOf(1, 'request-sent'))).toBe(204)
    expect(await post('a', eventOf(1, 'request-sent'))).toBe(204)
    expect(await post('c', eventOf(3, 'done'))).toBe(204)
    expect(await post('b', eventOf(2, 'presentation-received'))).toBe(204)
    expect(await post('d', eventOf(4, 'abandoned'), [newSecret()])).toBe(400)
    for (const id of ['e', 'f']) expect(await post(id, eventOf(1, 'active', 'endpoint.test'))).toBe(204)
    expect(output.match(/^endpoint\.test/gm)).toHaveLength(2)
    const lines = output.split('\n').filter((line) => line.startsWith('proof.state_changed'))
    expect(lines.map((line) => line.split('→ ')[1])).toEqual(['request-sent', 'done'])
    expect(output).toContain('no signature verifies')
    expect(output).not.toMatch(/Warning|SyntaxError/)
  })
})

describe('the guide is correct:', () => {
  const UNITS: Record<string, number> = { s: 1000, min: 60_000, h: 3_600_000 }

  test('the retry plan', () => {
    const rows = tableUnder('Retries')
    expect(rows.map(([attempt]) => Number(attempt))).toEqual(rows.map((_, index) => index + 1))
    const delays = rows.slice(1).map(([, delay = '']) => {
      const [count, unit = ''] = delay.split(' ')
      return Number(count) * (UNITS[unit] ?? Number.NaN)
    })
    expect(delays).toEqual(delays.map((_, index) => WEBHOOK_PLAN.plannedDelay(index + 1)))
    expect(delays.reduce((sum, delay) => sum + delay, 0)).toBe(WEBHOOK_PLAN.lifetime)
    expect([0, 1].map((random) => Math.round(WEBHOOK_PLAN.withJitter(100, random)))).toEqual([80, 120])
    expect(GUIDE).toContain('off by up to 20 % at random')
  })

  test('the events', () => {
    expect(tableUnder('What is sent').map(([type]) => code(type))).toEqual([...EVENT_TYPES])
  })

  test('the operations', () => {
    const prefix = '/webhooks/orgs/{orgId}'
    const told = tableUnder('Managing endpoints').map(([operation]) =>
      code(operation).split('?')[0]?.replace(/\/$/, ''),
    )
    const known = OPERATIONS.filter(
      ({ path, firstInterface }) => firstInterface === undefined && path.startsWith(prefix),
    )
    expect(told.map((operation) => operation?.trim())).toEqual(
      known.map(({ method, path }) => `${method} ${path.slice(prefix.length)}`.trim()),
    )
  })

  test('the limits', () => {
    const limits = {
      'A body is 20 KB at most': MAX_BODY_BYTES === 20 * 1024,
      'Connecting may take 3 s, the whole attempt 15 s':
        POST_LIMITS.connectMs === 3_000 && POST_LIMITS.attemptMs === 15_000,
      'Up to 64 KB of your response are read': POST_LIMITS.responseBytes === 64 * 1024,
      'after 5 days of nothing but failures': FAILING_MS === 5 * 24 * 3_600_000,
      'for 24 hours the one before it signs too': PREVIOUS_SECONDS === 24 * 3600,
      'It is kept for 30 days': EVENT_EXPIRY_SECONDS === 30 * 24 * 3600,
    }
    for (const [sentence, holds] of Object.entries(limits)) {
      expect(GUIDE).toContain(sentence)
      expect(holds, sentence).toBe(true)
    }
  })
})
