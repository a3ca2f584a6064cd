/** Example calls on questions and their answers. */
import { randomUUID } from 'node:crypto'
import { waitFor } from '../../wallet/wait.ts'
import type { CallScene, Examples } from './call-scene.ts'

const validResponses = [{ text: 'Yes' }, { text: 'No' }]
const body = { question: 'Was it you?', detail: 'Login', validResponses }

/** A question of the wallet. Resolves to the id of its record here. */
const asked = async (scene: CallScene): Promise<string> => {
  const { threadId } = await scene.done('GetConnectionById', { path: { connectionId: await scene.connection() } })
  const connection = (await scene.wallet.connections()).find((one) => one.threadId === threadId)
  if (connection === undefined) throw new Error('the wallet has no such connection')
  const question = `Was it you, ${randomUUID()}?`
  await scene.wallet.agent.modules.questionAnswer.sendQuestion(connection.id, { question, validResponses })
  return waitFor('the question to be received', async () => {
    const found = await scene.done('GetQuestionAnswers', { query: { role: 'responder', order: 'desc' } })
    return found.find(({ questionText }: { questionText: string }) => questionText === question)?.id
  })
}

export const questionAnswer: Examples = {
  GetQuestionAnswers: async () => ({
    asked: { query: { limit: '10' } },
    other: { query: { state: 'question-sent', order: 'desc' } },
  }),
  SendQuestion: async (scene) => ({
    asked: { path: { connectionId: await scene.connection() }, body },
    other: { path: { connectionId: await scene.connection('second') }, body },
  }),
  SendAnswer: async (scene) => ({
    asked: { path: { questionAnswerId: await asked(scene) }, body: { response: 'Yes' } },
    other: { path: { questionAnswerId: randomUUID() }, body: { response: 'Yes' } },
  }),
}
