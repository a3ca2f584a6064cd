/** ReceiveDidcomm over HTTP: envelopes of a real wallet, and bodies that are not envelopes. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, base, expectError, globex, tokens } from '../support/api/scene.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const ENVELOPE = 'application/didcomm-envelope-enc'
const path = `/didcomm/${acme.tenantId}`
const cannotHandle = { message: 'this agent cannot handle the message' }

/** An envelope that acme's agent has not seen yet; each test uses another one. */
const [newEnvelope, wrongDoor, altered] = acme.newEnvelopes.map(({ envelope }) => envelope as Json)

const receive = (body: unknown, contentType = ENVELOPE, at = path) =>
  api.post(at, { body, headers: { 'content-type': contentType } })

const connections = async (token: string): Promise<number> => (await api.get('/connections', { token })).body.length

test('handles an envelope, and answers by return route; again, with the same answer and no second effect', async () => {
  const before = await connections(acme.token)
  const answer = await receive(newEnvelope)
  expect(answer.status).toBe(200)
  expect(answer.headers['content-type']).toBe(ENVELOPE)
  expect(Object.keys(answer.body).sort()).toEqual(['ciphertext', 'iv', 'protected', 'tag'])
  expect(await connections(acme.token)).toBe(before + 1)
  for (const contentType of [ENVELOPE, 'application/ssi-agent-wire', 'application/json'])
    expect((await receive(newEnvelope, contentType)).body).toEqual(answer.body)
  const atOnce = await Promise.all(Array.from({ length: 5 }, () => receive(newEnvelope)))
  for (const { text } of atOnce) expect(text).toBe(answer.text)
  expect(await connections(acme.token)).toBe(before + 1)
})

test("the base agent's door is the one without a tenant", async () => {
  const [first] = base.newEnvelopes
  expect(first?.path).toBe('/didcomm')
  const answer = await receive(first?.envelope, ENVELOPE, '/didcomm')
  expect(answer.status).toBe(200)
  await expectExample(answer)
})

describe("an envelope at another tenant's endpoint is a 400, and has no effect", () => {
  test.each([
    ["another tenant's", `/didcomm/${globex.tenantId}`, globex.token],
    ["the base agent's", '/didcomm', tokens.root],
  ])('%s', async (_, door, token) => {
    const before = await connections(token)
    expectError(await receive(wrongDoor, ENVELOPE, door), 400, cannotHandle)
    expect(await connections(token)).toBe(before)
  })

  test('a tenant that does not exist: 404', async () => {
    expectError(await receive(wrongDoor, ENVELOPE, `/didcomm/${randomUUID()}`), 404, {
      message: 'there is no such tenant',
    })
  })

  test('and is still good at its own', async () => {
    expect((await receive(wrongDoor)).status).toBe(200)
  })
})

describe('an envelope that was altered is a 400', () => {
  test('the true one is still good, also behind a byte order mark', async () => {
    const body = `\uFEFF${JSON.stringify(altered)}`
    const { status } = await api.send({ method: 'POST', path, headers: { 'content-type': ENVELOPE }, body })
    expect(status).toBe(200)
  })
})

describe('a body that is not an envelope is a 400', () => {
  const noEnvelope = { message: 'the body is not a DIDComm envelope (RFC 0019)' }

  test.each([
    {},
    { '@type': 'https://didcomm.org/basicmessage/1.0/message', '@id': 'x', content: 'hello' },
    { protected: 'a', iv: 'b', ciphertext: 'c' },
    { protected: 1, iv: 2, ciphertext: 3, tag: 4 },
    { payload: 'e30', signatures: [] },
  ])('%j', async (body) => {
    expectError(await receive(body), 400, noEnvelope)
  })
})

test('asks for no token, and looks at none', async () => {
  const answer = await api.post(path, { body: {}, headers: { authorization: 'Bearer nonsense' } })
  expect(answer.status).toBe(400)
})
