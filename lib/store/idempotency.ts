/** Idempotency keys: a repeated request gets the first response, and has no second effect. */
import { AgentError, CommittedError } from '../errors.ts'
import { defineItem, type Stored } from './item.ts'
import { bytes, integer, optional, packedText } from './item-fields.ts'
import { type Address, digest, idempotencyAddress } from './keys.ts'
import { joinResponse, piecesField, splitResponse } from './stored-responses.ts'
import { epochSeconds, getItem } from './table.ts'
import type { UnitOfWork } from './unit-of-work.ts'

const RETENTION_SECONDS = 24 * 60 * 60

/** How a response with the digest of its request is stored. `decode` throws `idempotency.mismatch`. */
export interface ResponseCodec {
  encode: (unit: UnitOfWork, address: Address, response: string) => Promise<EncodedResponse>
  decode: (unit: UnitOfWork, address: Address, encoded: EncodedResponse) => Promise<string>
}

/** A text; bytes if sealed. */
type EncodedResponse = string | Uint8Array

/** Also thrown if the stored response has another codec, so belongs to another operation. */
export const keyReusedError = (): AgentError =>
  new AgentError('idempotency.mismatch', 'this Idempotency-Key was used with another request')

const PLAIN_TEXT: ResponseCodec = {
  encode: async (_unit, _address, response) => response,
  decode: async (_unit, _address, encoded) => {
    if (typeof encoded !== 'string') throw keyReusedError()
    return encoded
  },
}

const responseItem = defineItem(
  'idempotency',
  ({ tenant, subject, key }: { tenant: string; subject: string; key: string }) =>
    idempotencyAddress(tenant, subject, key),
  /** Either `sealed`, or `answer`, which may be in pieces. */
  { answer: optional(packedText()), pieces: piecesField, sealed: optional(bytes()), expiresAt: integer() },
  'expiry',
)

/** Whether a response is stored for the key. */
export const hasResponse = async (id: { tenant: string; subject: string; key: string }): Promise<boolean> =>
  (await getItem(responseItem.addressOf(id))) !== undefined

const encodedResponse = async (
  unit: UnitOfWork,
  address: Address,
  { answer, pieces, sealed }: Stored<typeof responseItem>,
): Promise<EncodedResponse> => {
  const response = answer === undefined ? sealed : await joinResponse(address, { answer, pieces }, unit)
  if (response === undefined) throw new AgentError('internal', 'a stored idempotency is corrupt at answer')
  return response
}

/** What is encoded. The digest is sealed too, because it would reveal something about a request with a secret. */
interface RequestAndResponse {
  request: string
  answer: object | null
}

interface RepeatableRequest {
  /** The caller. Callers do not share keys. */
  subject: string
  key: string
  /** All that makes two requests the same, as one text. */
  request: string
  /** Plain text by default. */
  codec?: ResponseCodec | undefined
}

/**
 * Runs `act`, or returns the stored response of an earlier run. A response is committed with the writes of `act`: of
 * two concurrent requests one conflicts, is repeated and finds it. Throws `idempotency.mismatch` for a key that was
 * used with another request. Follows draft-ietf-httpapi-idempotency-key-header.
 */
export const onlyOnce = async (
  unit: UnitOfWork,
  { subject, key, request, codec = PLAIN_TEXT }: RepeatableRequest,
  act: () => Promise<object | undefined>,
): Promise<object | undefined> => {
  const id = { tenant: unit.tenant, subject, key }
  const address = responseItem.addressOf(id)
  const fingerprint = digest(request)
  const storedItem = await unit.load(responseItem, id)
  if (storedItem !== undefined) {
    const pair: RequestAndResponse = JSON.parse(
      await codec.decode(unit, address, await encodedResponse(unit, address, storedItem)),
    )
    if (pair.request !== fingerprint) throw keyReusedError()
    return pair.answer ?? undefined
  }
  const response = await act()
  // Errors are not stored.
  if (response instanceof CommittedError) return response
  const pair: RequestAndResponse = { request: fingerprint, answer: response ?? null }
  const encoded = await codec.encode(unit, address, JSON.stringify(pair))
  const expiresAt = epochSeconds() + RETENTION_SECONDS
  if (typeof encoded === 'string') {
    const { stored, pieces } = splitResponse(address, encoded, expiresAt)
    for (const item of [responseItem.encode({ ...id, ...stored, expiresAt }), ...pieces]) unit.create(item)
  } else unit.create(responseItem.encode({ ...id, sealed: encoded, expiresAt }))
  return response
}
