/** Answers that hold a secret, as they lie in the table: sealed with the data key of the agent that gave them. */
import { dataKey } from './data-keys.ts'
import type { AnswerCodec } from './idempotency.ts'
import { open, seal } from './sealing.ts'

export const sealedAnswers: AnswerCodec = {
  encode: async (unit, { pk }, answer) => {
    const key = await unit.attempt(() => dataKey(unit.tenant))
    return { B: seal(Buffer.from(answer), key, pk) }
  },
  decode: async (unit, { pk }, stored) => {
    const key = await unit.attempt(() => dataKey(unit.tenant))
    return Buffer.from(open(stored.B ?? new Uint8Array(), key, pk)).toString()
  },
}
