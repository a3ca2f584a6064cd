/**
 * Keys of the table by the names that `uses` in serverless.yml says: patterns of the partition keys of items, where `*`
 * stands for a tenant and for ids. Records are named where they are described, in lib/records;
 * test/unit/stored-items.test.ts compares the others with the descriptions of their items.
 */
import { RECORDS } from '../../lib/records/kinds.ts'

export const KEYS: Record<string, readonly string[]> = {
  layout: ['@layout'],
  tenant: ['@tenant|*'],
  'issuer-keys': ['@issuer-keys|*'],
  /** Which tenant has a public id of OpenID4VC. */
  'openid-id': ['@openid|*'],
  idempotency: ['*|idempotency|*'],
  record: ['*|*Record|*'],
  ...Object.fromEntries(RECORDS.flatMap(({ keys, type }) => (keys ? [[keys, [`*|${type}|*`]]] : []))),
  context: ['*|context|*'],
  /** What is shown of invitations: whoever writes an out-of-band record writes it. */
  invitation: ['@invitation|*'],
  key: ['*|key|*'],
  'data-key': ['*|data-key'],
  'issuer-did': ['*|issuer-did'],
  /** What agents serve under their did:webvh, and how far each has seen the logs of others. */
  webvh: ['*|webvh|*'],
  'webvh-seen': ['*|webvh-seen|*'],
  /** Claims that wallets have disclosed to a verifier. */
  'openid4vp-result': ['*|openid4vp-result|*'],
  /** Claims of offers, nonces that wallets have used, status lists with their pieces and taken indexes. */
  'openid4vci-claims': ['*|openid4vci-claims|*'],
  'openid4vci-nonce': ['*|openid4vci-nonce|*'],
  'status-lists': ['*|status-lists|*'],
  'status-piece': ['*|status-list|*'],
  'status-index': ['*|status-index|*'],
  /** The document of a did:web that this service hosts. */
  'web-document': ['*|did-web|document'],
  /** What was handled before. */
  'message-mark': ['*|message|*'],
  /** How many requests for a connection have come, definitions were made, and documents of strangers are being read. */
  count: ['*|count|*'],
  /** Webhook endpoints of an organization, its data key, its list of tenants. */
  organization: ['@org|*'],
  /** Events at rest, and the attempts at all. */
  'endpoint-events': ['@endpoint|*|events|*'],
  /** Events in their lanes (messages are beside the connection's record), and the states of all lanes. */
  'event-lanes': ['@outbox|*'],
  lanes: ['*|ConnectionRecord|*|lane', '@outbox|*|lane'],
  corrupt: ['@corrupt|*'],
  job: ['*|job|*'],
  /** Which definition of each issuer, schema and tag there is, and those whose keys are being generated. */
  'definition-place': ['*|definition|*'],
  'definition-slot': ['*|definition-slot'],
  /** What was made for a definition or registry that never came to be is removed. */
  'anoncreds-record': ['*|AnonCreds*Record|*'],
  'ledger-object': ['*|ledger-object|*'],
  'message-outcomes': ['*|delivery|*'],
  /** Messages that a wallet without an endpoint has yet to fetch, and how much of that an agent has. */
  pickup: ['*|pickup|*'],
  'pickup-usage': ['*|pickup-usage|*'],
  /** What can be down, its list of waiting lanes, and how many attempts are made at once where it is slow. */
  destination: ['@destination|*'],
  'waiting-lanes': ['@destination|*|waiting|*'],
  slots: ['@destination|*|slot|*'],
  /** How many indexes of a registry are taken, what is yet to be published in its list, and its file. */
  'revocation-registry': ['*|revocation-registry|*'],
  'pending-revocation': ['*|revocation|*'],
  tails: ['@tails|*'],
  decoy: ['@decoy|*'],
  'tenant-list': ['@org|*|tenants'],
  heartbeat: ['@heartbeat'],
  parked: ['@parked'],
  dispatch: ['@dispatch|*'],
}
