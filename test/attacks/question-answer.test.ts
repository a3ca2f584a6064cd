/** Questions belong to their connections: messages of others change nothing, and only valid answers count. */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { connect, createTenant } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { changesSince, recordsInTable } from '../support/table/records-in-table.ts'
import { didCommMessages } from '../support/wallets/didcomm-messages.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const QUESTION = 'https://didcomm.org/questionanswer/1.0/question'
const ANSWER = 'https://didcomm.org/questionanswer/1.0/answer'
const validResponses = [{ text: 'Yes' }, { text: 'No' }]

const stage = await useStage()
const caller = await createTenant(stage)
const [alice, second] = [await useWallet(), await useWallet()]
const alices = await connect(stage, alice, caller)
const mallory = new RawMessages(second)
const mallorys = await connect(stage, second, caller)

/** A question to Alice that is not answered yet. */
const askAlice = async (): Promise<Json> =>
  (
    await stage.call('sendQuestion', {
      caller,
      path: { connectionId: alices.connectionId },
      body: { question: 'Pay?', validResponses },
    })
  ).body

const stateOf = async (questionAnswerId: string): Promise<string> =>
  (await stage.call('getQuestionAnswerById', { caller, path: { questionAnswerId } })).body.state

const answerOn = (threadId: string, response: unknown = 'Yes') => ({
  '@type': ANSWER,
  '@id': randomUUID(),
  '~thread': { thid: threadId },
  response,
})
const question = (more: object = {}) => ({
  '@type': QUESTION,
  '@id': randomUUID(),
  question_text: 'Pay?',
  valid_responses: validResponses,
  ...more,
})

/** What a message of Mallory's did to records. */
const effectsOf = async (
  message: object,
  send = (json: object) => mallory.sendOn(mallorys.walletConnectionId, json),
) => {
  const before = await recordsInTable(stage)
  const { status } = await send(message)
  return { refused: status >= 400 && status < 500, changes: changesSince(before, await recordsInTable(stage)) }
}

const NOTHING = { refused: true, changes: [] }

/** A message of Alice. */
const sendAsAlice = (json: object) => new RawMessages(alice).sendOn(alices.walletConnectionId, json)

describe("on a question that is another's", () => {
  test('an answer changes nothing, and the answer that was asked for still counts', async () => {
    const { id, threadId } = await askAlice()
    expect(await effectsOf(answerOn(threadId))).toEqual(NOTHING)
    const { senderKey: _, ...anonymous } = await mallory.route(mallorys.walletConnectionId)
    expect(await effectsOf(answerOn(threadId), (json) => mallory.send(json, anonymous))).toEqual(NOTHING)
    const [asked] = await alice.agent.modules.questionAnswer.findAllByQuery({ threadId })
    await alice.agent.modules.questionAnswer.sendAnswer(asked?.id ?? '', 'No')
    await waitFor('the answer', async () => (await stateOf(id)) === 'answer-received')
  })

  test('messages of other protocols begin nothing', async () => {
    const { threadId } = await askAlice()
    for (const message of didCommMessages({ thid: threadId }, 'present-proof').slice(0, 3))
      expect(await effectsOf(message)).toEqual(NOTHING)
  })

  test('a question with the same id takes nothing from it', async () => {
    const { id, threadId } = await askAlice()
    await mallory.sendOn(mallorys.walletConnectionId, question({ '@id': threadId }))
    expect((await sendAsAlice(answerOn(threadId, 'No'))).status).toBe(200)
    expect(await stateOf(id)).toBe('answer-received')
  })
})

describe('of whom it is asked', () => {
  test.each([['Perhaps'], ['yes'], [''], [['Yes']], [{ text: 'Yes' }], [null], [1]])(
    '%j is no answer, and a right one counts after it',
    async (response) => {
      const { id, threadId } = await askAlice()
      expect(await effectsOf(answerOn(threadId, response), sendAsAlice)).toEqual(NOTHING)
      expect((await sendAsAlice(answerOn(threadId))).status).toBe(200)
      expect(await stateOf(id)).toBe('answer-received')
    },
  )

  test('a second answer does not replace the first', async () => {
    const { threadId } = await askAlice()
    expect((await sendAsAlice(answerOn(threadId, 'No'))).status).toBe(200)
    expect(await effectsOf(answerOn(threadId, 'Yes'), sendAsAlice)).toEqual(NOTHING)
  })

  test('an answer to her own question does not count', async () => {
    const asked = question()
    expect((await sendAsAlice(asked)).status).toBe(200)
    expect(await effectsOf(answerOn(asked['@id']), sendAsAlice)).toEqual(NOTHING)
  })
})

describe('an invalid question', () => {
  test.each<[string, object]>([
    ['of a text that is an object', { question_text: { a: 1 } }],
    ['of a detail that is a list', { question_detail: ['a'] }],
    ['of no responses', { valid_responses: undefined }],
    ['of responses that are no list', { valid_responses: { text: 'Yes' } }],
    ['of a response that is a text', { valid_responses: ['Yes'] }],
    ['of a response whose text is an object', { valid_responses: [{ text: { a: 1 } }] }],
    ['of a response without a text', { valid_responses: [{}] }],
    ['too many responses', { valid_responses: Array.from({ length: 51 }, (_, n) => ({ text: `${n}` })) }],
    ['too long a response', { valid_responses: [{ text: 'x'.repeat(251) }] }],
    ['too long a text', { question_text: 'x'.repeat(5001) }],
    ['too long a detail', { question_detail: 'x'.repeat(5001) }],
    ['on the thread of another question', { '~thread': { thid: randomUUID() } }],
  ])('%s', async (_, more) => {
    expect(await effectsOf(question(more))).toEqual(NOTHING)
  })

  test('other members of a response are not stored', async () => {
    const asked = question({ valid_responses: [{ text: 'Yes', nonce: { a: 1 } }], signature_required: true })
    expect((await mallory.sendOn(mallorys.walletConnectionId, asked)).status).toBe(200)
    const { body } = await stage.call('getQuestionAnswers', { caller, query: { threadId: asked['@id'] } })
    expect(body).toMatchObject([{ validResponses: [{ text: 'Yes' }] }])
    expect(body[0].validResponses).toEqual([{ text: 'Yes' }])
  })

  test.each([true, false])('whether an answer has to be signed is shown: %j', async (signature_required) => {
    const asked = question({ signature_required })
    expect((await mallory.sendOn(mallorys.walletConnectionId, asked)).status).toBe(200)
    const { body } = await stage.call('getQuestionAnswers', { caller, query: { threadId: asked['@id'] } })
    expect(body).toMatchObject([{ state: 'question-received', signatureRequired: signature_required }])
  })

  test('a detail of null is absent', async () => {
    const asked = question({ question_detail: null })
    expect((await mallory.sendOn(mallorys.walletConnectionId, asked)).status).toBe(200)
    const { status, body } = await stage.call('getQuestionAnswers', { caller, query: { threadId: asked['@id'] } })
    expect({ status, body }).toMatchObject({ status: 200, body: [{ questionText: expect.any(String) }] })
    expect(body[0]).not.toHaveProperty('questionDetail')
  })

  test('the same question again is one', async () => {
    const asked = question()
    expect((await mallory.sendOn(mallorys.walletConnectionId, asked)).status).toBe(200)
    await mallory.sendOn(mallorys.walletConnectionId, asked)
    const { body } = await stage.call('getQuestionAnswers', { caller, query: { threadId: asked['@id'] } })
    expect(body).toHaveLength(1)
  })
})
