/** Idempotency keys: the same request again gets the first answer again, and does nothing a second time. */
import { AgentError } from '../errors.ts'
import { digest, idempotencyAddress } from './address.ts'
import { epochSeconds, getItem, toKey } from './table.ts'
import type { UnitOfWork } from './unit-of-work.ts'

const SECONDS_KEPT = 24 * 60 * 60

/**
 * Runs `act` unless its answer is known. `request` is all that makes the request what it is. The answer is committed with
 * what `act` wrote: of two at once, one is run again and finds it. Throws `idempotency.mismatch` for a key that was used
 * with another request. After draft-ietf-httpapi-idempotency-key-header.
 */
export const onlyOnce = async <T>(
  unit: UnitOfWork,
  key: string,
  request: unknown,
  act: () => Promise<T>,
): Promise<T> => {
  const address = idempotencyAddress(unit.tenant, key)
  const fingerprint = digest(JSON.stringify(request))
  const known = await unit.attempt(() => getItem(address))
  if (known?.answer?.S !== undefined) {
    if (known.request?.S !== fingerprint)
      throw new AgentError('idempotency.mismatch', 'this Idempotency-Key was used with another request')
    return JSON.parse(known.answer.S)
  }
  const answer = await act()
  unit.create({
    ...toKey(address),
    kind: { S: 'idempotency' },
    request: { S: fingerprint },
    answer: { S: JSON.stringify(answer) },
    expiresAt: { N: String(epochSeconds() + SECONDS_KEPT) },
  })
  return answer
}
