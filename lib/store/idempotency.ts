/** Idempotency keys: the same request again gets the first answer again, and does nothing a second time. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { type Address, digest, idempotencyAddress } from './address.ts'
import { epochSeconds, getItem, toKey } from './table.ts'
import type { UnitOfWork } from './unit-of-work.ts'

const SECONDS_KEPT = 24 * 60 * 60

/** How answers lie in the table. `unit` is the running one. */
export interface AnswerCodec {
  encode: (unit: UnitOfWork, address: Address, answer: string) => Promise<AttributeValue>
  decode: (unit: UnitOfWork, address: Address, stored: AttributeValue) => Promise<string>
}

const READABLE: AnswerCodec = {
  encode: async (_unit, _address, answer) => ({ S: answer }),
  decode: async (_unit, _address, stored) => stored.S ?? '',
}

export interface RepeatableRequest {
  /** Whose key it is: another caller's is another key. */
  subject: string
  key: string
  /** All that makes the request what it is. */
  request: unknown
  /** In the clear unless said. */
  answers?: AnswerCodec | undefined
}

/**
 * Runs `act` unless its answer is known. The answer is committed with what `act` wrote: of two at once, one is run again and finds it.
 * Throws `idempotency.mismatch` for a key that was used with another request. After draft-ietf-httpapi-idempotency-key-header.
 */
export const onlyOnce = async (
  unit: UnitOfWork,
  { subject, key, request, answers = READABLE }: RepeatableRequest,
  act: () => Promise<object>,
): Promise<object> => {
  const address = idempotencyAddress(unit.tenant, subject, key)
  const fingerprint = digest(JSON.stringify(request))
  const known = await unit.attempt(() => getItem(address))
  if (known?.answer !== undefined) {
    if (known.request?.S !== fingerprint)
      throw new AgentError('idempotency.mismatch', 'this Idempotency-Key was used with another request')
    return JSON.parse(await answers.decode(unit, address, known.answer))
  }
  const answer = await act()
  unit.create({
    ...toKey(address),
    kind: { S: 'idempotency' },
    request: { S: fingerprint },
    answer: await answers.encode(unit, address, JSON.stringify(answer)),
    expiresAt: { N: String(epochSeconds() + SECONDS_KEPT) },
  })
  return answer
}
