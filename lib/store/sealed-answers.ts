/** Answers of operations that take or give a secret, as they are stored: sealed with the data key of the agent that gave them. */
import { ensureDataKey, open, openDataKey, seal } from './data-keys.ts'
import { type AnswerCodec, usedForAnother } from './idempotency.ts'

export const sealedAnswers: AnswerCodec = {
  encode: async (unit, { pk }, answer) => seal(Buffer.from(answer), await ensureDataKey(unit, unit.tenant), pk),
  decode: async (unit, { pk }, stored) => {
    if (typeof stored === 'string') throw usedForAnother()
    return Buffer.from(open(stored, await openDataKey(unit.tenant), pk)).toString()
  },
}
