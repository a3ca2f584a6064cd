/**
 * What each function does with the table, the queues and the key, by its name in serverless.yml: its role allows this and no more. The
 * local stage holds the functions to it, and test/unit/infra/deployment/access.ts compares it with the calls that they were seen to make.
 */
import type { Access } from './roles/statements.ts'

/** Patterns of partition keys, which lib/store/keys.ts and anoncreds-keys.ts write: `*` stands for a tenant and for ids. */
const TENANT = '@tenant|*'
const ISSUER_KEYS = '@issuer-keys|*'
const IDEMPOTENCY = '*|idempotency|*'
const RECORD = '*|*Record|*'
const CONNECTION = '*|ConnectionRecord|*'
const CREDENTIAL = '*|CredentialRecord|*'
const W3C_CREDENTIAL = '*|W3cCredentialRecord|*'
const OUT_OF_BAND = '*|OutOfBandRecord|*'
const PROOF = '*|ProofRecord|*'
const DID = '*|DidRecord|*'
const QUESTION_ANSWER = '*|QuestionAnswerRecord|*'
const BASIC_MESSAGE = '*|BasicMessageRecord|*'
const DIDCOMM_MESSAGE = '*|DidCommMessageRecord|*'
/** What an offer of AnonCreds is made of; without private parts. */
const KEY_CORRECTNESS_PROOF = '*|AnonCredsKeyCorrectnessProofRecord|*'
const CONTEXT = '*|context|*'
/** What is shown of invitations: whoever writes an out-of-band record writes it. */
const INVITATION = '@invitation|*'
const KEY = '*|key|*'
const DATA_KEY = '*|data-key'
const ISSUER_DID = '*|issuer-did'
/** What agents serve under their did:webvh, and how far each has seen the logs of others. */
const WEBVH = '*|webvh|*'
const WEBVH_SEEN = '*|webvh-seen|*'
/** The document of a did:web that this service hosts. */
const WEB_DOCUMENT = '*|did-web|document'
/** What was handled before: an envelope, and a message. */
const ENVELOPE_MARK = '*|inbound|*'
const MESSAGE_MARK = '*|message|*'
/** How many strangers have asked for a connection. */
const STRANGERS = '*|strangers|*'
/** Webhook endpoints of an organization, its data key, its list of tenants. */
const ORGANIZATION = '@org|*'
const ENDPOINT_EVENTS = '@endpoint|*|events|*'
const ENDPOINT_ATTEMPTS = '@endpoint|*|attempts|*'
/** What waits in lanes, of messages (beside the connection's record) and of events, and the states of these lanes. */
const MESSAGE_LANES = CONNECTION
const EVENT_LANES = '@outbox|*'
const LANES = ['*|ConnectionRecord|*|lane', '@outbox|*|lane']
const CORRUPT = '@corrupt|*'
const JOB = '*|job|*'
const SCHEMA = '*|AnonCredsSchemaRecord|*'
const DEFINITION = '*|AnonCredsCredentialDefinitionRecord|*'
/** Records of definitions, which one of each issuer, schema and tag is, and how many an agent has made. */
const OWN_DEFINITION = '*|CredentialDefinitionRecord|*'
const DEFINITION_PLACE = '*|definition|*'
const DEFINITION_QUOTA = '*|definition-quota'
/** What was made for a definition or registry that never came to be is removed. */
const ANONCREDS_RECORD = '*|AnonCreds*Record|*'
const LEDGER_OBJECT = '*|ledger-object|*'
const MESSAGE_OUTCOMES = '*|delivery|*'
/** What waits until a wallet without an endpoint fetches it, and how much of that an agent has. */
const PICKUP = '*|pickup|*'
const PICKUP_USAGE = '*|pickup-usage|*'
/** A message to such a wallet; the first one makes the job that gives up what is not fetched. */
const QUEUES = {
  BatchGetItem: [PICKUP, PICKUP_USAGE],
  Query: [PICKUP],
  PutItem: [JOB, PICKUP],
  UpdateItem: [PICKUP, PICKUP_USAGE],
} satisfies Access
/** A function that sends to a connection, whose wallet may have no endpoint. */
const sending = (access: Access): Access => ({
  ...access,
  BatchGetItem: [...new Set([...(access.BatchGetItem ?? []), ...QUEUES.BatchGetItem])],
  Query: [...new Set([...(access.Query ?? []), ...QUEUES.Query])],
  PutItem: [...new Set([...(access.PutItem ?? []), ...QUEUES.PutItem])],
  UpdateItem: [...new Set([...(access.UpdateItem ?? []), ...QUEUES.UpdateItem])],
})
/** Such messages leave their queue, and what became of them is noted. */
const DEQUEUES = {
  PutItem: [MESSAGE_OUTCOMES],
  UpdateItem: [BASIC_MESSAGE],
  DeleteItem: [PICKUP],
} satisfies Access
/** What can be down, who waits for it, and how many attempts are made at once where it is slow. */
const DESTINATION = '@destination|*'
const WAITING = '@destination|*|waiting|*'
const SLOTS = '@destination|*|slot|*'

