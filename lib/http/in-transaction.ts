/** One transaction around an operation that changes something; the same `Idempotency-Key` gets the first answer again. */
import { AgentError } from '../errors.ts'
import { type AnswerCodec, onlyOnce } from '../store/idempotency.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { Answer, type AnswerBody } from './request.ts'

interface Command {
  /** The agent that it acts in. */
  agent: string
  /** Whose key it is; a caller without a token has none. */
  subject: string | undefined
  idempotencyKey: string | undefined
  /** All that makes the request the same one. */
  request: readonly unknown[]
  /** How the answer is kept; in the clear unless said. */
  answers: AnswerCodec | undefined
}

/** Runs `handle`, unless its answer is known. What it writes is committed before the answer, and with it. */
export type InTransaction = (
  command: Command,
  handle: (unit: UnitOfWork) => Promise<AnswerBody | Answer>,
) => Promise<object>

export const inTransaction: InTransaction = ({ agent, subject, idempotencyKey: key, request, answers }, handle) =>
  transaction(agent, (unit) => {
    const act = async () => bodyOf(await handle(unit))
    return key === undefined || subject === undefined ? act() : onlyOnce(unit, { subject, key, request, answers }, act)
  })

/** What is kept is a body: headers of its own would be lost the second time. */
const bodyOf = (answer: AnswerBody | Answer): object => {
  if (answer === undefined || answer instanceof Answer)
    throw new AgentError('internal', 'an operation that changes something answers with a body')
  return answer
}
