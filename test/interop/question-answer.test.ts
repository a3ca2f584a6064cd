/** Questions and answers (Aries RFC 0113), in both roles: with a wallet, and between two tenants. */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { connect, createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { connectTenants } from '../support/tenants.ts'
import { waitFor } from '../wallet/wait.ts'

type Tenant = { tenantId: string }

const validResponses = [{ text: 'Yes' }, { text: 'No' }]
const body = { question: 'Was it you?', detail: 'Login', validResponses }

const stage = await useStage()
const caller = await createTenant(stage)
const wallet = await useWallet()
const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)

const ask = (as: Tenant = caller, on = connectionId, question: object = body) =>
  stage.call('sendQuestion', { caller: as, path: { connectionId: on }, body: question })
const answer = (questionAnswerId: string, response: string, as: Tenant = caller) =>
  stage.call('sendAnswer', { caller: as, path: { questionAnswerId }, body: { response } })
const read = async (questionAnswerId: string, as: Tenant = caller): Promise<Json> =>
  (await stage.call('getQuestionAnswerById', { caller: as, path: { questionAnswerId } })).body
const list = async (query: Record<string, string>, as: Tenant = caller): Promise<Json[]> =>
  (await stage.call('getQuestionAnswers', { caller: as, query })).body

const questions = () => wallet.agent.modules.questionAnswer

/** A question of the wallet, when it has come in. */
const received = async (question = body): Promise<Json> => {
  const { threadId } = await questions().sendQuestion(walletConnectionId, question)
  return waitFor('the question to come in', async () => (await list({ threadId }))[0])
}

test('a question of ours is answered by the wallet', async () => {
  const asked = await ask()
  expect(asked).toMatchObject({
    status: 200,
    body: {
      role: 'questioner',
      state: 'question-sent',
      questionText: 'Was it you?',
      questionDetail: 'Login',
      validResponses,
      connectionId,
      signatureRequired: false,
      _tags: { connectionId, role: 'questioner', state: 'question-sent', threadId: asked.body.threadId },
    },
  })
  await expectExample({ operationId: 'SendQuestion', asked: body, body: asked.body })
  const { id, threadId } = asked.body
  const question = await waitFor('the question', async () => (await questions().findAllByQuery({ threadId }))[0])
  expect(question).toMatchObject({ questionText: 'Was it you?', questionDetail: 'Login', role: 'responder' })
  await questions().sendAnswer(question.id, 'No')
  const answered = await waitFor('the answer', async () => {
    const record = await read(id)
    return record.state === 'answer-received' && record
  })
  expect(answered).toMatchObject({ id, response: 'No', role: 'questioner', _tags: { state: 'answer-received' } })
  await expectExample({ operationId: 'GetQuestionAnswerById', asked: undefined, body: answered })
  await expectExample({ operationId: 'GetQuestionAnswers', asked: undefined, body: await list({ threadId }) })
})

test('a question of the wallet is answered once, by one of its answers', async () => {
  const question = await received()
  expect(question).toMatchObject({ role: 'responder', state: 'question-received', connectionId, validResponses })
  expect(await answer(question.id, 'Perhaps')).toMatchObject({
    status: 422,
    body: { details: [{ path: 'response' }] },
  })
  expect((await read(question.id)).state).toBe('question-received')
  const answered = await answer(question.id, 'Yes')
  expect(answered).toMatchObject({
    status: 200,
    body: { id: question.id, state: 'answer-sent', response: 'Yes', _tags: { state: 'answer-sent' } },
  })
  await expectExample({ operationId: 'SendAnswer', asked: { response: 'Yes' }, body: answered.body })
  await waitFor('the answer', async () => {
    const [record] = await questions().findAllByQuery({ threadId: question.threadId })
    return record?.response === 'Yes'
  })
  const again = await answer(question.id, 'No')
  expect(again).toMatchObject({ status: 409, body: { message: expect.stringContaining('answer-sent') } })
  expect((await read(question.id)).response).toBe('Yes')
})

test('a question of ours is not answered by us', async () => {
  const { body: asked } = await ask()
  expect(await answer(asked.id, 'Yes')).toMatchObject({ status: 409 })
})

