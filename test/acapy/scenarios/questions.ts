/** Questions with their answers (Aries RFC 0113). ACA-Py has the protocol in a plugin alone, so that its messages are written here. */
import { waitFor } from '../../wallet/wait.ts'
import { connect } from '../connect.ts'
import { type Scenario, scenario } from '../scenario.ts'

const PROTOCOL = 'Question Answer 1.0'

export const QUESTIONS: Scenario[] = [
  scenario(
    { protocol: PROTOCOL, role: 'questioner' },
    'question-of-ours',
    'is asked a question, and answers',
    async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      const { id } = await agent.ask(`/question-answer/question/${connection.id}`, {
        question: 'Was it you?',
        detail: 'Login',
        validResponses: [{ text: 'Yes' }, { text: 'No' }],
      })
      const [question] = await waitFor('our question', async () => {
        const questions = await acapy.heard('questionanswer/1.0/question', walletConnectionId)
        return questions.length > 0 && questions
      })
      await acapy.sendRaw(walletConnectionId, {
        '@type': 'https://didcomm.org/questionanswer/1.0/answer',
        '@id': crypto.randomUUID(),
        '~thread': { thid: question['@id'] },
        response: 'Yes',
      })
      await waitFor('the answer', async () => {
        const { state, response } = await agent.ask(`/question-answer/${id}`)
        return state === 'answer-received' && response === 'Yes'
      })
    },
  ),
  scenario(
    { protocol: PROTOCOL, role: 'responder' },
    'question-of-the-wallet',
    'asks a question, and has our answer',
    async (scene) => {
      const { acapy, agent } = scene
      const { connection, walletConnectionId } = await connect(scene)
      const questionId = crypto.randomUUID()
      await acapy.sendRaw(walletConnectionId, {
        '@type': 'https://didcomm.org/questionanswer/1.0/question',
        '@id': questionId,
        question_text: 'Shall we go on?',
        valid_responses: [{ text: 'Yes' }, { text: 'No' }],
      })
      const { id } = await waitFor('the question', async () => {
        const [question] = await agent.ask(`/question-answer?connectionId=${connection.id}`)
        return question
      })
      await agent.ask(`/question-answer/answer/${id}`, { response: 'No' })
      await waitFor('our answer', async () =>
        (await acapy.heard('questionanswer/1.0/answer', walletConnectionId)).some(
          (answer) => answer['~thread'].thid === questionId && answer.response === 'No',
        ),
      )
    },
  ),
]
