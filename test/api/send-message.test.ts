/** SendMessage over HTTP. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, expectInvalid } from '../support/api/scene.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const pathOf = (connectionId: string) => `/basic-messages/${connectionId}`
const path = pathOf(acme.connectionId)
const { token } = acme
const route = { method: 'POST', path, body: { content: 'hello' } } as const

/** The newest contents of acme's connection. */
const contents = async (): Promise<string[]> => {
  const { body } = await api.get(`/multi-tenancy${path}/${acme.tenantId}?order=desc&limit=50`, { token })
  return body.map(({ content }: Json) => content)
}

test('answers the record of the message', async () => {
  const before = Date.now()
  const answer = await api.post(path, { token, body: { content: 'Your degree is ready.' } })
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    content: 'Your degree is ready.',
    connectionId: acme.connectionId,
    role: 'sender',
    metadata: { '_agent/delivery': { state: 'pending', attempts: 0 } },
    _tags: { role: 'sender', connectionId: acme.connectionId },
  })
  for (const time of [answer.body.createdAt, answer.body.sentTime].map(Date.parse)) {
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(Date.now())
  }
  expect(await contents()).toContain('Your degree is ready.')
  await expectExample(answer)
})

describe('accepts any text of 1 to 100,000 characters unchanged', () => {
  test.each([
    ['one character', 'x'],
    ['100,000 characters', 'x'.repeat(100_000)],
    ['97,500 characters that JSON escapes', '"'.repeat(97_500)],
    ['65,000 characters of three bytes each', '€'.repeat(65_000)],
    ['what JSON and HTML escape', '"\\/<>&\b\f\n\r\t\u2028'],
    ['NUL', 'a\u0000b'],
    ['beyond the basic plane', '👩‍🎓 \u{10FFFF}'],
    ['from right to left', 'שלום'],
    ['spaces only', '   '],
  ])('%s', async (_, content) => {
    const { status, body } = await api.post(path, { token, body: { content } })
    expect({ status, content: body.content }).toEqual({ status: 200, content })
    expect(await contents()).toContain(content)
  })

  test.each([
    [{}, ['content']],
    [{ content: '' }, ['content']],
    [{ content: 'x'.repeat(100_001) }, ['content']],
    // No agent with a limit of 256 KiB would take their envelopes.
    [{ content: '"'.repeat(97_501) }, ['content']],
    [{ content: '€'.repeat(65_001) }, ['content']],
    [{ content: null }, ['content']],
    [{ content: 5 }, ['content']],
    [{ content: ['hello'] }, ['content']],
    [{ content: 'hello', more: 1, evenMore: 2 }, ['more', 'evenMore']],
    [{ text: 'hello' }, ['content', 'text']],
  ])('and rejects %j', async (body, fields) => {
    expectInvalid(await api.post(path, { token, body }), fields)
  })

  test.each([
    ['half a surrogate pair', '{"content":"\\ud83d"}', 'content'],
    ['a name that reaches into the prototype', '{"content":"x","__proto__":{"a":1}}', ''],
    ['a name of half a surrogate pair', '{"content":"x","\\ud83d":1}', ''],
    ['deep nesting', `{"content":${'['.repeat(100)}${']'.repeat(100)}}`, `content${'.0'.repeat(64)}`],
  ])('and rejects %s', async (_, body, field) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answer = await api.send({ method: 'POST', path, headers, body })
    expectInvalid(answer, [field.slice(0, 200)])
  })
})

describe('rejects what cannot be sent on', () => {
  test('an unknown connection: 404', async () => {
    expectError(await api.post(pathOf(randomUUID()), { token, body: route.body }), 404, {
      message: 'there is no such connection',
    })
  })

  test('a connection that the other side has given up: 409', async () => {
    expectError(await api.post(pathOf(acme.abandonedConnectionId), { token, body: route.body }), 409, {
      message: 'the connection is not ready: its state is abandoned',
    })
  })
})

describe('with an Idempotency-Key', () => {
  const post = (key: string, content: string, at = path, as = token) =>
    api.post(at, { token: as, body: { content }, headers: { 'idempotency-key': key } })

  test('ten concurrent ones are one', async () => {
    const [key, content] = [randomUUID(), randomUUID()]
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(key, content)))
    const sent = answers.filter(({ status }) => status === 200)
    expect(new Set(sent.map(({ body }) => body.id)).size).toBe(1)
    // A caller that lost the race too often gets an error, and the response when it repeats the request.
    for (const { status } of answers) expect([200, 409]).toContain(status)
    expect((await post(key, content)).body.id).toBe(sent[0]?.body.id)
    expect((await contents()).filter((one) => one === content)).toEqual([content])
  })
})
