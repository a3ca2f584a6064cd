/** Expiry of handshakes that another agent has started and not finished, and of their DIDs and keys. */
import type { RecordContent } from './record-json.ts'

/** Seconds after which an unfinished handshake of another agent expires. */
const HANDSHAKE_LIFETIME = 7 * 24 * 60 * 60

/**
 * Expiry of a DID or key that was created for a handshake at `createdAt`, unless the handshake is completed: never
 * before the connection's, which may be created a little later.
 */
export const handshakePartExpiry = (createdAt: Date): number =>
  Math.floor(createdAt.getTime() / 1000) + HANDSHAKE_LIFETIME + 24 * 60 * 60

/** Whether something that expires at `expiresAt` (epoch seconds) lasts as long as a handshake that begins now. */
export const mayOutlive = (expiresAt: number, now: Date): boolean =>
  expiresAt >= Math.floor(now.getTime() / 1000) + HANDSHAKE_LIFETIME

/** Tag of DIDs that were created for another agent's handshake: they expire unless it is completed. */
export const OF_UNFINISHED_HANDSHAKE = 'ofUnfinishedHandshake'

/** Expiry of a DID's record in epoch seconds; undefined: it never expires. */
export const didExpiry = ({ value, tags }: RecordContent): number | undefined =>
  tags[OF_UNFINISHED_HANDSHAKE] === true ? handshakePartExpiry(new Date(String(value.createdAt))) : undefined

/** Whether another agent started the handshake and has not yet shown that it received our response. */
const isUnfinished = ({ role, state }: Record<string, unknown>): boolean =>
  role === 'responder' && (state === 'request-received' || state === 'response-sent')

/** Name of the list of the unfinished handshakes of an invitation in this state. */
export const unfinishedList = (outOfBandId: string, state: 'request-received' | 'response-sent'): string =>
  `${state} ${outOfBandId}`

export const unfinishedListOf = (value: Record<string, unknown>): string | undefined =>
  isUnfinished(value) && typeof value.outOfBandId === 'string' ? `${value.state} ${value.outOfBandId}` : undefined

/**
 * Expiry of a connection in epoch seconds; undefined: it never expires. A handshake that was abandoned before
 * completion keeps its expiry (`before`). A connection that was completed once never expires.
 */
export const connectionExpiry = ({ value }: RecordContent, before: number | undefined): number | undefined => {
  if (value.state === 'abandoned') return before
  if (!isUnfinished(value)) return undefined
  return Math.floor(Date.parse(String(value.createdAt)) / 1000) + HANDSHAKE_LIFETIME
}
