/**
 * What each function does with the table, the queues and the key, by its name in serverless.yml: its role allows these rights and no more. Of
 * operations that show records, or take a usual step, it follows from the contract (access/by-contract.ts); all others have a line here. The
 * local stage holds the functions to it, and test/unit/infra/deployment/access.ts compares it with the calls that they were seen to make.
 */
import { OPERATIONS } from '../lib/interface/operations.ts'
import { usualAccess } from './access/by-contract.ts'
import {
  ANONCREDS_RECORD,
  BASIC_MESSAGE,
  CONNECTION,
  CONTEXT,
  CORRUPT,
  CREDENTIAL,
  DATA_KEY,
  DEFINITION,
  DEFINITION_PLACE,
  DEFINITION_QUOTA,
  DESTINATION,
  DID,
  DIDCOMM_MESSAGE,
  ENDPOINT_ATTEMPTS,
  ENDPOINT_EVENTS,
  ENVELOPE_MARK,
  EVENT_LANES,
  INVITATION,
  ISSUER_KEYS,
  JOB,
  KEY,
  LANES,
  LEDGER_OBJECT,
  MESSAGE_MARK,
  ORGANIZATION,
  OUT_OF_BAND,
  OWN_DEFINITION,
  PENDING_REVOCATION,
  PICKUP,
  PROOF,
  QUESTION_ANSWER,
  RECORD,
  REVOCATION_REGISTRY,
  SCHEMA,
  SLOTS,
  STRANGERS,
  TAILS,
  TENANT,
  W3C_CREDENTIAL,
  WAITING,
  WEB_DOCUMENT,
  WEBVH,
} from './access/keys.ts'
import {
  ACCEPTS,
  ASKS_FOR_PROOF,
  DELIVERS,
  DEQUEUES,
  EXCHANGES,
  HANDSHAKES,
  INVITES,
  ISSUES,
  MAKES_KEYS,
  OFFERS,
  ONCE,
  OPENS_KEYS,
  PROVES,
  QUEUES,
  RESOLVES,
  SEALS_SECRETS,
  SENDING,
  SENDS,
} from './access/shared.ts'
import type { Access } from './roles/statements.ts'

