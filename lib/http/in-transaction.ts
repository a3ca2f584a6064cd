/** One transaction around an operation that changes something; the same `Idempotency-Key` gets the first answer again. */
import { AgentError } from '../errors.ts'
import { type AnswerCodec, onlyOnce } from '../store/idempotency.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { Answer, type AnswerBody } from './request.ts'

interface Command {
  /** The agent that the operation acts for. */
  agent: string
  /** Whose key it is; a caller without a token has none. */
  subject: string | undefined
  idempotencyKey: string | undefined
  /** Everything by which two requests are the same. */
  request: readonly unknown[]
  /** How the answer is stored; as plain text by default. */
  answers: AnswerCodec | undefined
  /** The operation answers without a body. */
  bodiless: boolean
}

/** Runs `handle`, unless its answer is known. What it writes is committed before the answer, and with it. */
export type InTransaction = (
  command: Command,
  handle: (unit: UnitOfWork) => Promise<AnswerBody | Answer>,
) => Promise<AnswerBody>

export const inTransaction: InTransaction = (
  { agent, subject, idempotencyKey: key, request, answers, bodiless },
  handle,
) =>
  transaction(agent, (unit) => {
    const act = async () => bodyOf(await handle(unit), bodiless)
    return key === undefined || subject === undefined ? act() : onlyOnce(unit, { subject, key, request, answers }, act)
  })

/** Only the body is stored: the headers of an `Answer` would be lost the second time. */
const bodyOf = (answer: AnswerBody | Answer, bodiless: boolean): AnswerBody => {
  if (answer instanceof Answer || (answer === undefined) !== bodiless)
    throw new AgentError(
      'internal',
      'an operation that changes something answers with the body of its contract and nothing else',
    )
  return answer
}
