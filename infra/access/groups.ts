/**
 * Permissions that several functions share, by the names that `permissions` in serverless.yml uses. A group has single
 * permissions and other groups.
 */
export const GROUPS = {
  /** An operation that takes an `Idempotency-Key`. */
  once: ['get idempotency', 'put idempotency'],
  /** Unsealing private keys of an agent. */
  'opens-keys': ['get data-key key', 'open agents'],
  /** Also creating keys, and with the first one the agent's data key. */
  'makes-keys': ['get data-key', 'put data-key key', 'seal agents', 'open agents'],
  /** Sealing a secret for its organization, and the response that shows it for the agent. */
  'seals-secrets': ['get data-key', 'put data-key', 'seal agents organizations', 'open agents organizations'],
  /**
   * Sending a message to the endpoint of a connection. It is stored in the partition of the connection's record until
   * it is delivered. The endpoint may be in a public DID document of the other agent.
   */
  sends: ['get connection', 'query connection did', 'put connection', 'send WakeUpQueue', 'resolves'],
  /**
   * Queuing a message for a wallet without an endpoint, which fetches it. The first one creates the job that gives up
   * messages which are not fetched.
   */
  queues: ['get pickup pickup-usage', 'query pickup', 'put job pickup', 'update pickup pickup-usage'],
  /** Removing messages from that queue, and storing their outcomes. */
  dequeues: ['put message-outcomes', 'update basic-message', 'delete pickup'],
  /** A command that sends a message to a connection, with or without an endpoint. */
  sending: ['once', 'opens-keys', 'sends', 'queues'],
  /** Resolving public DIDs: the agent's own, and the last seen versions of third parties' did:webvh logs. */
  resolves: ['get webvh webvh-seen', 'put webvh-seen'],
  /** A step of a credential or proof exchange. */
  exchanges: ['get record', 'query record', 'put key record'],
  /** The DID and key of an issuer, which are created when they are first needed. */
  issues: ['get issuer-did', 'put issuer-did key'],
  /**
   * Creating a proof. The tails file of a credential that this service has issued is read from the table; a bearer
   * credential (no subject id) is presented with the agent's issuer key.
   */
  proves: ['query tails', 'issues'],
  /** Creating an offer, and a job for a revocation registry if the definition needs one and none is being created. */
  offers: [
    'get definition job key-correctness-proof ledger-object own-definition revocation-registry webvh',
    'query record revocation-registry',
    'put job record',
    'update revocation-registry',
    'send JobQueue',
  ],
  /** Requesting a proof, and storing the JSON-LD contexts in the request. */
  'asks-for-proof': ['get context', 'put context'],
  /** Creating an invitation. */
  invites: ['get tenant', 'put invitation out-of-band'],
  /** Accepting an invitation of another agent: starts the handshake, or handles the attached request. */
  accepts: ['get record tenant', 'query record', 'put record'],
  delivers: [
    'get destination endpoint-events organization tenant',
    'query connection event-lanes organization',
    'put lanes corrupt waiting-lanes endpoint-events message-outcomes',
    'update basic-message connection event-lanes destination organization',
    'delete connection event-lanes waiting-lanes endpoint-events',
    'send SlowWakeUpQueue TimerQueue',
    'open organizations',
  ],
  /** Continuing a handshake, and removing it from the list of unfinished ones. */
  handshakes: ['get out-of-band', 'put did key', 'delete connection'],
} as const satisfies Record<string, readonly string[]>
