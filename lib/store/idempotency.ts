/** Idempotency keys: a repeated request gets the first response, and has no second effect. */
import { AgentError, CommittedError } from '../errors.ts'
import { defineItem, type Stored } from './item.ts'
import { bytes, integer, optional, packedText } from './item-fields.ts'
import { type Address, digest, idempotencyAddress } from './keys.ts'
import { piecesField, storedResponse, wholeResponse } from './stored-responses.ts'
import { epochSeconds, getItem } from './table.ts'
import type { UnitOfWork } from './unit-of-work.ts'

const SECONDS_KEPT = 24 * 60 * 60

/**
 * How responses are stored, each with the digest of its request. `unit` is the running one. `decode` throws
 * `idempotency.mismatch`.
 */
export interface ResponseCodec {
  encode: (unit: UnitOfWork, address: Address, response: string) => Promise<EncodedResponse>
  decode: (unit: UnitOfWork, address: Address, encoded: EncodedResponse) => Promise<string>
}

/** A text, or bytes if sealed. */
type EncodedResponse = string | Uint8Array

/** Also thrown if the stored response belongs to an operation that stores its responses differently. */
export const usedForAnother = (): AgentError =>
  new AgentError('idempotency.mismatch', 'this Idempotency-Key was used with another request')

const READABLE: ResponseCodec = {
  encode: async (_unit, _address, response) => response,
  decode: async (_unit, _address, encoded) => {
    if (typeof encoded !== 'string') throw usedForAnother()
    return encoded
  },
}

const responseItem = defineItem(
  'idempotency',
  ({ tenant, subject, key }: { tenant: string; subject: string; key: string }) =>
    idempotencyAddress(tenant, subject, key),
  /** A response, which may be in pieces, or a sealed one. */
  { answer: optional(packedText()), pieces: piecesField, sealed: optional(bytes()), expiresAt: integer() },
)

/** Whether the key has a response by now. */
export const hasResponse = async (of: { tenant: string; subject: string; key: string }): Promise<boolean> =>
  (await getItem(responseItem.addressOf(of))) !== undefined

const encodedResponse = async (
  unit: UnitOfWork,
  address: Address,
  { answer, pieces, sealed }: Stored<typeof responseItem>,
): Promise<EncodedResponse> => {
  const response = answer === undefined ? sealed : await wholeResponse(address, { answer, pieces }, unit)
  if (response === undefined) throw new AgentError('internal', 'a stored idempotency is corrupt at answer')
  return response
}

/** The encoded parts. The digest is sealed too, because it would reveal something about a request with a secret. */
interface StoredPair {
  request: string
  answer: object | null
}

interface RepeatableRequest {
  /** The caller. Callers do not share keys. */
  subject: string
  key: string
  /** Everything that identifies the request. */
  request: string
  /** Plain text by default. */
  codec?: ResponseCodec | undefined
}

/**
 * Runs `act`, or returns the response of its first run. It is committed with the writes of `act`: of two
 * concurrent requests, one is repeated and finds it. Throws `idempotency.mismatch` for a key that was used with another
 * request. Follows draft-ietf-httpapi-idempotency-key-header.
 */
export const onlyOnce = async (
  unit: UnitOfWork,
  { subject, key, request, codec = READABLE }: RepeatableRequest,
  act: () => Promise<object | undefined>,
): Promise<object | undefined> => {
  const of = { tenant: unit.tenant, subject, key }
  const address = responseItem.addressOf(of)
  const fingerprint = digest(request)
  const known = await unit.load(responseItem, of)
  if (known !== undefined) {
    const pair: StoredPair = JSON.parse(await codec.decode(unit, address, await encodedResponse(unit, address, known)))
    if (pair.request !== fingerprint) throw usedForAnother()
    return pair.answer ?? undefined
  }
  const response = await act()
  // A response that is an error is not stored.
  if (response instanceof CommittedError) return response
  const pair: StoredPair = { request: fingerprint, answer: response ?? null }
  const encoded = await codec.encode(unit, address, JSON.stringify(pair))
  const expiresAt = epochSeconds() + SECONDS_KEPT
  if (typeof encoded === 'string') {
    const { stored, pieces } = storedResponse(address, encoded, expiresAt)
    for (const item of [responseItem.encode({ ...of, ...stored, expiresAt }), ...pieces]) unit.create(item)
  } else unit.create(responseItem.encode({ ...of, sealed: encoded, expiresAt }))
  return response
}
