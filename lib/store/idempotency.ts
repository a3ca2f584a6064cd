/** Idempotency keys: a repeated request gets the first answer, and has no second effect. */
import { AgentError } from '../errors.ts'
import { defineItem } from './item.ts'
import { bytes, type Field, integer, MismatchError, text } from './item-fields.ts'
import { type Address, digest, idempotencyAddress } from './keys.ts'
import { epochSeconds } from './table.ts'
import type { UnitOfWork } from './unit-of-work.ts'

const SECONDS_KEPT = 24 * 60 * 60

/**
 * How answers are stored, each with the digest of its request. `unit` is the running one. `decode` throws
 * `idempotency.mismatch`.
 */
export interface AnswerCodec {
  encode: (unit: UnitOfWork, address: Address, answer: string) => Promise<StoredAnswer>
  decode: (unit: UnitOfWork, address: Address, stored: StoredAnswer) => Promise<string>
}

/** A text, or bytes if sealed. */
type StoredAnswer = string | Uint8Array

/** Also thrown if the stored answer belongs to an operation that stores its answers differently. */
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
    throw new MismatchError('a text or bytes')
  },
})

const answerItem = defineItem(
  'idempotency',
  ({ tenant, subject, key }: { tenant: string; subject: string; key: string }) =>
    idempotencyAddress(tenant, subject, key),
  { answer: answer(), expiresAt: integer() },
)

/** The encoded parts. The digest is sealed too, because it would reveal something about a request with a secret. */
interface Answered {
  request: string
  answer: object | null
}

interface RepeatableRequest {
  /** The caller. Callers do not share keys. */
  subject: string
  key: string
  /** Everything that identifies the request. */
  request: unknown
  /** Plain text by default. */
  answers?: AnswerCodec | undefined
}

/**
 * Runs `act`, or returns the answer of its first run. The answer is committed with the writes of `act`: of two
 * concurrent requests, one is repeated and finds it. Throws `idempotency.mismatch` for a key that was used with another
 * request. Follows draft-ietf-httpapi-idempotency-key-header.
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
