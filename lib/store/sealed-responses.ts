/** Seals stored responses of operations with secrets, with the data key of the agent that acts. */
import { ensureDataKey, open, openDataKey, seal } from './data-keys.ts'
import { type ResponseCodec, usedForAnother } from './idempotency.ts'

export const sealedResponses: ResponseCodec = {
  encode: async (unit, { pk }, response) => seal(Buffer.from(response), await ensureDataKey(unit, unit.tenant), pk),
  decode: async (unit, { pk }, encoded) => {
    if (typeof encoded === 'string') throw usedForAnother()
    return Buffer.from(open(encoded, await openDataKey(unit.tenant), pk)).toString()
  },
}
