/**
 * All kinds of records: under which keys each is stored and found, when it expires, which of its changes are events, and
 * how it is shown. Every function that writes has them in its bundle, and none of the schemas beside this file.
 */
import { isObject } from '../json.ts'
import * as ofAnonCreds from './anoncreds-kinds.ts'
import { createdInvitationId } from './created-invitation.ts'
import { ANONCREDS, isPublished, toCredentialExchangeJson } from './credential-json.ts'
import { defineRecord, EVERY, type Index, isStateChange, type RecordDefinition } from './define-record.ts'
import { endsIn, toBasicMessageJson } from './delivery.ts'
import { shortForm } from './did-forms.ts'
import { connectionExpiry, didExpiry, unfinishedListOf } from './handshake-expiry.ts'
import * as ofOpenId from './openid-kinds.ts'
import { PENDING_DID, PROVES_DEFINITION, VERIFIER_CONTEXTS } from './record-json.ts'

const EXCHANGE_INDEXES: Record<string, Index> = {
  [EVERY]: { name: EVERY, copy: true },
  threadId: { name: 'threadId' },
  parentThreadId: { name: 'parentThreadId' },
  connectionId: { name: 'connectionId' },
}
const FINAL_STATES = ['done', 'declined', 'abandoned']
const EXCHANGE_LISTS = ['threadId', 'parentThreadId', 'connectionId'] as const

/**
 * Entries that a query reads where the other agents, or years, decide how many there are: what a message costs is
 * bounded.
 */
export const MAX_FOUND = 100

/** Copies, because every message reads them. */
const dids = (name: string): Index => ({ name, copy: true, form: shortForm })
const connectionsOf = (name: string): Index => ({ ...dids(name), newest: MAX_FOUND })

const textsIn = (value: unknown): string[] => [value].flat().filter((one) => typeof one === 'string')

/** What a message of a pending DID names: its key, and our DID. Anybody may rotate to a DID with this key. */
export const rotationBetween = (fingerprint: string, ourDid: string): string => `${fingerprint} ${shortForm(ourDid)}`

/** Of the DID to which the other agent of a connection rotates, one for each of its keys and of our DIDs. */
export const rotationsOf = ({ state, metadata, did, previousDids }: Record<string, unknown>): string[] => {
  const pending = isObject(metadata) && state !== 'abandoned' ? metadata[PENDING_DID] : undefined
  if (!isObject(pending)) return []
  const ours = [...textsIn(did), ...textsIn(previousDids)]
  return textsIn(pending.keyFingerprints).flatMap((key) => ours.map((own) => rotationBetween(key, own)))
}

export const connectionRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'ConnectionRecord',
  keys: 'connection',
  indexes: {
    [EVERY]: { name: EVERY, copy: true },
    did: connectionsOf('did'),
    previousDids: connectionsOf('did'),
    theirDid: connectionsOf('theirDid'),
    previousTheirDids: connectionsOf('theirDid'),
    threadId: { name: 'threadId', newest: MAX_FOUND },
    outOfBandId: { name: 'outOfBandId', copy: true },
    alias: { name: 'alias', copy: true, of: ({ alias }) => (typeof alias === 'string' ? alias : undefined) },
    unfinished: { name: 'unfinished', of: unfinishedListOf },
    invitationDid: { name: 'invitationDid', copy: true, newest: MAX_FOUND },
    // A pending DID finds no connection, and its owner may still connect with it.
    rotating: { name: 'rotating', of: rotationsOf },
  },
  lists: ['outOfBandId', 'theirDid', 'did', 'alias'],
  expiry: connectionExpiry,
  events: {
    'connection.state_changed': { summary: 'The state of a connection has changed', isChange: isStateChange },
  },
}))

export const credentialRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'CredentialRecord',
  keys: 'credential',
  indexes: {
    // A notification of a revocation names the registry and the index.
    anonCredsCredentialRevocationId: { name: 'revocation', with: 'connectionId', newest: MAX_FOUND },
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
      // Once, however often it comes.
      isChange: (after, before) =>
        before !== undefined && isObject(after.revocationNotification) && !isObject(before.revocationNotification),
    },
  },
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
  indexes: EXCHANGE_INDEXES,
  lists: EXCHANGE_LISTS,
  events: {
    'proof.state_changed': { summary: 'The state of a proof exchange has changed', isChange: isStateChange },
  },
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
  indexes: {
    threadId: { name: 'threadId', copy: true, newest: MAX_FOUND },
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
        'An operator has to write an object of a revocation registry to a ledger: the definition has it in `ledgerObjects`',
      isChange: (after, before) =>
        after.ledgerObjectsAdded !== undefined && after.ledgerObjectsAdded !== before?.ledgerObjectsAdded,
    },
  },
}))

export const basicMessageRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'BasicMessageRecord',
  keys: 'basic-message',
  indexes: { connectionId: { name: 'connectionId', copy: true } },
  within: 'connectionId',
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
      isChange: endsIn('delivered'),
    },
    'basic_message.failed': {
      summary: 'The delivery of a basic message has failed for good, after all attempts',
      isChange: endsIn('failed'),
    },
  },
  view: toBasicMessageJson,
}))

/**
 * Tag of an invitation of this agent: fingerprints of its keys that were not made for it. The item of a key that was
 * made for it names it.
 */
export const FORMER_KEYS = 'formerKeyFingerprints'

export const outOfBandRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'OutOfBandRecord',
  keys: 'out-of-band',
  indexes: {
    // Without copies, because invitations contain their requests, and few are ever listed.
    [EVERY]: { name: EVERY },
    // Also its thread id: nothing looks for that one.
    invitationId: { name: 'invitationId' },
    [FORMER_KEYS]: { name: 'recipientKey', newest: MAX_FOUND },
    invitationRequestsThreadIds: { name: 'requestThreadId' },
  },
  lists: ['invitationId'],
  pointer: { kind: 'invitation', idOf: createdInvitationId, remembered: 90 * 24 * 60 * 60 },
}))

/**
 * Tag and list name of the agent's public DIDs. DIDs that were made for a single invitation or connection are not
 * public.
 */
export const PUBLIC_DID = 'public'

export const didRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'DidRecord',
  keys: 'did',
  indexes: {
    did: dids('did'),
    alternativeDids: dids('did'),
    recipientKeyFingerprints: { name: 'recipientKey', copy: true, newest: MAX_FOUND },
    // For our list of DIDs, without those of single invitations and connections.
    [PUBLIC_DID]: { name: 'public', copy: true },
  },
  expiry: didExpiry,
}))

/** Credentials among which one is selected, of all or of those of a definition or schema. Older ones have to be named. */
const MAX_CREDENTIALS = 500
const credentialsOf = (name: string): Index => ({ name, newest: MAX_CREDENTIALS })

export const w3cCredentialRecords = /* @__PURE__ */ defineRecord(() => ({
  type: 'W3cCredentialRecord',
  keys: 'w3c-credential',
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
  indexes: { associatedRecordId: { name: 'associatedRecordId', copy: true } },
  within: 'associatedRecordId',
}))

const OF_DIDCOMM: readonly RecordDefinition[] = [
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
export const RECORDS = /* @__PURE__ */ OF_DIDCOMM.concat(
  /* @__PURE__ */ Object.values(ofAnonCreds),
  /* @__PURE__ */ Object.values(ofOpenId),
)

/** The kind of this type; undefined for any other type. */
export const recordsOf = (type: string): RecordDefinition | undefined => RECORDS.find((kind) => kind.type === type)
