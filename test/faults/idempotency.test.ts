/** One rule for every operation that changes something: the same request with the same key is done once, for each authorized caller. */
import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { exampleOf } from '../support/calls/all.ts'
import { type Asked, type CallExample, type CallOperation, CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import type { Caller } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { itemsOf, textsOf } from '../support/table/items.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
const watched = new StoreFaults(stage.serviceClient)
await useQuickKeys()
stage.line.run()
const wallet = await useWallet()
const call = callInProcess(stage, issuer)
const scene = await CallScene.start(call, wallet)

const COMMANDS = OPERATIONS.filter(({ idempotent }) => idempotent)

const MISMATCH = 'this Idempotency-Key was used with another request'

const ask = (operationId: string, asked: Asked, caller: Caller, key: string) =>
  call(operationId, { ...asked, caller, headers: { 'idempotency-key': key } })

describe.each(COMMANDS)('$operationId', ({ operationId }) => {
  const key = randomUUID()
  let example: CallExample & { caller: Caller }
  let first: Awaited<ReturnType<CallOperation>>

  beforeAll(async () => {
    example = await exampleOf(operationId, scene)
  })

  test('with an invalid key is a 400', async () => {
    const { asked, caller } = example
    expect((await ask(operationId, asked, caller, 'a b')).status).toBe(400)
  })

  test('with the same key is done once, and gets the same answer', async () => {
    const { asked, caller } = example
    const done = await watched.count(() => ask(operationId, asked, caller, key))
    first = done.result
    expect(first.status, JSON.stringify(first.body)).toBeLessThan(300)
    expect(done.commands.filter((command) => /^(TransactWriteItems|PutItem)/.test(command))).toHaveLength(1)
    const again = await watched.count(() => ask(operationId, asked, caller, key))
    expect([again.result.status, again.result.body]).toEqual([first.status, first.body])
    expect(again.commands.filter((command) => !command.startsWith('Get'))).toEqual([])
  })

  test('with the same key and another request is a 409', async () => {
    const { other, caller } = example
    if (other === undefined) throw new Error(`the example call of ${operationId} has no \`other\` (test/support/calls)`)
    const { status, body } = await ask(operationId, other, caller, key)
    expect([status, body.message]).toEqual([409, MISMATCH])
  })

  test('shows no other caller the answer: an unauthorized one is rejected, an authorized one makes a separate request', async () => {
    const { asked, unauthorized: stranger, isPublic } = example
    if (stranger !== undefined) {
      const refused = await watched.count(() => ask(operationId, asked, stranger, key))
      expect(refused.result.body).toEqual({ statusCode: 403, error: 'Forbidden' })
      expect(refused.commands.filter((command) => !command.startsWith('GetItem'))).toEqual([])
    }
    const otherReply = await ask(operationId, asked, await scene.newTenant(), key)
    // An answer without a body shows nothing but its status.
    const isSame = expect([otherReply.status, otherReply.body])
    if (isPublic) isSame.toEqual([first.status, first.body])
    else isSame.not.toEqual([first.status, first.body])
  })
})

test.each(['', ' ', 'a b', 'ä', 'x'.repeat(256)])('an invalid key is a 400: %j', async (key) => {
  const { asked, caller } = await exampleOf('SendMessage', scene)
  expect((await ask('SendMessage', asked, caller, key)).status).toBe(400)
})

test.each([
  ['SendMessage', 'CreateDid'],
  ['CreateDid', 'SendMessage'],
])('a key that %s was done with is a 409 for %s, whichever of them seals its answers', async (first, second) => {
  const key = randomUUID()
  const { asked, caller } = await exampleOf(first, scene)
  expect((await ask(first, asked, caller, key)).status).toBeLessThan(300)
  const { asked: another } = await exampleOf(second, scene)
  const { status, body } = await ask(second, another, caller, key)
  expect([status, body.message]).toEqual([409, MISMATCH])
})

const textsInTable = async (): Promise<string[]> => (await itemsOf(stage, '')).flatMap(textsOf)

test('a secret in an answer is not readable in the table', async () => {
  const { asked, caller } = await exampleOf('RotateWebhookSecret', scene)
  const { body } = await ask('RotateWebhookSecret', asked, caller, randomUUID())
  const secret = body.secret.slice('whsec_'.length)
  const texts = await textsInTable()
  expect(texts.length).toBeGreaterThan(10)
  for (const text of texts) expect(text.includes(secret) || text.includes('whsec_')).toBe(false)
})

test('the table holds nothing by which a seed could be guessed', async () => {
  const caller = await scene.newTenant()
  const body = { method: 'key', keyType: 'ed25519', seed: 'a seed that is easy to guess, 32!'.slice(0, 32) }
  const key = randomUUID()
  const first = await ask('CreateDid', { body }, caller, key)
  expect(first.status).toBe(200)
  const guess = createHash('sha256')
    .update(JSON.stringify(['CreateDid', {}, {}, body]))
    .digest()
  for (const text of await textsInTable())
    for (const told of [body.seed, guess.toString('base64url'), guess.toString('latin1')])
      expect(text.includes(told)).toBe(false)
  const seed = 'another seed, of 32 bytes as well'.slice(0, 32)
  expect((await ask('CreateDid', { body: { ...body, seed } }, caller, key)).status).toBe(409)
  expect((await ask('CreateDid', { body }, caller, key)).body).toEqual(first.body)
})
