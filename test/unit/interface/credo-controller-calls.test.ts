/** What clients of credo-controller 2.1 send (CREDEBL's platform and cloud wallet, and the fields that its own interface asks for) is taken. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../lib/interface/operations.ts'

const ID = '32f54163-7166-48f1-93d8-ff217bdb0653'
const ISSUER = 'did:key:z6Mkn72LVp3mq1fWSefkSMh5V7qrmGfCV4KH3K6SoTM21ouM'
const SCHEMA = 'WgWxqztrNooG92RXvxSTWv:2:badge:1.0'
const DEFINITION = 'WgWxqztrNooG92RXvxSTWv:3:CL:12:badge'
const LOGO = 'https://initech.example/logo.png'

/** What the platform asks for in each request, of one organization. */
const CONNECTED = { connectionId: ID, protocolVersion: 'v2' }
const INVITING = { label: 'Initech', imageUrl: LOGO, goalCode: 'issue', invitationDid: ISSUER }
const indyOffer = { credentialDefinitionId: DEFINITION, attributes: [{ name: 'name', value: 'Ada' }] }
const jsonLdOffer = {
  credential: {
    '@context': ['https://www.w3.org/2018/credentials/v1', 'https://schema.example.org/badge.json'],
    type: ['VerifiableCredential', 'Badge'],
    issuer: { id: ISSUER },
    issuanceDate: '2026-01-31T07:20:50.52Z',
    credentialSubject: { id: ISSUER, degree: { type: 'BachelorDegree', name: 'Bachelor of Arts' } },
    prettyVc: { certificate: '<p>Ada</p>', size: 'a4', orientation: 'landscape' },
  },
  options: { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' },
}
const indyRequest = {
  name: 'Proof Request',
  version: '1.0',
  requested_attributes: {
    additionalProp1: { name: 'name', restrictions: [{ cred_def_id: DEFINITION, schema_id: SCHEMA }] },
    // Without a schema and a definition: JSON has no undefined.
    additionalProp2: { names: ['street', 'town'], restrictions: [{}] },
  },
  requested_predicates: {
    additionalProp3: { p_type: '>=', name: 'age', p_value: 18, restrictions: [{ schema_id: SCHEMA }] },
  },
}
const presentationExchange = {
  presentationDefinition: {
    id: ID,
    purpose: 'To know the patient',
    input_descriptors: [
      {
        id: 'history',
        name: 'Medical history',
        purpose: 'To know the patient',
        schema: [{ uri: 'https://schema.example.org/history.json' }],
        constraints: { fields: [{ path: ['$.credentialSubject.PatientID'] }] },
      },
    ],
  },
}
const RECEIVING = {
  ...{ alias: 'Acme', label: 'Initech', imageUrl: LOGO, acceptInvitationTimeoutMs: 20_000 },
  ...{ autoAcceptConnection: true, autoAcceptInvitation: true, reuseConnection: false },
}
const invitation = {
  '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
  '@id': ID,
  label: 'Acme',
  goalCode: 'connect',
  goal: 'To connect',
  accept: ['didcomm/aip1', 'didcomm/aip2;env=rfc19'],
  handshake_protocols: ['https://didcomm.org/didexchange/1.1', 'https://didcomm.org/connections/1.0'],
  imageUrl: LOGO,
  services: [
    {
      ...{ id: '#inline-0', type: 'did-communication', serviceEndpoint: 'https://acme.example/didcomm' },
      ...{ recipientKeys: [ISSUER], routingKeys: [] },
    },
  ],
}
const proposedAttributes = {
  attributes: [{ name: 'name', credentialDefinitionId: DEFINITION, value: 'Ada' }],
  predicates: [{ name: 'age', credentialDefinitionId: DEFINITION, predicate: '>=', threshold: 18 }],
}

/** Fields of DIDs on ledgers come as empty texts. */
const NO_LEDGER = { network: '', did: '', role: '', endorserDid: '', privatekey: '', endpoint: '' }
const SEEDED = { seed: 'a seed that has 32 characters ..', keyType: 'ed25519', ...NO_LEDGER }

test.each<[string, object]>([
  ['CreateTenant', { config: { label: 'Initech' } }],
  ['CreateDid', { method: 'key', domain: '', ...SEEDED }],
  ['CreateDid', { method: 'web', domain: 'initech.example', ...SEEDED }],
  ['CreateDid', { method: 'peer', keyType: 'ed25519' }],
  ['CreateInvitation', { label: 'Initech', multiUseInvitation: true, autoAcceptConnection: true, imageUrl: LOGO }],
  [
    'CreateInvitation',
    {
      ...{ ...INVITING, alias: 'Initech', goal: 'To connect', handshake: true },
      handshakeProtocols: ['https://didcomm.org/didexchange/1.x', 'https://didcomm.org/connections/1.x'],
    },
  ],
  ['CreateLegacyInvitation', { label: 'Initech', alias: 'Initech', imageUrl: LOGO, multiUseInvitation: true }],
  ['ReceiveInvitation', { invitation, ...RECEIVING }],
  ['ReceiveInvitationUrl', { invitationUrl: 'https://acme.example?oob=eyJA', ...RECEIVING }],
  ['AcceptInvitation', { reuseConnection: true, label: 'Initech', alias: 'Acme', imageUrl: LOGO }],
  [
    'CreateOffer',
    { ...CONNECTED, credentialFormats: { indy: indyOffer }, autoAcceptCredential: 'always', comment: '' },
  ],
  ['CreateOffer', { ...CONNECTED, protocolVersion: 'v1', credentialFormats: { indy: indyOffer } }],
  ['CreateOffer', { ...CONNECTED, credentialFormats: { jsonld: jsonLdOffer }, autoAcceptCredential: 'always' }],
  [
    'CreateOfferOob',
    {
      ...{ ...INVITING, protocolVersion: 'v2', credentialFormats: { indy: indyOffer }, comment: 'Badge' },
      ...{ autoAcceptCredential: 'always', parentThreadId: ID, willConfirm: true },
    },
  ],
  ['CreateOfferOob', { ...INVITING, protocolVersion: 'v2', credentialFormats: { jsonld: jsonLdOffer }, comment: '' }],
  ['ProposeCredential', { ...CONNECTED, credentialFormats: { indy: { ...indyOffer, schemaId: SCHEMA } } }],
  ['AcceptCredentialProposal', { credentialRecordId: ID, credentialFormats: { indy: {} }, comment: 'Yes' }],
  ['AcceptCredentialOffer', { credentialRecordId: ID, credentialFormats: {}, autoAcceptCredential: 'always' }],
  ['AcceptCredentialRequest', { credentialRecordId: ID, autoAcceptCredential: 'always', comment: 'Yes' }],
  ['AcceptCredential', { credentialRecordId: ID }],
  ['RequestProof', { ...CONNECTED, proofFormats: { indy: indyRequest }, comment: '', autoAcceptProof: 'never' }],
  [
    'RequestProof',
    {
      ...{ ...CONNECTED, proofFormats: { presentationExchange }, comment: '', autoAcceptProof: 'never' },
      ...{ goalCode: 'kyc', parentThreadId: ID, willConfirm: true },
    },
  ],
  ['CreateRequest', { ...INVITING, protocolVersion: 'v2', proofFormats: { indy: indyRequest }, comment: '' }],
  ['CreateRequest', { ...INVITING, protocolVersion: 'v2', proofFormats: { presentationExchange } }],
  ['ProposeProof', { connectionId: ID, proofFormats: { indy: proposedAttributes }, comment: 'Ada' }],
  ['AcceptProofProposal', { proofRecordId: ID, proofFormats: { indy: indyRequest }, willConfirm: true, comment: '' }],
  [
    'AcceptProofRequest',
    { comment: 'Ada', filterByPresentationPreview: true, filterByNonRevocationRequirements: true },
  ],
  ['SendMessage', { content: 'Hello' }],
  ['SendQuestion', { question: 'Was it you?', detail: 'Login', validResponses: [{ text: 'Yes' }, { text: 'No' }] }],
  ['SendAnswer', { response: 'Yes' }],
  ['CreateSchema', { issuerId: ISSUER, name: 'badge', version: '1.0', attributes: ['name'], endorse: false }],
  ['CreateCredentialDefinition', { issuerId: ISSUER, schemaId: SCHEMA, tag: 'badge', endorse: false }],
])('%s takes %j', (operationId, body) => {
  const { body: schema } = OPERATIONS.find((contract) => contract.operationId === operationId) ?? {}
  expect(v.safeParse(v.pipe(v.unknown(), schema ?? v.never()), body).issues).toBeUndefined()
})