export const ACCESS: Record<string, Access[]> = {
  // What a line below says of a function takes the place of what its contract says.
  ...usualAccess(OPERATIONS),

  // Of the seven operations.
  sendMessage: [...SENDING, { PutItem: [BASIC_MESSAGE] }],
  getBasicMessages: [{ GetItem: [CONNECTION], Query: [BASIC_MESSAGE] }],
  tenantGetBasicMessages: [{ GetItem: [CONNECTION], Query: [BASIC_MESSAGE] }],
  createRequest: [ONCE, MAKES_KEYS, INVITES, { GetItem: [CONTEXT], Query: [RECORD], PutItem: [CONTEXT, RECORD] }],
  tenantProofFormData: [{ GetItem: [DIDCOMM_MESSAGE, PROOF], Query: [DIDCOMM_MESSAGE] }],
  // It looks at tokens itself: callers without one may ask too.
  registerNotificationWebhook: [
    ONCE,
    SEALS_SECRETS,
    {
      GetItem: [ISSUER_KEYS, TENANT],
      Query: [ORGANIZATION],
      PutItem: ['@decoy|*', ORGANIZATION],
      DeleteItem: [ORGANIZATION],
    },
  ],
  registerWebhook: [ONCE, SEALS_SECRETS, { Query: [ORGANIZATION], PutItem: [ORGANIZATION] }],

  // Their companions.
  createTenant: [ONCE, { PutItem: ['@org|*|tenants', TENANT] }],
  createOffer: [...SENDING, OFFERS, ISSUES],
  getCredentials: [{ Query: [CREDENTIAL], GetItem: [CREDENTIAL] }],
  getCredentialFormData: [{ GetItem: [CREDENTIAL, DIDCOMM_MESSAGE], Query: [DIDCOMM_MESSAGE] }],
  getW3cCredentials: [{ Query: [W3C_CREDENTIAL], GetItem: [W3C_CREDENTIAL] }],
  acceptCredentialProposal: [...SENDING, EXCHANGES, OFFERS, ISSUES],
  acceptCredentialOffer: [...SENDING, EXCHANGES, RESOLVES],
  acceptCredentialRequest: [...SENDING, EXCHANGES, RESOLVES],
  revokeCredential: [
    ONCE,
    { GetItem: [CREDENTIAL], PutItem: [CREDENTIAL, JOB, PENDING_REVOCATION], SendMessage: ['JobQueue'] },
  ],
  createSchema: [
    ONCE,
    MAKES_KEYS,
    { GetItem: [KEY, SCHEMA, WEBVH], Query: [DID, SCHEMA], PutItem: [DID, SCHEMA, WEBVH] },
  ],
  // Of others they are read through registries.
  getSchemaById: [RESOLVES, { GetItem: [SCHEMA], Query: [SCHEMA] }],
  createCredentialDefinition: [
    ONCE,
    MAKES_KEYS,
    {
      GetItem: [DEFINITION, DEFINITION_PLACE, DEFINITION_QUOTA, OWN_DEFINITION, WEBVH],
      Query: [DEFINITION],
      PutItem: [DEFINITION_PLACE, DEFINITION_QUOTA, DID, JOB, OWN_DEFINITION, WEBVH],
      SendMessage: ['JobQueue'],
    },
  ],
  getCredentialDefinitionById: [
    RESOLVES,
    { GetItem: [DEFINITION, LEDGER_OBJECT, OWN_DEFINITION], Query: [DEFINITION, LEDGER_OBJECT, OWN_DEFINITION] },
  ],
  createOfferOob: [ONCE, MAKES_KEYS, INVITES, OFFERS, ISSUES],
  createDid: [ONCE, MAKES_KEYS, { GetItem: [KEY, WEBVH], Query: [DID], PutItem: [DID, WEB_DOCUMENT, WEBVH] }],
  resolveDid: [RESOLVES, { Query: [DID] }],
  requestProof: [...SENDING, EXCHANGES, ASKS_FOR_PROOF],
  acceptProofProposal: [...SENDING, EXCHANGES, ASKS_FOR_PROOF],
  // A bearer's credential is presented by the issuer's DID, which may have to be made.
  acceptProofRequest: [...SENDING, EXCHANGES, RESOLVES, ISSUES, PROVES],
  getProofs: [{ GetItem: [PROOF], Query: [PROOF] }],
  getProofFormData: [{ GetItem: [DIDCOMM_MESSAGE, PROOF], Query: [DIDCOMM_MESSAGE] }],
  sendQuestion: [...SENDING, { PutItem: [QUESTION_ANSWER] }],
  sendAnswer: [...SENDING, { GetItem: [QUESTION_ANSWER], PutItem: [QUESTION_ANSWER] }],
  getConnections: [{ Query: [CONNECTION, DID] }],
  createInvitation: [ONCE, MAKES_KEYS, INVITES, { Query: [DID], PutItem: [DID] }],
  createLegacyInvitation: [ONCE, MAKES_KEYS, INVITES, { GetItem: [KEY] }],
  receiveInvitation: [...SENDING, MAKES_KEYS, ACCEPTS, RESOLVES, PROVES],
  receiveInvitationUrl: [...SENDING, MAKES_KEYS, ACCEPTS, RESOLVES, PROVES],
  acceptInvitation: [...SENDING, MAKES_KEYS, ACCEPTS, RESOLVES, PROVES],
  receiveImplicitInvitation: [ONCE, OPENS_KEYS, SENDS, MAKES_KEYS, ACCEPTS, RESOLVES],
  getOutOfBandRecords: [{ GetItem: [OUT_OF_BAND], Query: [OUT_OF_BAND] }],
  deleteOutOfBandRecord: [ONCE, { GetItem: [OUT_OF_BAND], PutItem: [INVITATION], DeleteItem: [OUT_OF_BAND] }],
  acceptConnectionRequest: [ONCE, OPENS_KEYS, SENDS, HANDSHAKES],
  // It handles the request that came with the invitation.
  acceptConnectionResponse: [ONCE, OPENS_KEYS, SENDS, EXCHANGES, RESOLVES, PROVES],
  deleteConnection: [ONCE, OPENS_KEYS, SENDS, { DeleteItem: [CONNECTION] }],
  getWebhookEndpoints: [{ Query: [ORGANIZATION] }],
  deleteWebhookEndpoint: [
    ONCE,
    {
      GetItem: [DESTINATION],
      Query: [ORGANIZATION],
      UpdateItem: [DESTINATION],
      DeleteItem: [ORGANIZATION],
      SendMessage: ['TimerQueue'],
    },
  ],
  rotateWebhookSecret: [
    ONCE,
    {
      GetItem: [DATA_KEY],
      Query: [ORGANIZATION],
      PutItem: [DATA_KEY, ORGANIZATION],
      GenerateDataKey: ['agents'],
      Decrypt: ['agents', 'organizations'],
    },
  ],
  testWebhookEndpoint: [ONCE, { Query: [ORGANIZATION], PutItem: [ENDPOINT_EVENTS, EVENT_LANES] }],
  enableWebhookEndpoint: [
    ONCE,
    {
      GetItem: [DESTINATION],
      Query: [ORGANIZATION],
      PutItem: [ORGANIZATION],
      UpdateItem: [DESTINATION],
      SendMessage: ['TimerQueue'],
    },
  ],
  getWebhookDeliveries: [{ Query: [ENDPOINT_ATTEMPTS, ORGANIZATION] }],
  replayWebhookEvents: [
    ONCE,
    { GetItem: [ENDPOINT_EVENTS], Query: [ENDPOINT_EVENTS, ORGANIZATION], PutItem: [ENDPOINT_EVENTS, EVENT_LANES] },
  ],
  receiveDidcomm: [
    OPENS_KEYS,
    SENDS,
    QUEUES,
    DEQUEUES,
    EXCHANGES,
    ISSUES,
    RESOLVES,
    PROVES,
    {
      GetItem: [CONTEXT, ENVELOPE_MARK, KEY, MESSAGE_MARK, PICKUP, STRANGERS, TENANT],

      PutItem: [ENVELOPE_MARK, INVITATION, MESSAGE_MARK, STRANGERS],
      // Of a handshake that is completed, which no longer expires.
      UpdateItem: [KEY],
      // Of handshakes that come to nothing.
      DeleteItem: [CONNECTION],
    },
  ],
  getWebDidDocument: [{ GetItem: [WEB_DOCUMENT] }],
  getWebvhLog: [{ GetItem: [WEBVH] }],
  getWebvhResource: [{ GetItem: [WEBVH] }],
  getTailsFile: [{ Query: [TAILS] }],
  showInvitation: [{ GetItem: [INVITATION] }],
  getInvitationById: [{ GetItem: [INVITATION] }],
  showDocs: [],
  getBrowserFile: [],
  openapi: [],
  health: [],

  // What nobody calls over HTTP.
  authorizer: [{ GetItem: [ISSUER_KEYS, TENANT] }],
  dispatchChanges: [
    {
      GetItem: [TENANT],
      Query: [ORGANIZATION],
      PutItem: [ENDPOINT_EVENTS, EVENT_LANES, '@parked'],
      UpdateItem: ['@dispatch|*'],
      SendMessage: ['WakeUpQueue'],
    },
  ],
  // What is slow is handed over to the other one, which takes a slot for each attempt.
  deliver: [DELIVERS, { GetItem: [CONNECTION], SendMessage: ['WakeUpQueue'] }],
  deliverSlowly: [DELIVERS, { PutItem: [SLOTS], DeleteItem: [SLOTS] }],
  wake: [
    {
      GetItem: [...LANES, DESTINATION, SLOTS],
      Query: [WAITING],
      UpdateItem: [DESTINATION, ...LANES],
      DeleteItem: [WAITING],
      SendMessage: ['WakeUpQueue', 'SlowWakeUpQueue', 'TimerQueue'],
    },
  ],
  runJobs: [
    OPENS_KEYS,
    MAKES_KEYS,
    RESOLVES,
    QUEUES,
    DEQUEUES,
    {
      GetItem: [
        ...[DEFINITION_QUOTA, DIDCOMM_MESSAGE, JOB, LEDGER_OBJECT, OWN_DEFINITION, RECORD, REVOCATION_REGISTRY, TAILS],
      ],
      Query: [PENDING_REVOCATION, RECORD, REVOCATION_REGISTRY],
      PutItem: [
        ...[CORRUPT, DEFINITION_QUOTA, LEDGER_OBJECT, OWN_DEFINITION, RECORD, REVOCATION_REGISTRY, TAILS, WEBVH],
      ],
      UpdateItem: [JOB],
      DeleteItem: [ANONCREDS_RECORD, JOB, LEDGER_OBJECT, OWN_DEFINITION, PENDING_REVOCATION, TAILS],
      SendMessage: ['JobQueue', 'WakeUpQueue'],
    },
  ],
  sweepOutbox: [{ Query: [WAITING], QueryIndex: ['due'], SendMessage: ['WakeUpQueue', 'TimerQueue', 'JobQueue'] }],
  confirmIssuerKeys: [{ GetItem: [ISSUER_KEYS], PutItem: [ISSUER_KEYS] }],
  recoverWakeUps: [{ GetItem: [DESTINATION], UpdateItem: [DESTINATION, ...LANES], SendMessage: ['TimerQueue'] }],
}
