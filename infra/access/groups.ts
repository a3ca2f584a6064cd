/**
 * Rights that several functions have alike, by the names that `uses` in serverless.yml says. Each is made of rights and
 * of other names.
 */
export const GROUPS = {
  /** An operation that takes an `Idempotency-Key`. */
  once: ['get idempotency', 'put idempotency'],
  /** Keys of an agent that has some. */
  'opens-keys': ['get data-key key', 'open agents'],
  /** Keys of an agent, which may be its first ones. */
  'makes-keys': ['get data-key', 'put data-key key', 'seal agents', 'open agents'],
  /** A secret is sealed for its organization, and the response that shows it for the agent. */
  'seals-secrets': ['get data-key', 'put data-key', 'seal agents organizations', 'open agents organizations'],
  /**
   * A message for the endpoint of a connection, beside whose record it is stored until it is sent. The other agent's
   * DID, which says where that is, may be a public one.
   */
  sends: ['get connection', 'query connection did', 'put connection', 'send WakeUpQueue', 'resolves'],
  /**
   * A message for a wallet without an endpoint, which is queued until it is fetched. The first one makes the
   * job that gives up what nobody fetches.
   */
  queues: ['get pickup pickup-usage', 'query pickup', 'put job pickup', 'update pickup pickup-usage'],
  /** Messages leave that queue, and what became of them is noted. */
  dequeues: ['put message-outcomes', 'update basic-message', 'delete pickup'],
  /** A command that sends a message to a connection, with or without an endpoint. */
  sending: ['once', 'opens-keys', 'sends', 'queues'],
  /** Public DIDs and what is published under them: the agent's own, and how far it has seen the logs of others. */
  resolves: ['get webvh webvh-seen', 'put webvh-seen'],
  /** A step of a credential or proof exchange. */
  exchanges: ['get record', 'query record', 'put key record'],
  /** What an issuer signs credentials with, which is made when it is first needed. */
  issues: ['get issuer-did', 'put issuer-did key'],
  /**
   * A proof: of what this service has issued, whose tails file it reads itself, or of what is about nobody, which a bearer
   * presents with what an issuer signs with.
   */
  proves: ['query tails', 'issues'],
  /**
   * An offer, which asks for a registry unless there is one, it is being made, or it is yet to be written to a ledger.
   */
  offers: [
    'get definition job key-correctness-proof ledger-object own-definition revocation-registry webvh',
    'query record revocation-registry',
    'put job record',
    'update revocation-registry',
    'send JobQueue',
  ],
  /** A request for a proof, which keeps the JSON-LD contexts that it brings. */
  'asks-for-proof': ['get context', 'put context'],
  /** An invitation, with what is shown of it. */
  invites: ['get tenant', 'put invitation out-of-band'],
  /** An invitation of another agent: the handshake is begun, or the request that it brings is handled. */
  accepts: ['get record tenant', 'query record', 'put record'],
  delivers: [
    'get destination endpoint-events organization',
    'query connection event-lanes organization',
    'put lanes corrupt waiting-lanes endpoint-events message-outcomes',
    'update basic-message connection event-lanes destination organization',
    'delete connection event-lanes waiting-lanes endpoint-events',
    'send SlowWakeUpQueue TimerQueue',
    'open organizations',
  ],
  /** A handshake goes on. It leaves the list of unfinished ones. */
  handshakes: ['get out-of-band', 'put did key', 'delete connection'],
} as const satisfies Record<string, readonly string[]>
