/** Seals stored answers of operations with secrets, with the data key of the answering agent. */
import { ensureDataKey, open, openDataKey, seal } from './data-keys.ts'
import { type AnswerCodec, usedForAnother } from './idempotency.ts'

export const sealedAnswers: AnswerCodec = {
  encode: async (unit, { pk }, answer) => seal(Buffer.from(answer), await ensureDataKey(unit, unit.tenant), pk),
  decode: async (unit, { pk }, stored) => {
    if (typeof stored === 'string') throw usedForAnother()
    return Buffer.from(open(stored, await openDataKey(unit.tenant), pk)).toString()
  },
}