/** How many indexes of a registry are taken, what waits to be in its list, and its file. */
const REVOCATION_REGISTRY = '*|revocation-registry|*'
const PENDING_REVOCATION = '*|revocation|*'
const TAILS = '@tails|*'
/** An offer asks for a registry unless there is one, it is being made, or it waits to be written to a ledger. */
const ASKS_FOR_REGISTRY = [JOB, LEDGER_OBJECT, REVOCATION_REGISTRY]

/** An offer on a connection or in an invitation. */
const OFFERS = {
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
const ANSWERS_EXCHANGE = {
  GetItem: [DATA_KEY, IDEMPOTENCY, KEY, RECORD],
  BatchGetItem: [RECORD],
  Query: [RECORD],
  PutItem: [IDEMPOTENCY, KEY, RECORD],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

/** An invitation to connect. */
const INVITES = {
  GetItem: [DATA_KEY, IDEMPOTENCY, TENANT],
  PutItem: [DATA_KEY, IDEMPOTENCY, INVITATION, KEY, OUT_OF_BAND],
  GenerateDataKey: ['agents'],
  Decrypt: ['agents'],
} satisfies Access

/** An invitation of another agent: the handshake is begun, or the request that it brings is handled. */
const ACCEPTS = {
  GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY, RECORD, TENANT, WEBVH, WEBVH_SEEN],
  BatchGetItem: [KEY, RECORD],
  Query: [MESSAGE_LANES, RECORD],
  PutItem: [DATA_KEY, IDEMPOTENCY, KEY, MESSAGE_LANES, RECORD, WEBVH_SEEN],
  GenerateDataKey: ['agents'],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

/** The same where the agent has keys already. */
const { GenerateDataKey: _, ...WITH_KEYS } = ACCEPTS

/** A secret is sealed for its organization, and the answer that shows it for the agent. */
const SEALS_SECRETS: Access = { GenerateDataKey: ['agents', 'organizations'], Decrypt: ['agents', 'organizations'] }

/** A step of a proof exchange, whose message goes to its connection. */
const PROOF_STEP = {
  GetItem: [DATA_KEY, IDEMPOTENCY, KEY, RECORD],
  BatchGetItem: [RECORD],
  Query: [RECORD],
  PutItem: [IDEMPOTENCY, RECORD],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

/** A question, or the answer to one. */
const ASKS = {
  GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY],
  Query: [DID, MESSAGE_LANES],
  PutItem: [IDEMPOTENCY, MESSAGE_LANES, QUESTION_ANSWER],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

const ASKS_FOR_PROOF = {
  ...PROOF_STEP,
  GetItem: [...PROOF_STEP.GetItem, CONTEXT],
  BatchGetItem: [...PROOF_STEP.BatchGetItem, CONTEXT],
  PutItem: [...PROOF_STEP.PutItem, CONTEXT],
} satisfies Access

const DELIVERS = {
  GetItem: [DESTINATION, ENDPOINT_EVENTS, ORGANIZATION],
  BatchGetItem: [ENDPOINT_EVENTS],
  Query: [EVENT_LANES, MESSAGE_LANES, ORGANIZATION],
  PutItem: [...LANES, CORRUPT, WAITING, ENDPOINT_ATTEMPTS, MESSAGE_OUTCOMES],
  UpdateItem: [BASIC_MESSAGE, EVENT_LANES, MESSAGE_LANES, DESTINATION, ENDPOINT_EVENTS, ORGANIZATION],
  DeleteItem: [EVENT_LANES, MESSAGE_LANES, WAITING, ENDPOINT_EVENTS],
  Decrypt: ['organizations'],
} satisfies Access

/** A handshake goes on: the connection, the record of its invitation, and for a response a DID of our own. */
const HANDSHAKES = {
  GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY, OUT_OF_BAND],
  Query: [DID, MESSAGE_LANES],
  PutItem: [CONNECTION, DID, IDEMPOTENCY, KEY],
  // It leaves the list of those that wait.
  DeleteItem: [CONNECTION],
  Decrypt: ['agents'],
  SendMessage: ['WakeUpQueue'],
} satisfies Access

export const ACCESS: Record<string, Access> = {
  // The seven operations.
  getCredentialById: { GetItem: [CREDENTIAL] },
  sendMessage: sending({
    GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY],
    Query: [DID, MESSAGE_LANES],
    PutItem: [BASIC_MESSAGE, IDEMPOTENCY, MESSAGE_LANES],
    Decrypt: ['agents'],
    SendMessage: ['WakeUpQueue'],
  }),
  getBasicMessages: { GetItem: [CONNECTION], Query: [BASIC_MESSAGE] },
  tenantGetBasicMessages: { GetItem: [CONNECTION], Query: [BASIC_MESSAGE] },
  createRequest: {
    GetItem: [CONTEXT, DATA_KEY, IDEMPOTENCY, TENANT],
    Query: [RECORD],
    PutItem: [CONTEXT, DATA_KEY, IDEMPOTENCY, INVITATION, KEY, RECORD],
    GenerateDataKey: ['agents'],
    Decrypt: ['agents'],
  },
  tenantProofFormData: { GetItem: [DIDCOMM_MESSAGE, PROOF], BatchGetItem: [DIDCOMM_MESSAGE], Query: [DIDCOMM_MESSAGE] },
  // It looks at tokens itself: callers without one may ask too.
  registerNotificationWebhook: {
    GetItem: [DATA_KEY, IDEMPOTENCY, ISSUER_KEYS, TENANT],
    Query: [ORGANIZATION],
    PutItem: ['@decoy|*', DATA_KEY, IDEMPOTENCY, ORGANIZATION],
    DeleteItem: [ORGANIZATION],
    ...SEALS_SECRETS,
  },
  registerWebhook: {
    GetItem: [DATA_KEY, IDEMPOTENCY],
    Query: [ORGANIZATION],
    PutItem: [DATA_KEY, IDEMPOTENCY, ORGANIZATION],
    ...SEALS_SECRETS,
  },

  // Their companions.
  createTenant: { GetItem: [IDEMPOTENCY], PutItem: [IDEMPOTENCY, '@org|*|tenants', TENANT] },
  createOffer: sending({
    ...OFFERS,
    GetItem: [...OFFERS.GetItem, CONNECTION],
    // The connection has keys already: its agent has a data key.
    Decrypt: ['agents'],
    SendMessage: ['JobQueue', 'WakeUpQueue'],
  }),
  getCredentials: { Query: [CREDENTIAL], GetItem: [CREDENTIAL], BatchGetItem: [CREDENTIAL] },
  getCredentialFormData: {
    Query: [DIDCOMM_MESSAGE],
    GetItem: [CREDENTIAL],
    BatchGetItem: [CREDENTIAL, DIDCOMM_MESSAGE],
  },
  getW3cCredentials: { Query: [W3C_CREDENTIAL], GetItem: [W3C_CREDENTIAL], BatchGetItem: [W3C_CREDENTIAL] },
  getW3cCredentialById: { GetItem: [W3C_CREDENTIAL] },
  proposeCredential: sending(ANSWERS_EXCHANGE),
  acceptCredentialProposal: sending({
    ...OFFERS,
    GetItem: [...OFFERS.GetItem, RECORD],
    BatchGetItem: [RECORD],
    Decrypt: ['agents'],
    SendMessage: ['JobQueue', 'WakeUpQueue'],
  }),
  acceptCredentialOffer: sending({
    ...ANSWERS_EXCHANGE,
    GetItem: [...ANSWERS_EXCHANGE.GetItem, WEBVH, WEBVH_SEEN],
    PutItem: [...ANSWERS_EXCHANGE.PutItem, WEBVH_SEEN],
  }),
  declineCredentialOffer: sending(ANSWERS_EXCHANGE),
  acceptCredentialRequest: sending({
    ...ANSWERS_EXCHANGE,
    GetItem: [...ANSWERS_EXCHANGE.GetItem, WEBVH, WEBVH_SEEN],
  }),
  acceptCredential: sending(ANSWERS_EXCHANGE),
  revokeCredential: {
    GetItem: [CREDENTIAL, IDEMPOTENCY],
    PutItem: [CREDENTIAL, IDEMPOTENCY, JOB, PENDING_REVOCATION],
    SendMessage: ['JobQueue'],
  },
  createSchema: {
    GetItem: [DATA_KEY, IDEMPOTENCY, KEY, SCHEMA, WEBVH],
    Query: [DID, SCHEMA],
    PutItem: [DATA_KEY, DID, IDEMPOTENCY, KEY, SCHEMA, WEBVH],
    GenerateDataKey: ['agents'],
    Decrypt: ['agents'],
  },
  // Of others they are read through registries, which may note how far they have seen a log.
  getSchemaById: { GetItem: [SCHEMA, WEBVH, WEBVH_SEEN], Query: [SCHEMA], PutItem: [WEBVH_SEEN] },
  createCredentialDefinition: {
    GetItem: [DATA_KEY, DEFINITION_PLACE, DEFINITION_QUOTA, IDEMPOTENCY, OWN_DEFINITION, WEBVH],
    PutItem: [DATA_KEY, DEFINITION_PLACE, DEFINITION_QUOTA, DID, IDEMPOTENCY, JOB, KEY, OWN_DEFINITION, WEBVH],
    GenerateDataKey: ['agents'],
    Decrypt: ['agents'],
    SendMessage: ['JobQueue'],
  },
  getCredentialDefinitions: { Query: [OWN_DEFINITION] },
  getCredentialDefinitionById: {
    GetItem: [DEFINITION, LEDGER_OBJECT, OWN_DEFINITION, WEBVH, WEBVH_SEEN],
    Query: [DEFINITION, LEDGER_OBJECT, OWN_DEFINITION],
    PutItem: [WEBVH_SEEN],
  },
  createOfferOob: {
    ...OFFERS,
    GetItem: [...OFFERS.GetItem, TENANT],
    PutItem: [...OFFERS.PutItem, DATA_KEY, INVITATION],
    GenerateDataKey: ['agents'],
    Decrypt: ['agents'],
    SendMessage: ['JobQueue'],
  },
  createDid: {
    GetItem: [DATA_KEY, IDEMPOTENCY, KEY, WEBVH],
    Query: [DID],
    PutItem: [DATA_KEY, DID, IDEMPOTENCY, KEY, WEB_DOCUMENT, WEBVH],
    GenerateDataKey: ['agents'],
    Decrypt: ['agents'],
  },
  getDids: { Query: [DID] },
  // Of others it is read from the web, and may note how far it has seen a log.
  resolveDid: { GetItem: [WEBVH, WEBVH_SEEN], Query: [DID], PutItem: [WEBVH_SEEN] },
  requestProof: sending(ASKS_FOR_PROOF),
  proposeProof: sending(PROOF_STEP),
  acceptProofProposal: sending(ASKS_FOR_PROOF),
  // A bearer's credential is presented by the issuer's DID, which may have to be made. AnonCreds objects are read.
  acceptProofRequest: sending({
    ...PROOF_STEP,
    GetItem: [...PROOF_STEP.GetItem, ISSUER_DID, WEBVH, WEBVH_SEEN],
    PutItem: [...PROOF_STEP.PutItem, ISSUER_DID, KEY, WEBVH_SEEN],
  }),
  // Without a connection the refusal has a key of its own.
  declineProofRequest: sending({ ...PROOF_STEP, PutItem: [...PROOF_STEP.PutItem, KEY] }),
  acceptPresentation: sending(PROOF_STEP),
  getProofs: { GetItem: [PROOF], BatchGetItem: [PROOF], Query: [PROOF] },
  getProofById: { GetItem: [PROOF] },
  getProofFormData: {
    GetItem: [DIDCOMM_MESSAGE, PROOF],
    BatchGetItem: [DIDCOMM_MESSAGE, PROOF],
    Query: [DIDCOMM_MESSAGE],
  },
  getQuestionAnswers: { Query: [QUESTION_ANSWER] },
  getQuestionAnswerById: { GetItem: [QUESTION_ANSWER] },
  sendQuestion: sending(ASKS),
  sendAnswer: sending({ ...ASKS, GetItem: [...ASKS.GetItem, QUESTION_ANSWER] }),
  getConnections: { Query: [CONNECTION] },
  getConnectionById: { GetItem: [CONNECTION] },
  createInvitation: { ...INVITES, Query: [DID], PutItem: [...INVITES.PutItem, DID] },
  createLegacyInvitation: { ...INVITES, GetItem: [...INVITES.GetItem, KEY] },
  receiveInvitation: sending(ACCEPTS),
  receiveInvitationUrl: sending(ACCEPTS),
  acceptInvitation: sending(ACCEPTS),
  receiveImplicitInvitation: ACCEPTS,
  getOutOfBandRecords: { GetItem: [OUT_OF_BAND], BatchGetItem: [OUT_OF_BAND], Query: [OUT_OF_BAND] },
  getOutOfBandRecordById: { GetItem: [OUT_OF_BAND] },
  deleteOutOfBandRecord: {
    GetItem: [IDEMPOTENCY, OUT_OF_BAND],
    PutItem: [IDEMPOTENCY, INVITATION],
    DeleteItem: [OUT_OF_BAND],
  },
  acceptConnectionRequest: HANDSHAKES,
  // It handles the request that came with the invitation.
  acceptConnectionResponse: {
    ...WITH_KEYS,
    GetItem: ACCEPTS.GetItem.filter((item) => item !== TENANT && item !== WEBVH_SEEN),
    BatchGetItem: [RECORD],
    PutItem: ACCEPTS.PutItem.filter((item) => item !== DATA_KEY && item !== WEBVH_SEEN),
  },
  sendPing: sending({
    GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY],
    Query: [DID, MESSAGE_LANES],
    PutItem: [IDEMPOTENCY, MESSAGE_LANES],
    Decrypt: ['agents'],
    SendMessage: ['WakeUpQueue'],
  }),
  deleteConnection: {
    GetItem: [CONNECTION, DATA_KEY, IDEMPOTENCY, KEY],
    Query: [DID, MESSAGE_LANES],
    PutItem: [IDEMPOTENCY, MESSAGE_LANES],
    DeleteItem: [CONNECTION],
    Decrypt: ['agents'],
    SendMessage: ['WakeUpQueue'],
  },
  getWebhookEndpoints: { Query: [ORGANIZATION] },
  deleteWebhookEndpoint: {
    GetItem: [DESTINATION, IDEMPOTENCY],
    Query: [ORGANIZATION],
    PutItem: [IDEMPOTENCY],
    UpdateItem: [DESTINATION],
    DeleteItem: [ORGANIZATION],
    SendMessage: ['TimerQueue'],
  },
  rotateWebhookSecret: {
    GetItem: [DATA_KEY, IDEMPOTENCY],
    Query: [ORGANIZATION],
    PutItem: [DATA_KEY, IDEMPOTENCY, ORGANIZATION],
    GenerateDataKey: ['agents'],
    Decrypt: ['agents', 'organizations'],
  },
  testWebhookEndpoint: {
    GetItem: [IDEMPOTENCY],
    Query: [ORGANIZATION],
    PutItem: [ENDPOINT_EVENTS, EVENT_LANES, IDEMPOTENCY],
  },
  enableWebhookEndpoint: {
    GetItem: [DESTINATION, IDEMPOTENCY],
    Query: [ORGANIZATION],
    PutItem: [IDEMPOTENCY, ORGANIZATION],
    UpdateItem: [DESTINATION],
    SendMessage: ['TimerQueue'],
  },
  getWebhookDeliveries: { Query: [ENDPOINT_ATTEMPTS, ORGANIZATION] },
  replayWebhookEvents: {
    GetItem: [ENDPOINT_EVENTS, IDEMPOTENCY],
    Query: [ENDPOINT_EVENTS, ORGANIZATION],
    PutItem: [ENDPOINT_EVENTS, EVENT_LANES, IDEMPOTENCY],
  },
  receiveDidcomm: {
    GetItem: [CONTEXT, DATA_KEY, ENVELOPE_MARK, ISSUER_DID, KEY, PICKUP, RECORD, STRANGERS, TENANT, WEBVH, WEBVH_SEEN],
    BatchGetItem: [CONTEXT, ENVELOPE_MARK, KEY, MESSAGE_MARK, RECORD, ...QUEUES.BatchGetItem],
    Query: [RECORD, ...QUEUES.Query],
    PutItem: [
      ...[ENVELOPE_MARK, INVITATION, ISSUER_DID, KEY, MESSAGE_MARK, RECORD, STRANGERS, WEBVH_SEEN],
      ...[...QUEUES.PutItem, ...DEQUEUES.PutItem],
    ],
    UpdateItem: [...QUEUES.UpdateItem, ...DEQUEUES.UpdateItem],
    // Of handshakes that come to nothing.
    DeleteItem: [CONNECTION, ...DEQUEUES.DeleteItem],
    Decrypt: ['agents'],
    SendMessage: ['WakeUpQueue'],
  },
  getWebDidDocument: { GetItem: [WEB_DOCUMENT] },
  getWebvhLog: { GetItem: [WEBVH] },
  getWebvhResource: { GetItem: [WEBVH] },
  getTailsFile: { Query: [TAILS] },
  showInvitation: { GetItem: [INVITATION] },
  getInvitationById: { GetItem: [INVITATION] },
  showDocs: {},
  getBrowserFile: {},
  openapi: {},
  health: {},

  // What nobody calls over HTTP.
  authorizer: { GetItem: [ISSUER_KEYS, TENANT] },
  dispatchChanges: {
    GetItem: [TENANT],
    Query: [ORGANIZATION],
    PutItem: [ENDPOINT_EVENTS, EVENT_LANES, '@parked'],
    UpdateItem: ['@dispatch|*'],
    SendMessage: ['WakeUpQueue'],
  },
  // What is slow is handed over to the other one, which takes a slot for each attempt.
  deliver: { ...DELIVERS, SendMessage: ['WakeUpQueue', 'SlowWakeUpQueue', 'TimerQueue'] },
  deliverSlowly: {
    ...DELIVERS,
    PutItem: [...DELIVERS.PutItem, SLOTS],
    DeleteItem: [...DELIVERS.DeleteItem, SLOTS],
    SendMessage: ['SlowWakeUpQueue', 'TimerQueue'],
  },
  wake: {
    GetItem: [DESTINATION],
    BatchGetItem: [SLOTS],
    Query: [WAITING],
    UpdateItem: [DESTINATION, ...LANES],
    DeleteItem: [WAITING],
    SendMessage: ['WakeUpQueue', 'SlowWakeUpQueue', 'TimerQueue'],
  },
  runJobs: {
    GetItem: [
      DATA_KEY,
      DEFINITION_QUOTA,
      JOB,
      KEY,
      LEDGER_OBJECT,
      OWN_DEFINITION,
      RECORD,
      REVOCATION_REGISTRY,
      WEBVH,
      WEBVH_SEEN,
    ],
    BatchGetItem: [DIDCOMM_MESSAGE, ...QUEUES.BatchGetItem],
    Query: [PENDING_REVOCATION, RECORD, REVOCATION_REGISTRY, ...QUEUES.Query],
    PutItem: [
      ...[DEFINITION_QUOTA, JOB, LEDGER_OBJECT, MESSAGE_LANES, OWN_DEFINITION, RECORD, REVOCATION_REGISTRY, TAILS],
      ...[WEBVH, WEBVH_SEEN, CORRUPT, ...QUEUES.PutItem, ...DEQUEUES.PutItem],
    ],
    UpdateItem: [JOB, ...QUEUES.UpdateItem, ...DEQUEUES.UpdateItem],
    DeleteItem: [...DEQUEUES.DeleteItem, ANONCREDS_RECORD, JOB, LEDGER_OBJECT, OWN_DEFINITION, PENDING_REVOCATION],
    GenerateDataKey: ['agents'],
    Decrypt: ['agents'],
    SendMessage: ['JobQueue', 'WakeUpQueue'],
  },
  sweepOutbox: { Query: [WAITING], QueryIndex: ['due'], SendMessage: ['WakeUpQueue', 'TimerQueue', 'JobQueue'] },
  confirmIssuerKeys: { GetItem: [ISSUER_KEYS], PutItem: [ISSUER_KEYS] },
  recoverWakeUps: {
    GetItem: [DESTINATION],
    UpdateItem: [DESTINATION, ...LANES],
    SendMessage: ['TimerQueue'],
  },
}
