/** Idempotency keys: a repeated request gets the first answer, and has no second effect. */
import { AgentError } from '../errors.ts'
import { defineItem } from './item.ts'
import { bytes, type Field, integer, Mismatch, text } from './item-fields.ts'
import { type Address, digest, idempotencyAddress } from './keys.ts'
import { epochSeconds } from './table.ts'
import type { UnitOfWork } from './unit-of-work.ts'

const SECONDS_KEPT = 24 * 60 * 60

/** How answers lie in the table, each with the digest of its request. `unit` is the running one. `decode` throws `idempotency.mismatch`. */
export interface AnswerCodec {
  encode: (unit: UnitOfWork, address: Address, answer: string) => Promise<StoredAnswer>
  decode: (unit: UnitOfWork, address: Address, stored: StoredAnswer) => Promise<string>
}

/** A text, or bytes where it is sealed. */
type StoredAnswer = string | Uint8Array

/** An operation whose answers lie in the table in another way is another request too. */
export const usedForAnother = (): AgentError =>
  new AgentError('idempotency.mismatch', 'this Idempotency-Key was used with another request')

const READABLE: AnswerCodec = {
  encode: async (_unit, _address, answer) => answer,
  decode: async (_unit, _address, stored) => {
    if (typeof stored !== 'string') throw usedForAnother()
    return stored
  },
}

const answer = (): Field<StoredAnswer> => ({
  write: (value) => (typeof value === 'string' ? { S: value } : { B: value }),
  read: (attribute) => {
    if (attribute.S !== undefined) return text().read(attribute)
    if (attribute.B !== undefined) return bytes().read(attribute)
    throw new Mismatch('a text or bytes')
  },
})

const answerItem = defineItem(
  'idempotency',
  ({ tenant, subject, key }: { tenant: string; subject: string; key: string }) =>
    idempotencyAddress(tenant, subject, key),
  { answer: answer(), expiresAt: integer() },
)

/** What is encoded: sealed, the digest tells nothing of a request that holds a secret either. */
interface Answered {
  request: string
  answer: object | null
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
  act: () => Promise<object | undefined>,
): Promise<object | undefined> => {
  const of = { tenant: unit.tenant, subject, key }
  const address = answerItem.addressOf(of)
  const fingerprint = digest(JSON.stringify(request))
  const known = await unit.load(answerItem, of)
  if (known !== undefined) {
    const answered: Answered = JSON.parse(await answers.decode(unit, address, known.answer))
    if (answered.request !== fingerprint) throw usedForAnother()
    return answered.answer ?? undefined
  }
  const answer = await act()
  const answered: Answered = { request: fingerprint, answer: answer ?? null }
  unit.create(
    answerItem.encode({
      ...of,
      answer: await answers.encode(unit, address, JSON.stringify(answered)),
      expiresAt: epochSeconds() + SECONDS_KEPT,
    }),
  )
  return answer
}
