/**
 * All kinds of records: their keys and indexes, their expiry, their events and their JSON. Every function that writes
 * has them in its bundle, without the schemas in this folder.
 */
import { isObject } from '../json.ts'
import * as anonCredsKinds from './anoncreds-kinds.ts'
import { createdInvitationId } from './created-invitation.ts'
import { ANONCREDS, isPublished, toCredentialExchangeJson } from './credential-json.ts'
import { defineRecord, EVERY, type Index, isStateChange, type RecordDefinition } from './define-record.ts'
import { hasDeliveryEndedAs, toBasicMessageJson } from './delivery.ts'
import { shortForm } from './did-forms.ts'
import { connectionExpiry, didExpiry, unfinishedListOf } from './handshake-expiry.ts'
import * as openIdKinds from './openid-kinds.ts'
import { BY_NAMES, OF_CONNECTION, OF_EXCHANGE, OF_TENANT } from './owners.ts'
import { rotationsOf } from './pending-rotations.ts'
import { CREDENTIAL_REQUEST, PROVES_DEFINITION, VERIFIER_CONTEXTS } from './record-json.ts'

const EXCHANGE_INDEXES: Record<string, Index> = {
  [EVERY]: { name: EVERY, copy: true },
  threadId: { name: 'threadId' },
  parentThreadId: { name: 'parentThreadId' },
  connectionId: { name: 'connectionId' },
}
const FINAL_STATES = ['done', 'declined', 'abandoned']
const EXCHANGE_LISTS = ['threadId', 'parentThreadId', 'connectionId'] as const

/**
 * Maximum number of entries that a query reads if other agents decide how many there are, or if they grow over years:
 * it bounds the cost of a message.
 */
export const MAX_QUERY_ENTRIES = 100

/** Copies, because every message reads them. */
const dids = (name: string): Index => ({ name, copy: true, form: shortForm })
const connectionsOf = (name: string): Index => ({ ...dids(name), newest: MAX_QUERY_ENTRIES })

export const connectionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'ConnectionRecord',
  keys: 'connection',
  belongsTo: OF_TENANT,
  atMost: 'unlimited: each has its wallet; unfinished ones expire, and uninvited ones are limited',
  sealed: [],
  indexes: {
    [EVERY]: { name: EVERY, copy: true },
    did: connectionsOf('did'),
    previousDids: connectionsOf('did'),
    theirDid: connectionsOf('theirDid'),
    previousTheirDids: connectionsOf('theirDid'),
    threadId: { name: 'threadId', newest: MAX_QUERY_ENTRIES },
    outOfBandId: { name: 'outOfBandId', copy: true },
    alias: { name: 'alias', copy: true, of: ({ alias }) => (typeof alias === 'string' ? alias : undefined) },
    unfinished: { name: 'unfinished', of: unfinishedListOf },
    invitationDid: { name: 'invitationDid', copy: true, newest: MAX_QUERY_ENTRIES },
    // A pending DID finds no connection, and its owner may still connect with it.
    rotating: { name: 'rotating', of: rotationsOf },
  },
  lists: ['outOfBandId', 'theirDid', 'did', 'alias'],
  filters: { myDid: 'did' },
  expiry: connectionExpiry,
  events: {
    'connection.state_changed': { summary: 'The state of a connection has changed', isChange: isStateChange },
  },
}))

