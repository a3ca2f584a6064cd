/** Seals stored responses of operations with secrets, with the data key of the agent that acts. */
import { ensureDataKey, open, openDataKey, seal } from './data-keys.ts'
import { type ResponseCodec, usedForAnother } from './idempotency.ts'

export const sealedAnswers: ResponseCodec = {
  encode: async (unit, { pk }, response) => seal(Buffer.from(response), await ensureDataKey(unit, unit.tenant), pk),
  decode: async (unit, { pk }, stored) => {
    if (typeof stored === 'string') throw usedForAnother()
    return Buffer.from(open(stored, await openDataKey(unit.tenant), pk)).toString()
  },
}
