/** Seals stored responses that contain secrets, with the data key of the unit's agent. */
import { ensureDataKey, requireDataKey, seal, unseal } from './data-keys.ts'
import { keyReusedError, type ResponseCodec } from './idempotency.ts'

export const sealedResponses: ResponseCodec = {
  encode: async (unit, { pk }, response) => seal(Buffer.from(response), await ensureDataKey(unit, unit.tenant), pk),
  decode: async (unit, { pk }, encoded) => {
    if (typeof encoded === 'string') throw keyReusedError()
    return Buffer.from(unseal(encoded, await requireDataKey(unit.tenant), pk)).toString()
  },
}
