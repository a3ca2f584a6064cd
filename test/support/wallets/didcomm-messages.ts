/** DIDComm messages as JSON: one of each kind that agents send to each other, on threads that the test chooses. */
import { randomUUID } from 'node:crypto'

/** A message. The type of a copy with other members still has its id. */
export interface DidCommJson extends Record<string, unknown> {
  '@type': string
  '@id': string
}

export interface Thread {
  thid?: string
  pthid?: string
}

/** A message with an id of its own. `type` is what follows `https://didcomm.org/`. */
export const didCommMessage = (type: string, thread?: Thread): DidCommJson => ({
  '@type': `https://didcomm.org/${type}`,
  '@id': randomUUID(),
  ...(thread && { '~thread': thread }),
  ...BODIES[type],
})

/** A message of every type whose name has the prefix. */
export const didCommMessages = (thread?: Thread, prefix = ''): DidCommJson[] =>
  Object.keys(BODIES)
    .filter((type) => type.startsWith(prefix))
    .map((type) => didCommMessage(type, thread))

const json = (value: object) => [{ '@id': 'a', 'mime-type': 'application/json', data: { json: value } }]
const base64 = (id: string, text: string) => [{ '@id': id, data: { base64: Buffer.from(text).toString('base64') } }]
const formats = (format: string) => [{ attach_id: 'a', format }]
const DEFINITION = formats('dif/presentation-exchange/definitions@v1.0')
const DETAIL = formats('aries/ld-proof-vc-detail@v1.0')
const REPORT = { description: { code: 'abandoned', en: 'no more of this' } }
const ACK = { status: 'OK' }

