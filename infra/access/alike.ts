/** What several functions do alike, for infra/access.ts to put together. */
import type { Access } from '../roles/statements.ts'
import {
  ASKS_FOR_REGISTRY,
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
  MESSAGE_LANES,
  MESSAGE_OUTCOMES,
  ORGANIZATION,
  OUT_OF_BAND,
  OWN_DEFINITION,
  PICKUP,
  PICKUP_USAGE,
  QUESTION_ANSWER,
  RECORD,
  REVOCATION_REGISTRY,
  TENANT,
  WAITING,
  WEBVH,
  WEBVH_SEEN,
} from './keys.ts'

/** A message to such a wallet; the first one makes the job that gives up what is not fetched. */
export const QUEUES = {
  BatchGetItem: [PICKUP, PICKUP_USAGE],
  Query: [PICKUP],
  PutItem: [JOB, PICKUP],
  UpdateItem: [PICKUP, PICKUP_USAGE],
} satisfies Access

/** A function that sends to a connection, whose wallet may have no endpoint. */
export const sending = (access: Access): Access => ({
  ...access,
  BatchGetItem: [...new Set([...(access.BatchGetItem ?? []), ...QUEUES.BatchGetItem])],
  Query: [...new Set([...(access.Query ?? []), ...QUEUES.Query])],
  PutItem: [...new Set([...(access.PutItem ?? []), ...QUEUES.PutItem])],
  UpdateItem: [...new Set([...(access.UpdateItem ?? []), ...QUEUES.UpdateItem])],
})

/** Such messages leave their queue, and what became of them is noted. */
export const DEQUEUES = {
  PutItem: [MESSAGE_OUTCOMES],
  UpdateItem: [BASIC_MESSAGE],
  DeleteItem: [PICKUP],
} satisfies Access

/** An offer on a connection or in an invitation. */
export const OFFERS = {
  GetItem: [
    ...[DATA_KEY, DEFINITION, IDEMPOTENCY, ISSUER_DID, KEY, KEY_CORRECTNESS_PROOF, OWN_DEFINITION, WEBVH],
    ...ASKS_FOR_REGISTRY,
  ],
  BatchGetItem: [OWN_DEFINITION],
  Query: [RECORD, REVOCATION_REGISTRY],
  PutItem: [IDEMPOTENCY, ISSUER_DID, JOB, KEY, RECORD],
  UpdateItem: [REVOCATION_REGISTRY],
} satisfies Access

/** A step of an exchange, whose message goes to its connection. */
export const ANSWERS_EXCHANGE = {
  GetItem: [DATA_KEY, IDEMPOTENCY, KEY, RECORD],
  BatchGetItem: [RECORD],
  Query: [RECORD],
  PutItem: [IDEMPOTENCY, KEY, RECORD],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

/** An invitation to connect. */
export const INVITES = {
  GetItem: [DATA_KEY, IDEMPOTENCY, TENANT],
  PutItem: [DATA_KEY, IDEMPOTENCY, INVITATION, KEY, OUT_OF_BAND],
  GenerateDataKey: ['agents'],
  Decrypt: ['agents'],
} satisfies Access

/** An invitation of another agent: the handshake is begun, or the request that it brings is handled. */
export const ACCEPTS = {
  GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY, RECORD, TENANT, WEBVH, WEBVH_SEEN],
  BatchGetItem: [KEY, RECORD],
  Query: [MESSAGE_LANES, RECORD],
  PutItem: [DATA_KEY, IDEMPOTENCY, KEY, MESSAGE_LANES, RECORD, WEBVH_SEEN],
  GenerateDataKey: ['agents'],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

/** The same where the agent has keys already. */
export const { GenerateDataKey: _, ...WITH_KEYS } = ACCEPTS

/** A secret is sealed for its organization, and the answer that shows it for the agent. */
export const SEALS_SECRETS: Access = {
  GenerateDataKey: ['agents', 'organizations'],
  Decrypt: ['agents', 'organizations'],
}

/** A step of a proof exchange, whose message goes to its connection. */
export const PROOF_STEP = {
  GetItem: [DATA_KEY, IDEMPOTENCY, KEY, RECORD],
  BatchGetItem: [RECORD],
  Query: [RECORD],
  PutItem: [IDEMPOTENCY, RECORD],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

/** A question, or the answer to one. */
export const ASKS = {
  GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY],
  Query: [DID, MESSAGE_LANES],
  PutItem: [IDEMPOTENCY, MESSAGE_LANES, QUESTION_ANSWER],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

export const ASKS_FOR_PROOF = {
  ...PROOF_STEP,
  GetItem: [...PROOF_STEP.GetItem, CONTEXT],
  BatchGetItem: [...PROOF_STEP.BatchGetItem, CONTEXT],
  PutItem: [...PROOF_STEP.PutItem, CONTEXT],
} satisfies Access

export const DELIVERS = {
  GetItem: [DESTINATION, ENDPOINT_EVENTS, ORGANIZATION],
  BatchGetItem: [ENDPOINT_EVENTS],
  Query: [EVENT_LANES, MESSAGE_LANES, ORGANIZATION],
  PutItem: [...LANES, CORRUPT, WAITING, ENDPOINT_ATTEMPTS, MESSAGE_OUTCOMES],
  UpdateItem: [BASIC_MESSAGE, EVENT_LANES, MESSAGE_LANES, DESTINATION, ENDPOINT_EVENTS, ORGANIZATION],
  DeleteItem: [EVENT_LANES, MESSAGE_LANES, WAITING, ENDPOINT_EVENTS],
  Decrypt: ['organizations'],
} satisfies Access

/** A handshake goes on: the connection, the record of its invitation, and for a response a DID of our own. */
export const HANDSHAKES = {
  GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY, OUT_OF_BAND],
  Query: [DID, MESSAGE_LANES],
  PutItem: [CONNECTION, DID, IDEMPOTENCY, KEY],
  // It leaves the list of those that wait.
  DeleteItem: [CONNECTION],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access
