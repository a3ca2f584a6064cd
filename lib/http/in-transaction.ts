/** Runs an operation that changes something in one transaction. The same `Idempotency-Key` gets the first answer again. */
import { AgentError } from '../errors.ts'
import { onlyOnce, type ResponseCodec } from '../store/idempotency.ts'
import { transaction } from '../store/transaction.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { InTransaction } from './operation.ts'
import { Answer, type AnswerBody } from './request.ts'

export const inTransaction: InTransaction<UnitOfWork, ResponseCodec> = (
  { agent, subject, idempotencyKey: key, request, answers, bodiless },
  handle,
) =>
  transaction(agent, (unit) => {
    const act = async () => bodyOf(await handle(unit), bodiless)
    return key === undefined || subject === undefined
      ? act()
      : onlyOnce(unit, { subject, key, request, codec: answers }, act)
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