describe('between two tenants', () => {
  test('one whose connection was deleted is not answered any more', async () => {
    const [asking, answering] = [await createTenant(stage), await createTenant(stage)]
    const { connectionId: on, invitees } = await connectTenants(stage, asking, answering)
    await ask(asking, on)
    const question = await waitFor('the question', async () => (await list({}, answering))[0])
    await stage.call('deleteConnection', { caller: answering, path: { connectionId: invitees.id } })
    expect(await answer(question.id, 'Yes', answering)).toMatchObject({
      status: 409,
      body: { message: 'the connection was deleted' },
    })
  })

  test('each sees its own side', async () => {
    const [asking, answering] = [await createTenant(stage), await createTenant(stage)]
    const { connectionId: on } = await connectTenants(stage, asking, answering)
    const { body: asked } = await ask(asking, on)
    const question = await waitFor('the question', async () => (await list({}, answering))[0])
    expect(question).toMatchObject({ threadId: asked.threadId, role: 'responder', state: 'question-received' })
    expect((await answer(question.id, 'Yes', answering)).status).toBe(200)
    const answered = await waitFor('the answer', async () => {
      const record = await read(asked.id, asking)
      return record.state === 'answer-received' && record
    })
    expect(answered).toMatchObject({ response: 'Yes', role: 'questioner' })
    // A tenant cannot read or answer another tenant's question.
    expect((await answer(question.id, 'No', asking)).status).toBe(404)
    expect((await read(question.id, asking)).statusCode).toBe(404)
    expect(await list({}, asking)).toHaveLength(1)
  })
})

describe('the list', () => {
  let tenant: Tenant
  let threads: string[]
  let on: string

  beforeAll(async () => {
    tenant = await createTenant(stage)
    on = (await connect(stage, wallet, tenant)).connectionId
    threads = []
    for (const question of ['one', 'two', 'three'])
      threads.push((await ask(tenant, on, { question, validResponses })).body.threadId)
  })

  test.each<[string, () => Record<string, string>, number]>([
    ['nothing', () => ({}), 3],
    ['the connection', () => ({ connectionId: on }), 3],
    ['another connection', () => ({ connectionId: randomUUID() }), 0],
    ['the role', () => ({ role: 'questioner' }), 3],
    ['the other role', () => ({ role: 'responder' }), 0],
    ['the state', () => ({ state: 'question-sent' }), 3],
    ['the thread', () => ({ threadId: threads[1] ?? '' }), 1],
    ['the thread and another state', () => ({ threadId: threads[1] ?? '', state: 'answer-received' }), 0],
  ])('is filtered by %s', async (_, query, found) => {
    expect(await list(query(), tenant)).toHaveLength(found)
  })

  test('is in pages', async () => {
    const query = { limit: '2', connectionId: on }
    const first = await stage.call('getQuestionAnswers', { caller: tenant, query })
    expect(first.body.map(({ threadId }: Json) => threadId)).toEqual(threads.slice(0, 2))
    const next = new URL(first.headers.link?.match(/<(.*)>/)?.[1] ?? '').searchParams
    expect((await list(Object.fromEntries(next), tenant)).map(({ threadId }) => threadId)).toEqual(threads.slice(2))
  })
})

describe('rejected requests', () => {
  test('an unknown connection is a 404, and so is an unknown question', async () => {
    expect((await ask(caller, randomUUID())).status).toBe(404)
    expect((await answer(randomUUID(), 'Yes')).status).toBe(404)
  })

  test.each<[object, string[]]>([
    [{}, ['question', 'validResponses']],
    [{ ...body, question: '' }, ['question']],
    [{ ...body, question: 'x'.repeat(5001) }, ['question']],
    [{ ...body, validResponses: [] }, ['validResponses']],
    [{ ...body, validResponses: [{}] }, ['validResponses.0.text']],
    [{ ...body, validResponses: [{ text: 'Yes', nonce: 'x' }] }, ['validResponses.0.nonce']],
    [{ ...body, validResponses: [{ text: 'Yes' }, { text: 'Yes' }] }, ['validResponses']],
    [{ ...body, validResponses: Array.from({ length: 51 }, (_, n) => ({ text: `${n}` })) }, ['validResponses']],
    [{ ...body, more: 1 }, ['more']],
  ])('%j', async (question, paths) => {
    const { status, body: refused } = await ask(caller, connectionId, question)
    expect({ status, paths: refused.details.map(({ path }: Json) => path) }).toEqual({ status: 422, paths })
  })
})
