/**
 * Keys of the table by the names that `permissions` in serverless.yml uses: patterns of the partition keys of items,
 * where `*` stands for a tenant and for ids. Records are named where they are described, in lib/records;
 * test/unit/stored-items.test.ts compares the others with the descriptions of their items.
 */
import { RECORDS } from '../../lib/records/kinds.ts'

const NAMED: Record<string, readonly string[]> = {
  layout: ['@layout'],
  tenant: ['@tenant|*'],
  'issuer-keys': ['@issuer-keys|*'],
  /** The tenant of a public id of OpenID4VC. */
  'openid-id': ['@openid|*'],
  idempotency: ['*|idempotency|*'],
  record: ['*|*Record|*'],
  ...Object.fromEntries(RECORDS.flatMap(({ keys, type }) => (keys ? [[keys, [`*|${type}|*`]]] : []))),
  context: ['*|context|*'],
  /** Pointers to out-of-band records, written together with them. */
  invitation: ['@invitation|*'],
  key: ['*|key|*'],
  'data-key': ['*|data-key'],
  'issuer-did': ['*|issuer-did'],
  /** Files that agents serve under their did:webvh, and the last seen versions of third parties' logs. */
  webvh: ['*|webvh|*'],
  'webvh-seen': ['*|webvh-seen|*'],
  /** Claims that wallets have disclosed to a verifier. */
  'openid4vp-result': ['*|openid4vp-result|*'],
  /** Claims of offers, used nonces, and status lists: pieces, used indexes, and the last signed ones. */
  'openid4vci-claims': ['*|openid4vci-claims|*'],
  'openid4vci-nonce': ['*|openid4vci-nonce|*'],
  'status-lists': ['*|status-lists|*'],
  'status-piece': ['*|status-list|*'],
  'status-index': ['*|status-index|*'],
  'signed-status-list': ['*|signed-status-list|*'],
  /** The document of a did:web that this service hosts. */
  'web-document': ['*|did-web|document'],
  /** Marks of handled messages. */
  'message-mark': ['*|message|*'],
  /** Counters: connection requests, created definitions, and running fetches of third parties' documents. */
  count: ['*|count|*'],
  /** Webhook endpoints of an organization, its data key, its list of tenants. */
  organization: ['@org|*'],
  /** Events that are not being delivered, and the attempts of all events. */
  'endpoint-events': ['@endpoint|*|events|*'],
  /** Events in their lanes (messages are beside the connection's record), and the states of all lanes. */
  'event-lanes': ['@outbox|*'],
  lanes: ['*|ConnectionRecord|*|lane', '@outbox|*|lane'],
  corrupt: ['@corrupt|*'],
  job: ['*|job|*'],
  /** The definition of each issuer, schema and tag, and those whose keys are being generated. */
  'definition-place': ['*|definition|*'],
  'definition-slot': ['*|definition-slot'],
  /** Records of AnonCreds objects; removed if a definition or registry could not be completed. */
  'anoncreds-record': ['*|AnonCreds*Record|*'],
  'ledger-object': ['*|ledger-object|*'],
  'message-outcomes': ['*|delivery|*'],
  /** Messages that wallets without endpoints have not fetched yet, and their total size for each agent. */
  pickup: ['*|pickup|*'],
  'pickup-usage': ['*|pickup-usage|*'],
  /** Destinations, their waiting lanes, and the slots of slow ones. */
  destination: ['@destination|*'],
  'waiting-lanes': ['@destination|*|waiting|*'],
  slots: ['@destination|*|slot|*'],
  /** The number of used indexes of a registry, revocations that are not published yet, and its tails file. */
  'revocation-registry': ['*|revocation-registry|*'],
  'pending-revocation': ['*|revocation|*'],
  tails: ['@tails|*'],
  decoy: ['@decoy|*'],
  'tenant-list': ['@org|*|tenants'],
  heartbeat: ['@heartbeat'],
  parked: ['@parked'],
  dispatch: ['@dispatch|*'],
}

/** What a tenant has, and an organization without tenants. */
const OWNED = [
  ...['record', 'key', 'data-key', 'issuer-did', 'webvh', 'web-document', 'definition-slot', 'definition-place'],
  ...['context', 'ledger-object', 'job', 'openid4vp-result', 'openid4vci-claims', 'status-lists', 'status-piece'],
  ...['status-index', 'signed-status-list', 'message-outcomes', 'pickup', 'pickup-usage', 'pending-revocation'],
  ...['revocation-registry', 'tails', 'invitation', 'organization', 'endpoint-events'],
]

export const KEYS: Record<string, readonly string[]> = {
  ...NAMED,
  owned: OWNED.flatMap((name) => NAMED[name] ?? []),
}
