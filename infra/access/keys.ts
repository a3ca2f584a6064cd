/** Patterns of partition keys, which lib/store/keys.ts and anoncreds-keys.ts write: `*` stands for a tenant and for ids. */

export const TENANT = '@tenant|*'
export const ISSUER_KEYS = '@issuer-keys|*'
export const IDEMPOTENCY = '*|idempotency|*'
export const RECORD = '*|*Record|*'
export const CONNECTION = '*|ConnectionRecord|*'
export const CREDENTIAL = '*|CredentialRecord|*'
export const W3C_CREDENTIAL = '*|W3cCredentialRecord|*'
export const OUT_OF_BAND = '*|OutOfBandRecord|*'
export const PROOF = '*|ProofRecord|*'
export const DID = '*|DidRecord|*'
export const QUESTION_ANSWER = '*|QuestionAnswerRecord|*'
export const BASIC_MESSAGE = '*|BasicMessageRecord|*'
export const DIDCOMM_MESSAGE = '*|DidCommMessageRecord|*'
/** What an offer of AnonCreds is made of; without private parts. */
export const KEY_CORRECTNESS_PROOF = '*|AnonCredsKeyCorrectnessProofRecord|*'
export const CONTEXT = '*|context|*'
/** What is shown of invitations: whoever writes an out-of-band record writes it. */
export const INVITATION = '@invitation|*'
export const KEY = '*|key|*'
export const DATA_KEY = '*|data-key'
export const ISSUER_DID = '*|issuer-did'
/** What agents serve under their did:webvh, and how far each has seen the logs of others. */
export const WEBVH = '*|webvh|*'
export const WEBVH_SEEN = '*|webvh-seen|*'
/** The document of a did:web that this service hosts. */
export const WEB_DOCUMENT = '*|did-web|document'
/** What was handled before: an envelope, and a message. */
export const ENVELOPE_MARK = '*|inbound|*'
export const MESSAGE_MARK = '*|message|*'
/** How many strangers have asked for a connection. */
export const STRANGERS = '*|strangers|*'
/** Webhook endpoints of an organization, its data key, its list of tenants. */
export const ORGANIZATION = '@org|*'
export const ENDPOINT_EVENTS = '@endpoint|*|events|*'
export const ENDPOINT_ATTEMPTS = '@endpoint|*|attempts|*'
/** What waits in lanes of events (messages wait beside the connection's record), and the states of all lanes. */
export const EVENT_LANES = '@outbox|*'
export const LANES = ['*|ConnectionRecord|*|lane', '@outbox|*|lane']
export const CORRUPT = '@corrupt|*'
export const JOB = '*|job|*'
export const SCHEMA = '*|AnonCredsSchemaRecord|*'
export const DEFINITION = '*|AnonCredsCredentialDefinitionRecord|*'
/** Records of definitions, which one of each issuer, schema and tag is, and how many an agent has made. */
export const OWN_DEFINITION = '*|CredentialDefinitionRecord|*'
export const DEFINITION_PLACE = '*|definition|*'
export const DEFINITION_QUOTA = '*|definition-quota'
/** What was made for a definition or registry that never came to be is removed. */
export const ANONCREDS_RECORD = '*|AnonCreds*Record|*'
export const LEDGER_OBJECT = '*|ledger-object|*'
export const MESSAGE_OUTCOMES = '*|delivery|*'
/** What waits until a wallet without an endpoint fetches it, and how much of that an agent has. */
export const PICKUP = '*|pickup|*'
export const PICKUP_USAGE = '*|pickup-usage|*'
/** What can be down, who waits for it, and how many attempts are made at once where it is slow. */
export const DESTINATION = '@destination|*'
export const WAITING = '@destination|*|waiting|*'
export const SLOTS = '@destination|*|slot|*'
/** How many indexes of a registry are taken, what waits to be in its list, and its file. */
export const REVOCATION_REGISTRY = '*|revocation-registry|*'
export const PENDING_REVOCATION = '*|revocation|*'
export const TAILS = '@tails|*'
