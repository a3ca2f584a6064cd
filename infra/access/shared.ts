/** Rights that several functions have alike, for infra/access.ts to put together. */
import type { Access } from '../roles/statements.ts'
import {
  BASIC_MESSAGE,
  CONNECTION,
  CONTEXT,
  CORRUPT,
  DATA_KEY,
  DEFINITION,
  DESTINATION,
  DID,
  ENDPOINT_ATTEMPTS,
  ENDPOINT_EVENTS,
  EVENT_LANES,
  IDEMPOTENCY,
  INVITATION,
  ISSUER_DID,
  JOB,
  KEY,
  KEY_CORRECTNESS_PROOF,
  LANES,
  LEDGER_OBJECT,
  MESSAGE_OUTCOMES,
  ORGANIZATION,
  OUT_OF_BAND,
  OWN_DEFINITION,
  PICKUP,
  PICKUP_USAGE,
  RECORD,
  REVOCATION_REGISTRY,
  TAILS,
  TENANT,
  WAITING,
  WEBVH,
  WEBVH_SEEN,
} from './keys.ts'

/** An operation that takes an `Idempotency-Key`. */
export const ONCE: Access = { GetItem: [IDEMPOTENCY], PutItem: [IDEMPOTENCY] }

/** Keys of an agent that has some. */
export const OPENS_KEYS: Access = { GetItem: [DATA_KEY, KEY], Decrypt: ['agents'] }

/** Keys of an agent, which may be its first ones. */
export const MAKES_KEYS: Access = {
  GetItem: [DATA_KEY],
  PutItem: [DATA_KEY, KEY],
  GenerateDataKey: ['agents'],
  Decrypt: ['agents'],
}

/** A secret is sealed for its organization, and the answer that shows it for the agent. */
export const SEALS_SECRETS: Access = {
  GetItem: [DATA_KEY],
  PutItem: [DATA_KEY],
  GenerateDataKey: ['agents', 'organizations'],
  Decrypt: ['agents', 'organizations'],
}

/** A message for the endpoint of a connection, beside whose record it waits to be sent. */
export const SENDS: Access = {
  GetItem: [CONNECTION],
  Query: [CONNECTION, DID],
  PutItem: [CONNECTION],
  SendMessage: ['WakeUpQueue'],
}

/** A message for a wallet without an endpoint, which waits to be fetched. The first one makes the job that gives up what nobody fetches. */
export const QUEUES: Access = {
  GetItem: [PICKUP, PICKUP_USAGE],
  Query: [PICKUP],
  PutItem: [JOB, PICKUP],
  UpdateItem: [PICKUP, PICKUP_USAGE],
}

/** Messages leave that queue, and what became of them is noted. */
export const DEQUEUES: Access = { PutItem: [MESSAGE_OUTCOMES], UpdateItem: [BASIC_MESSAGE], DeleteItem: [PICKUP] }

/** A command that sends a message to a connection, with or without an endpoint. */
export const SENDING: Access[] = [ONCE, OPENS_KEYS, SENDS, QUEUES]

/** Public DIDs and what is published under them: the agent's own, and how far it has seen the logs of others. */
export const RESOLVES: Access = { GetItem: [WEBVH, WEBVH_SEEN], PutItem: [WEBVH_SEEN] }

/** A step of a credential or proof exchange. */
export const EXCHANGES: Access = { GetItem: [RECORD], Query: [RECORD], PutItem: [KEY, RECORD] }

/** A proof of what this service has issued, whose tails file it reads itself. */
export const PROVES: Access = { Query: [TAILS] }

/** What an issuer signs credentials with, which is made when it is first needed. A bearer presents with it as well. */
export const ISSUES: Access = { GetItem: [ISSUER_DID], PutItem: [ISSUER_DID, KEY] }

/** An offer, which asks for a registry unless there is one, it is being made, or it waits to be written to a ledger. */
export const OFFERS: Access = {
  GetItem: [
    ...[DEFINITION, JOB, KEY_CORRECTNESS_PROOF, LEDGER_OBJECT, OWN_DEFINITION],
    ...[REVOCATION_REGISTRY, WEBVH],
  ],
  Query: [RECORD, REVOCATION_REGISTRY],
  PutItem: [JOB, RECORD],
  UpdateItem: [REVOCATION_REGISTRY],
  SendMessage: ['JobQueue'],
}

/** A request for a proof, which keeps the JSON-LD contexts that it brings. */
export const ASKS_FOR_PROOF: Access = { GetItem: [CONTEXT], PutItem: [CONTEXT] }

/** An invitation, with what is shown of it. */
export const INVITES: Access = { GetItem: [TENANT], PutItem: [INVITATION, OUT_OF_BAND] }

/** An invitation of another agent: the handshake is begun, or the request that it brings is handled. */
export const ACCEPTS: Access = {
  GetItem: [RECORD, TENANT],
  Query: [RECORD],
  PutItem: [RECORD],
}

export const DELIVERS: Access = {
  GetItem: [DESTINATION, ENDPOINT_EVENTS, ORGANIZATION],
  Query: [CONNECTION, EVENT_LANES, ORGANIZATION],
  PutItem: [...LANES, CORRUPT, WAITING, ENDPOINT_ATTEMPTS, MESSAGE_OUTCOMES],
  UpdateItem: [BASIC_MESSAGE, CONNECTION, EVENT_LANES, DESTINATION, ENDPOINT_EVENTS, ORGANIZATION],
  DeleteItem: [CONNECTION, EVENT_LANES, WAITING, ENDPOINT_EVENTS],
  Decrypt: ['organizations'],
  SendMessage: ['SlowWakeUpQueue', 'TimerQueue'],
}

/** A handshake goes on. It leaves the list of those that wait. */
export const HANDSHAKES: Access = { GetItem: [OUT_OF_BAND], PutItem: [DID, KEY], DeleteItem: [CONNECTION] }
