/** Runs an operation that changes something in one transaction. The same `Idempotency-Key` gets the first answer again. */
import { AgentError } from '../errors.ts'
import { type AnswerCodec, onlyOnce } from '../store/idempotency.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { Answer, type AnswerBody } from './request.ts'

interface Command {
  /** The agent that the operation acts for. */
  agent: string
  /** The caller; without a token there is none. */
  subject: string | undefined
  idempotencyKey: string | undefined
  /** Everything that identifies the request. */
  request: readonly unknown[]
  /** How the answer is stored; plain text by default. */
  answers: AnswerCodec | undefined
  /** The operation answers without a body. */
  bodiless: boolean
}

/** Runs `handle`, or returns its stored answer. Its writes are committed together with the answer. */
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
