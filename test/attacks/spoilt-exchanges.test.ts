/** Offers, requests, proposals and questions of a wallet, corrupted on purpose: whatever is stored of them, no operation on it fails. */
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { corrupted } from '../support/api/odd-values.ts'
import { FULL } from '../support/depth.ts'
import { connect } from '../support/scenes.ts'
import type { Json, OperationName } from '../support/stage/in-process-stage.ts'
import { useTenantAndWallet } from '../support/stage/use-stage.ts'
import { handMadeInvitation } from '../support/wallets/hand-made-invitation.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

/** Messages of each kind, other ones in each run. */
const RUNS = FULL ? 20 : 6

const { stage, caller, wallet } = await useTenantAndWallet({ acceptOffers: false })
const raw = new RawMessages(wallet)
const { walletConnectionId } = await connect(stage, wallet, caller)
const route = await raw.route(walletConnectionId)

const ISSUER = 'LjgpST2rjsoxYegQDRm7EL'
const DEFINITION = `${ISSUER}:3:CL:1:t`
const ANONCREDS_DEFINITION = 'did:web:issuer.example/definition'

const preview = (version: string) => ({
  '@type': `https://didcomm.org/issue-credential/${version}/credential-preview`,
  attributes: [{ name: 'degree', 'mime-type': 'text/plain', value: 'Master' }],
})
const indyOffer = (ids: object = { schema_id: `${ISSUER}:2:degree:1.0`, cred_def_id: DEFINITION }) => ({
  ...ids,
  key_correctness_proof: { c: '1', xz_cap: '1', xr_cap: [['degree', '1']] },
  nonce: '123456789',
})
const INDY_REQUEST = {
  ...{ name: 'n', version: '1.0', nonce: '1', non_revoked: { from: 0, to: 1 } },
  requested_attributes: { a: { name: 'degree', restrictions: [{ cred_def_id: DEFINITION }] } },
  requested_predicates: { b: { name: 'age', p_type: '>=', p_value: 18 } },
}
const DETAIL = {
  credential: {
    '@context': ['https://www.w3.org/2018/credentials/v1', { degree: 'https://example.org/degree' }],
    type: ['VerifiableCredential'],
    issuanceDate: '2026-01-01T00:00:00Z',
    credentialSubject: { id: 'did:example:subject', degree: 'Master' },
  },
  options: { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' },
}
const PRESENTATION_DEFINITION = {
  id: 'd',
  submission_requirements: [{ rule: 'pick', count: 1, from: 'A' }],
  input_descriptors: [
    {
      ...{ id: 'i', group: ['A'], schema: [{ uri: 'https://www.w3.org/2018/credentials/v1' }] },
      constraints: {
        is_holder: [{ field_id: ['x'], directive: 'required' }],
        fields: [{ id: 'x', path: ['$.credentialSubject.degree', '$.issuer'], filter: { pattern: '^a$' } }],
      },
    },
  ],
}

const attached = (id: string, json: unknown) => [{ '@id': id, 'mime-type': 'application/json', data: { json } }]

/** Contents of a message of version 2, by the name of its attachments. */
const inFormat = (attachments: string, format: string, json: unknown, more: object = {}) => ({
  ...more,
  formats: [{ attach_id: 'a', format }],
  [attachments]: attached('a', json),
})

const ISSUE = 'issue-credential/2.0'
const PROVE = 'present-proof/2.0'
const withPreview = { credential_preview: preview('2.0') }
const ids = { schema_id: 'did:web:issuer.example/schema', cred_def_id: ANONCREDS_DEFINITION }

/** Type of a message, its content, and in which format. */
const MESSAGES: [type: string, format: string, content: Json][] = [
  [
    'issue-credential/1.0/offer-credential',
    'indy',
    { credential_preview: preview('1.0'), 'offers~attach': attached('libindy-cred-offer-0', indyOffer()) },
  ],
  [
    'issue-credential/1.0/propose-credential',
    'indy',
    { credential_proposal: preview('1.0'), cred_def_id: DEFINITION, schema_name: 'degree' },
  ],
  [
    `${ISSUE}/offer-credential`,
    'indy',
    inFormat('offers~attach', 'hlindy/cred-abstract@v2.0', indyOffer(), withPreview),
  ],
  [
    `${ISSUE}/offer-credential`,
    'anoncreds',
    inFormat('offers~attach', 'anoncreds/credential-offer@v1.0', indyOffer(ids), withPreview),
  ],
  [`${ISSUE}/offer-credential`, 'jsonld', inFormat('offers~attach', 'aries/ld-proof-vc-detail@v1.0', DETAIL)],
  [
    `${ISSUE}/propose-credential`,
    'indy',
    inFormat('filters~attach', 'hlindy/cred-filter@v2.0', { cred_def_id: DEFINITION }, withPreview),
  ],
  [
    `${ISSUE}/propose-credential`,
    'anoncreds',
    inFormat('filters~attach', 'anoncreds/credential-filter@v1.0', { cred_def_id: ANONCREDS_DEFINITION }, withPreview),
  ],
  [`${ISSUE}/propose-credential`, 'jsonld', inFormat('filters~attach', 'aries/ld-proof-vc-detail@v1.0', DETAIL)],
  [
    'present-proof/1.0/request-presentation',
    'indy',
    { 'request_presentations~attach': attached('libindy-request-presentation-0', INDY_REQUEST) },
  ],
  [
    'present-proof/1.0/propose-presentation',
    'indy',
    {
      presentation_proposal: {
        '@type': 'https://didcomm.org/present-proof/1.0/presentation-preview',
        attributes: [{ name: 'degree', cred_def_id: DEFINITION, value: 'Master', referent: 'r' }],
        predicates: [{ name: 'age', cred_def_id: DEFINITION, predicate: '>=', threshold: 18 }],
      },
    },
  ],
  ...['hlindy/proof-req@v2.0', 'anoncreds/proof-request@v1.0'].flatMap((format): [string, string, Json][] => [
    [`${PROVE}/request-presentation`, format, inFormat('request_presentations~attach', format, INDY_REQUEST)],
    [`${PROVE}/propose-presentation`, format, inFormat('proposals~attach', format, INDY_REQUEST)],
  ]),
  [
    `${PROVE}/request-presentation`,
    'presentationExchange',
    inFormat('request_presentations~attach', 'dif/presentation-exchange/definitions@v1.0', {
      options: { challenge: 'c', domain: 'd' },
      presentation_definition: PRESENTATION_DEFINITION,
    }),
  ],
  [
    `${PROVE}/propose-presentation`,
    'presentationExchange',
    inFormat('proposals~attach', 'dif/presentation-exchange/definitions@v1.0', PRESENTATION_DEFINITION),
  ],
  [
    'questionanswer/1.0/question',
    'text',
    { question_text: 'Pay?', question_detail: 'now', valid_responses: [{ text: 'Yes' }, { text: 'No' }] },
  ],
]

type Call = { path?: Record<string, string>; query?: Record<string, string>; body?: object }

const call = async (operation: OperationName, asked: Call, message: Json): Promise<Json> => {
  const { status, body } = await stage.call(operation, { caller, ...asked })
  expect(status, `${operation}: ${JSON.stringify(message)}`).toBeLessThan(500)
  return body
}

/** Attachments as most wallets send them. */
const inBase64 = (message: Json): Json => {
  const copy = structuredClone(message)
  for (const attachment of Object.keys(copy).flatMap((name) => (name.endsWith('~attach') ? copy[name] : [])))
    if (typeof attachment?.data === 'object' && 'json' in Object(attachment.data))
      attachment.data = { base64: Buffer.from(JSON.stringify(attachment.data.json)).toString('base64') }
  return copy
}

/** On the connection, or in an invitation that the tenant takes. */
const give = async (message: Json, isInvited: boolean): Promise<void> => {
  if (!isInvited) return expect((await raw.send(message, route)).status).toBeLessThan(500)
  const invitation = handMadeInvitation(await raw.newKey(), 'Mallory', {
    'requests~attach': [{ '@id': 'request', data: { json: message } }],
  })
  await call('receiveInvitation', { body: { invitation } }, message)
}

/** Takes every step that a tenant may take with what there is on a thread; most are rejected, because it is another's turn. Says how much there is. */
const goOn = async (message: Json): Promise<number> => {
  const query = { threadId: String(message['@id']) }
  const credentials = await call('getCredentials', { query }, message)
  for (const { id } of credentials) {
    const body = { credentialRecordId: id }
    await call('getCredentialById', { path: body }, message)
    await call('acceptCredentialOffer', { body }, message)
    await call('acceptCredentialProposal', { body }, message)
    await call('acceptCredentialRequest', { body }, message)
    await call('getCredentialFormData', { path: body }, message)
    await call('declineCredentialOffer', { body }, message)
  }
  const proofs = await call('getProofs', { query }, message)
  for (const { id: proofRecordId } of proofs) {
    const path = { proofRecordId }
    await call('getProofById', { path }, message)
    await call('tenantProofFormData', { path: { ...path, ...caller } }, message)
    await call('acceptProofRequest', { path, body: {} }, message)
    await call('acceptProofProposal', { path, body: { proofFormats: {} } }, message)
    await call('acceptPresentation', { path }, message)
    await call('getProofFormData', { path }, message)
    await call('declineProofRequest', { path, body: { sendProblemReport: true } }, message)
  }
  const questions = await call('getQuestionAnswers', { query }, message)
  for (const { id: questionAnswerId, validResponses } of questions) {
    const path = { questionAnswerId }
    await call('getQuestionAnswerById', { path }, message)
    await call('sendAnswer', { path, body: { response: String(validResponses[0]?.text ?? 'Yes') } }, message)
  }
  return credentials.length + proofs.length + questions.length
}

test.each(MESSAGES)('%s, as %s', async (type, _, content) => {
  const isAttachable = /\/(offer|request)-/.test(type)
  const tryWith = async (said: Json, { isInvited = false, isBase64 = false }): Promise<number> => {
    const message = { ...said, '@type': `https://didcomm.org/${type}`, '@id': randomUUID() }
    const sent = isBase64 || type.includes('/1.0/') ? inBase64(message) : message
    await give(sent, isInvited && isAttachable)
    return goOn(sent)
  }
  expect(await tryWith(content, { isInvited: false })).toBe(1)
  expect(await tryWith(content, { isInvited: true })).toBe(1)
  const ways = fc.record({ isInvited: fc.boolean(), isBase64: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(corrupted(content), ways, async (said: Json, way) => {
      await tryWith(said, way)
    }),
    { numRuns: RUNS },
  )
})

const [ATTRIBUTE] = preview('2.0').attributes
const PREDICATE = { name: 'age', predicate: '>=', threshold: 18 }
const PROVED = { '@type': 'https://didcomm.org/present-proof/1.0/presentation-preview', attributes: [], predicates: [] }

test.each<[string, string, Json]>([
  ['attributes', 'issue-credential/1.0', { credential_proposal: { ...preview('1.0'), attributes: ATTRIBUTE } }],
  [
    'attributes',
    'issue-credential/2.0',
    inFormat(
      'filters~attach',
      'hlindy/cred-filter@v2.0',
      {},
      { credential_preview: { ...preview('2.0'), attributes: ATTRIBUTE } },
    ),
  ],
  ['attributes', 'present-proof/1.0', { presentation_proposal: { ...PROVED, attributes: ATTRIBUTE } }],
  ['predicates', 'present-proof/1.0', { presentation_proposal: { ...PROVED, predicates: PREDICATE } }],
])('a proposal whose %s are not a list is rejected, and nothing is stored: %s', async (_, protocol, content) => {
  const name = protocol.startsWith('issue') ? 'propose-credential' : 'propose-presentation'
  const message = { ...content, '@type': `https://didcomm.org/${protocol}/${name}`, '@id': randomUUID() }
  await give(message, false)
  expect(await goOn(message)).toBe(0)
})