export const credentialRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'CredentialRecord',
  keys: 'credential',
  belongsTo: OF_TENANT,
  atMost: 'unlimited: each is created by a call, or for a message',
  // The blinding data of a link secret makes its holder traceable.
  sealed: ['metadata', CREDENTIAL_REQUEST],
  indexes: {
    // A notification of a revocation names the registry and the index.
    anonCredsCredentialRevocationId: { name: 'revocation', with: 'connectionId', newest: MAX_QUERY_ENTRIES },
    ...EXCHANGE_INDEXES,
  },
  lists: EXCHANGE_LISTS,
  events: {
    'credential.state_changed': {
      summary: 'The state of a credential exchange has changed',
      isChange: isStateChange,
    },
    'credential.revocation_published': {
      summary: 'A revocation by the agent is published: verifiers see it',
      isChange: (after, before) => before !== undefined && isPublished(after) && !isPublished(before),
    },
    'credential.revocation_notification_received': {
      summary: 'The issuer of a held credential has notified the agent of its revocation',
      // Only the first notification.
      isChange: (after, before) =>
        before !== undefined && isObject(after.revocationNotification) && !isObject(before.revocationNotification),
    },
  },
  deletedEvent: { type: 'credential.deleted', summary: 'A credential exchange was deleted' },
  // An offer in both formats counts as AnonCreds, because the wallet's choice is unknown.
  ends: {
    states: FINAL_STATES,
    format: (metadata) => (ANONCREDS in metadata ? 'credential/anoncreds' : 'credential/json-ld'),
  },
  view: toCredentialExchangeJson,
}))

export const proofRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'ProofRecord',
  keys: 'proof',
  belongsTo: OF_TENANT,
  atMost: 'unlimited: each is created by a call, or for a message',
  sealed: [],
  indexes: EXCHANGE_INDEXES,
  lists: EXCHANGE_LISTS,
  events: {
    'proof.state_changed': { summary: 'The state of a proof exchange has changed', isChange: isStateChange },
  },
  deletedEvent: { type: 'proof.deleted', summary: 'A proof exchange was deleted' },
  ends: {
    states: FINAL_STATES,
    format: (metadata) =>
      VERIFIER_CONTEXTS in metadata || PROVES_DEFINITION in metadata
        ? 'proof/presentation-exchange'
        : 'proof/anoncreds',
  },
}))

export const questionAnswerRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'QuestionAnswerRecord',
  keys: 'question-answer',
  belongsTo: { ...OF_CONNECTION, ...OF_TENANT },
  atMost: 'unlimited: each is created by a call, or for a message',
  sealed: [],
  indexes: {
    threadId: { name: 'threadId', copy: true, newest: MAX_QUERY_ENTRIES },
    connectionId: { name: 'connectionId', copy: true },
    [EVERY]: { name: EVERY, copy: true },
  },
  lists: ['threadId', 'connectionId'],
  events: {
    'question_answer.state_changed': {
      summary: 'A question was sent, received or answered',
      isChange: isStateChange,
    },
  },
}))

export const credentialDefinitionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'CredentialDefinitionRecord',
  keys: 'own-definition',
  belongsTo: OF_TENANT,
  atMost: 'unlimited: each is created by a call; few have their keys generated concurrently',
  sealed: [],
  indexes: {
    [EVERY]: { name: EVERY, copy: true },
    credentialDefinitionId: { name: 'credentialDefinitionId' },
  },
  events: {
    'credential_definition.state_changed': {
      summary: 'The state of a credential definition has changed: its keys are generated, or it has failed',
      isChange: isStateChange,
    },
    'credential_definition.ledger_objects_added': {
      summary:
        'An operator must write an object of a revocation registry to a ledger: the definition has it in `ledgerObjects`',
      isChange: (after, before) =>
        after.ledgerObjectsAdded !== undefined && after.ledgerObjectsAdded !== before?.ledgerObjectsAdded,
    },
  },
}))

export const basicMessageRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'BasicMessageRecord',
  keys: 'basic-message',
  belongsTo: OF_CONNECTION,
  atMost: 'unlimited: each is created by a call, or for a message',
  sealed: [],
  indexes: { connectionId: { name: 'connectionId', copy: true } },
  partitionTag: 'connectionId',
  events: {
    'basic_message.received': {
      summary: 'A basic message was received',
      isChange: (after, before) => before === undefined && after.role === 'receiver',
    },
    'basic_message.sent': {
      summary: 'A basic message was created and will be sent to the wallet',
      isChange: (after, before) => before === undefined && after.role === 'sender',
    },
    'basic_message.delivered': {
      summary: 'A basic message was delivered to the wallet',
      isChange: hasDeliveryEndedAs('delivered'),
    },
    'basic_message.failed': {
      summary: 'The delivery of a basic message has failed permanently, after all attempts',
      isChange: hasDeliveryEndedAs('failed'),
    },
  },
  view: toBasicMessageJson,
}))