const CREDENTIAL = {
  '@context': ['https://www.w3.org/2018/credentials/v1'],
  type: ['VerifiableCredential'],
  issuer: 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX',
  issuanceDate: '2026-01-01T00:00:00Z',
  credentialSubject: { id: 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX' },
}

const DETAILS = {
  credential: CREDENTIAL,
  options: { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' },
}

const INDY_REQUEST = { name: 'n', version: '1', nonce: '1', requested_attributes: {}, requested_predicates: {} }

const INDY_OFFER = { schema_id: 'a:2:degree:1.0', cred_def_id: 'a:3:CL:1:t', key_correctness_proof: {}, nonce: '1' }

/** A message that waited at a mediator: an agent that picks messages up would open it. */
const WAITED = { protected: 'e30', iv: 'AA', ciphertext: 'AA', tag: 'AA' }

/** Members of a message besides id, type and thread, by its type: types that this agent knows, and some unknown ones. */
const BODIES: Record<string, Record<string, unknown>> = {
  'present-proof/1.0/propose-presentation': {
    presentation_proposal: {
      '@type': 'https://didcomm.org/present-proof/1.0/presentation-preview',
      attributes: [{ name: 'degree', value: 'Master' }],
      predicates: [],
    },
  },
  'present-proof/1.0/request-presentation': {
    'request_presentations~attach': base64('libindy-request-presentation-0', JSON.stringify(INDY_REQUEST)),
  },
  'present-proof/1.0/presentation': { 'presentations~attach': base64('libindy-presentation-0', '{}') },
  'present-proof/1.0/ack': ACK,
  'present-proof/1.0/problem-report': REPORT,
  'present-proof/2.0/propose-presentation': {
    formats: DEFINITION,
    'proposals~attach': json({ input_descriptors: [] }),
  },
  'present-proof/2.0/request-presentation': {
    formats: DEFINITION,
    'request_presentations~attach': json({
      presentation_definition: {
        id: 'd',
        input_descriptors: [{ id: 'd', schema: [{ uri: 'https://www.w3.org/2018/credentials/v1' }] }],
      },
      options: { challenge: 'challenge' },
    }),
  },
  'present-proof/2.0/presentation': {
    formats: formats('dif/presentation-exchange/submission@v1.0'),
    'presentations~attach': json({
      '@context': ['https://www.w3.org/2018/credentials/v1'],
      type: ['VerifiablePresentation'],
      verifiableCredential: [],
    }),
  },
  'present-proof/2.0/ack': ACK,
  'present-proof/2.0/problem-report': REPORT,
  'issue-credential/2.0/propose-credential': { formats: DETAIL, 'filters~attach': json(DETAILS), comment: 'c' },
  'issue-credential/2.0/offer-credential': { formats: DETAIL, 'offers~attach': json(DETAILS) },
  'issue-credential/2.0/request-credential': { formats: DETAIL, 'requests~attach': json(DETAILS) },
  'issue-credential/2.0/issue-credential': {
    formats: formats('aries/ld-proof-vc@v1.0'),
    'credentials~attach': json(CREDENTIAL),
  },
  'issue-credential/2.0/ack': ACK,
  'issue-credential/2.0/problem-report': REPORT,
  'issue-credential/1.0/propose-credential': { comment: 'c', cred_def_id: 'a:3:CL:1:t' },
  'issue-credential/1.0/offer-credential': {
    credential_preview: {
      '@type': 'https://didcomm.org/issue-credential/1.0/credential-preview',
      attributes: [{ name: 'degree', 'mime-type': 'text/plain', value: 'Master' }],
    },
    'offers~attach': base64('libindy-cred-offer-0', JSON.stringify(INDY_OFFER)),
  },
  'issue-credential/1.0/request-credential': { 'requests~attach': json({}) },
  'issue-credential/1.0/issue-credential': { 'credentials~attach': base64('libindy-cred-0', '{}') },
  'issue-credential/1.0/ack': ACK,
  'issue-credential/1.0/problem-report': REPORT,
  'basicmessage/1.0/message': { content: 'hello', sent_time: '2026-01-01T00:00:00.000Z', '~l10n': { locale: 'en' } },
  'trust_ping/1.0/ping': { response_requested: true, '~transport': { return_route: 'all' } },
  'trust_ping/1.0/ping_response': {},
  'connections/1.0/request': {
    label: 'l',
    connection: { DID: 'did:x:y', DIDDoc: { id: 'did:x:y', publicKey: [], service: [] } },
  },
  'connections/1.0/response': {
    'connection~sig': {
      '@type': 'https://didcomm.org/signature/1.0/ed25519Sha512_single',
      signature: 'AAAA',
      sig_data: 'AAAA',
      signer: 'AAAA',
    },
  },
  'connections/1.0/problem-report': REPORT,
  'didexchange/1.1/request': { label: 'l', did: 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX' },
  'didexchange/1.1/response': { did: 'did:peer:2', 'did_rotate~attach': base64('a', 'did:peer:2')[0] },
  'didexchange/1.1/complete': {},
  'didexchange/1.1/problem-report': REPORT,
  'did-rotate/1.0/ack': ACK,
  'did-rotate/1.0/problem-report': REPORT,
  'notification/1.0/ack': ACK,
  'notification/1.0/problem-report': REPORT,
  'report-problem/1.0/problem-report': REPORT,
  'out-of-band/1.1/handshake-reuse': {},
  'out-of-band/1.1/handshake-reuse-accepted': {},
  'out-of-band/1.1/problem-report': REPORT,
  'discover-features/1.0/query': { query: '*' },
  'discover-features/1.0/disclose': { protocols: [{ pid: 'https://didcomm.org/x/1.0', roles: ['r'] }] },
  'discover-features/2.0/queries': { queries: [{ 'feature-type': 'protocol', match: '*' }] },
  'discover-features/2.0/disclosures': { disclosures: [{ 'feature-type': 'protocol', id: 'x' }] },
  'revocation_notification/1.0/revoke': { thread_id: 'indy::a:4:b:3:CL:1:t:CL_ACCUM:r::1' },
  'revocation_notification/2.0/revoke': {
    revocation_format: 'indy-anoncreds',
    credential_id: 'a:4:b:3:CL:1:t:CL_ACCUM:r::1',
  },
  'routing/1.0/forward': { to: 'x', msg: {} },
  'coordinate-mediation/1.0/mediate-request': {},
  'coordinate-mediation/1.0/mediate-grant': { endpoint: 'http://127.0.0.1:1', routing_keys: ['x'] },
  'coordinate-mediation/1.0/keylist-update': { updates: [{ recipient_key: 'x', action: 'add' }] },
  'messagepickup/1.0/batch-pickup': { batch_size: 10 },
  'messagepickup/1.0/batch': { 'messages~attach': [{ id: 'a', message: WAITED }] },
  'messagepickup/2.0/status-request': {},
  'messagepickup/2.0/status': { message_count: 1 },
  'messagepickup/2.0/delivery-request': { limit: 10 },
  'messagepickup/2.0/delivery': { '~attach': json(WAITED) },
  'messagepickup/2.0/messages-received': { message_id_list: [randomUUID()] },
  'messagepickup/2.0/live-delivery-change': { live_delivery: true },
  'questionanswer/1.0/question': { question_text: 'q', valid_responses: [{ text: 'yes' }] },
  'questionanswer/1.0/answer': { response: 'yes' },
  'action-menu/1.0/menu-request': {},
  'nothing/9.9/nothing': {},
}