/**
 * Tag of an invitation of this agent: fingerprints of its keys that were not created for it. The item of a key that was
 * created for it names it.
 */
export const FORMER_KEYS = 'formerKeyFingerprints'

export const outOfBandRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OutOfBandRecord',
  keys: 'out-of-band',
  belongsTo: OF_TENANT,
  atMost: 'unlimited: each is created or received by a call',
  sealed: [],
  indexes: {
    // Without copies, because invitations contain their requests, and few are ever listed.
    [EVERY]: { name: EVERY },
    // Also its thread id, which no query uses.
    invitationId: { name: 'invitationId' },
    [FORMER_KEYS]: { name: 'recipientKey', newest: MAX_QUERY_ENTRIES },
    invitationRequestsThreadIds: { name: 'requestThreadId' },
  },
  lists: ['invitationId'],
  pointer: { kind: 'invitation', idOf: createdInvitationId, retentionSeconds: 90 * 24 * 60 * 60 },
}))

/**
 * Tag and list name of the agent's public DIDs. DIDs that were created for a single invitation or connection are
 * not public.
 */
export const PUBLIC_DID = 'public'

export const didRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'DidRecord',
  keys: 'did',
  belongsTo: { shared: { ...BY_NAMES, tenant: () => ({ [PUBLIC_DID]: true }) } },
  atMost: 'unlimited: a few for each connection and invitation, and those created by calls',
  sealed: [],
  indexes: {
    did: dids('did'),
    alternativeDids: dids('did'),
    recipientKeyFingerprints: { name: 'recipientKey', copy: true, newest: MAX_QUERY_ENTRIES },
    [PUBLIC_DID]: { name: 'public', copy: true },
  },
  // Those of single invitations and connections are not shown.
  listTag: PUBLIC_DID,
  expiry: didExpiry,
}))

/** Credentials to select from: of all, or of a definition or schema. Older ones must be named by id. */
const MAX_CREDENTIALS = 500
const credentialsOf = (name: string): Index => ({ name, newest: MAX_CREDENTIALS })

export const w3cCredentialRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'W3cCredentialRecord',
  keys: 'w3c-credential',
  belongsTo: OF_TENANT,
  atMost: 'unlimited: one for each accepted offer',
  sealed: [],
  indexes: {
    // Proof requests name attributes, of which a credential has too many for an index, and usually the definition or
    // schema.
    [EVERY]: credentialsOf(EVERY),
    anonCredsCredentialDefinitionId: credentialsOf('credentialDefinitionId'),
    anonCredsUnqualifiedCredentialDefinitionId: credentialsOf('credentialDefinitionId'),
    anonCredsSchemaId: credentialsOf('schemaId'),
    anonCredsUnqualifiedSchemaId: credentialsOf('schemaId'),
  },
}))

export const didCommMessageRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'DidCommMessageRecord',
  keys: 'didcomm-message',
  belongsTo: OF_EXCHANGE,
  atMost: 'a few for each exchange: the last message of each type',
  sealed: [],
  indexes: { associatedRecordId: { name: 'associatedRecordId', copy: true } },
  partitionTag: 'associatedRecordId',
}))

const DIDCOMM_KINDS: readonly RecordDefinition[] = [
  connectionRecords,
  credentialRecords,
  proofRecords,
  questionAnswerRecords,
  credentialDefinitionRecords,
  basicMessageRecords,
  outOfBandRecords,
  didRecords,
  w3cCredentialRecords,
  didCommMessageRecords,
]

// Without a spread, which would keep all kinds in bundles that read one.
export const RECORDS = /* @__PURE__ */ DIDCOMM_KINDS.concat(
  /* @__PURE__ */ Object.values(anonCredsKinds),
  /* @__PURE__ */ Object.values(openIdKinds),
)

/** The kind of this type; undefined for any other type. */
export const recordsOf = (type: string): RecordDefinition | undefined => RECORDS.find((kind) => kind.type === type)
