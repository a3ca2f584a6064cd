/** The defaults of bodies, and the parts that have rules of their own: AnonCreds proof requests, and credentials. What all operations reject is in test/api. */
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { CreateSchema } from '../../../lib/interface/anoncreds.ts'
import type { Schema } from '../../../lib/interface/contract.ts'
import { OfferedFormats } from '../../../lib/interface/credential-acceptance.ts'
import { CreateOffer } from '../../../lib/interface/credential-offer.ts'
import { CreateDid } from '../../../lib/interface/dids.ts'
import { OPERATIONS } from '../../../lib/interface/operations.ts'
import { CreateInvitation, ReceiveImplicitInvitation } from '../../../lib/interface/out-of-band.ts'
import { ProofAcceptance } from '../../../lib/interface/proof-acceptance.ts'
import { ProofProposal } from '../../../lib/interface/proof-proposal.ts'
import { CreateRequest } from '../../../lib/interface/proof-request.ts'
import { GetProofs } from '../../../lib/interface/proofs.ts'
import { ReplayWebhookEvents } from '../../../lib/interface/webhook-endpoints.ts'

/** Dotted paths of what is wrong; nothing when all is well. */
const violations = (schema: Schema, input: unknown): string[] =>
  (v.safeParse(schema, input).issues ?? []).map((issue) => v.getDotPath(issue) ?? '')

const ID = '32f54163-7166-48f1-93d8-ff217bdb0653'

test.each<[string, object, object]>([
  ['CreateInvitation', {}, { multiUseInvitation: false, autoAcceptConnection: true }],
  ['CreateLegacyInvitation', {}, { multiUseInvitation: false, autoAcceptConnection: true }],
  [
    'ReceiveInvitationUrl',
    { invitationUrl: 'https://example.org' },
    { autoAcceptInvitation: true, autoAcceptConnection: true, reuseConnection: false },
  ],
  ['AcceptInvitation', {}, { autoAcceptConnection: true, reuseConnection: false }],
  ['ReceiveImplicitInvitation', { did: 'did:web:example.org' }, { autoAcceptConnection: true }],
  ['SendPing', {}, { responseRequested: true }],
  ['DeclineCredentialOffer', { credentialRecordId: ID }, { sendProblemReport: true }],
  ['DeclineProofRequest', {}, { sendProblemReport: true }],
  ['AcceptProofRequest', {}, { proofFormats: {}, filterByNonRevocationRequirements: true }],
  ['AcceptProofProposal', {}, { proofFormats: {} }],
  [
    'ProposeCredential',
    { connectionId: ID, protocolVersion: 'v1', credentialFormats: { indy: {} } },
    { autoAcceptCredential: 'contentApproved' },
  ],
  ['AcceptCredentialProposal', { credentialRecordId: ID, goalCode: 'issue', goal: 'A degree' }, {}],
  ['AcceptCredentialOffer', { credentialRecordId: ID, goalCode: 'issue', goal: 'A degree' }, {}],
  ['CreateDid', { method: 'key' }, { keyType: 'ed25519' }],
])('%s of %j has the defaults %j', (operationId, given, defaults) => {
  const { body = v.never() } = OPERATIONS.find((contract) => contract.operationId === operationId) ?? {}
  expect(v.parse(body, given)).toEqual({ ...given, ...defaults })
})

test('an invitation has at most two handshake protocols', () => {
  const violationsOf = (count: number) =>
    violations(CreateInvitation.body, { handshakeProtocols: Array(count).fill('https://didcomm.org/didexchange/1.x') })
  expect([violationsOf(2), violationsOf(3)]).toEqual([[], ['handshakeProtocols']])
})

test('what answers a proposal in version 1 has the format indy alone', () => {
  const indy = {
    credentialDefinitionId: 'V4SGRU86Z58d6TV7PBUe6f:3:CL:7:default',
    attributes: [{ name: 'degree', value: 'BSc' }],
  }
  const violationsOf = (protocolVersion: string, credentialFormats: object) =>
    violations(OfferedFormats, { protocolVersion, credentialFormats })
  expect(violationsOf('v1', { indy })).toEqual([])
  expect(violationsOf('v2', { indy, anoncreds: indy })).toEqual([])
  expect(violationsOf('v1', { indy, anoncreds: indy })).toEqual(['credentialFormats'])
})

test('formats are not compared with an unknown version', () => {
  expect(violations(CreateRequest.body, { protocolVersion: 'v3', proofFormats: {} })).toEqual(['protocolVersion'])
})

describe('an AnonCreds proof request', () => {
  const base = { name: 'degree', version: '1.0' }
  const attribute = { name: 'degree' }
  const predicate = { name: 'age', p_type: '>=', p_value: 18 }
  const request = (fields: object) => ({ protocolVersion: 'v1', proofFormats: { indy: { ...base, ...fields } } })
  const attributes = (given: unknown) => request({ requested_attributes: { a: given } })
  const predicates = (given: unknown) => request({ requested_predicates: { p: given } })
  const indyViolations = (input: object) =>
    violations(CreateRequest.body, input).map((path) => path.replace(/^proofFormats\.indy\.?/, ''))

  test.each([
    [attributes(attribute)],
    [attributes({ names: ['given', 'family'], non_revoked: { from: 10, to: 10 } })],
    [predicates(predicate)],
    [predicates({ ...predicate, p_type: '<', p_value: -2_147_483_648, non_revoked: { to: 0 } })],
    [request({ requested_attributes: { a: attribute }, requested_predicates: {}, non_revoked: { to: 1 } })],
    [
      attributes({
        ...attribute,
        restrictions: [
          { schema_id: 's', schema_issuer_id: 'x', schema_issuer_did: 'x', schema_name: 'n', schema_version: '1' },
          { issuer_id: 'i', issuer_did: 'i', cred_def_id: 'c' },
          { 'attr::degree::marker': '1', 'attr::degree::value': 'BSc' },
          { 'attr::grade::marker': '0' },
          {},
        ],
      }),
    ],
  ])('may be %o', (input) => {
    expect(indyViolations(input)).toEqual([])
  })

  test.each<[string, object, string]>([
    [
      'without name',
      { protocolVersion: 'v1', proofFormats: { indy: { version: '1.0', requested_attributes: { a: attribute } } } },
      'name',
    ],
    ['with nothing requested', request({}), ''],
    ['with two empty groups', request({ requested_attributes: {}, requested_predicates: {} }), ''],
    ['with attributes in an array', request({ requested_attributes: [attribute] }), 'requested_attributes'],
    ['with neither name nor names', attributes({}), 'requested_attributes.a'],
    ['with both name and names', attributes({ name: 'a', names: ['b'] }), 'requested_attributes.a'],
    ['with empty names', attributes({ names: [] }), 'requested_attributes.a.names'],
    ['with names that are not strings', attributes({ names: [1] }), 'requested_attributes.a.names.0'],
    ['with an unknown field', attributes({ ...attribute, reveal: true }), 'requested_attributes.a.reveal'],
    [
      'with an unknown restriction',
      attributes({ ...attribute, restrictions: [{ color: 'red' }] }),
      'requested_attributes.a.restrictions.0.color',
    ],
    [
      'with a restriction that only begins as one',
      attributes({ ...attribute, restrictions: [{ 'attr::a::values': 'x' }] }),
      'requested_attributes.a.restrictions.0.attr::a::values',
    ],
    [
      'with a marker that is neither',
      attributes({ ...attribute, restrictions: [{ 'attr::a::marker': 'yes' }] }),
      'requested_attributes.a.restrictions.0',
    ],
    [
      'with a restriction that is not a text',
      attributes({ ...attribute, restrictions: [{ schema_id: 1 }] }),
      'requested_attributes.a.restrictions.0.schema_id',
    ],
    [
      'with restrictions that are no list',
      attributes({ ...attribute, restrictions: {} }),
      'requested_attributes.a.restrictions',
    ],
    ['with an unknown predicate', predicates({ ...predicate, p_type: '=' }), 'requested_predicates.p.p_type'],
    ['with a fraction to compare with', predicates({ ...predicate, p_value: 1.5 }), 'requested_predicates.p.p_value'],
    [
      'with more than 32 bits to compare with',
      predicates({ ...predicate, p_value: 2_147_483_648 }),
      'requested_predicates.p.p_value',
    ],
    ['with text to compare with', predicates({ ...predicate, p_value: '18' }), 'requested_predicates.p.p_value'],
    [
      'with an interval that ends before it begins',
      request({ requested_attributes: { a: attribute }, non_revoked: { from: 2, to: 1 } }),
      'non_revoked',
    ],
    // Aries RFC 0441: wallets reject it.
    [
      'with an interval that is longer than a moment',
      request({ requested_attributes: { a: attribute }, non_revoked: { from: 1, to: 2 } }),
      'non_revoked',
    ],
    [
      'with such an interval of an attribute',
      attributes({ ...attribute, non_revoked: { from: 0, to: 10 } }),
      'requested_attributes.a.non_revoked',
    ],
    [
      'with such an interval of a predicate',
      predicates({ ...predicate, non_revoked: { from: 0, to: 10 } }),
      'requested_predicates.p.non_revoked',
    ],
    [
      'with an interval before time',
      request({ requested_attributes: { a: attribute }, non_revoked: { from: -1 } }),
      'non_revoked.from',
    ],
    [
      'with one name in both groups',
      request({
        requested_attributes: { a: { name: 'age' } },
        requested_predicates: { p: { ...predicate, name: 'A ge' } },
      }),
      '',
    ],
    [
      'with one name in a group and a predicate',
      request({ requested_attributes: { a: { names: ['x', 'age'] } }, requested_predicates: { p: predicate } }),
      '',
    ],
    [
      'with one name in both groups, but for spaces and case',
      request({ requested_attributes: { a: { name: 'A ge' } }, requested_predicates: { p: predicate } }),
      '',
    ],
    ['with one name twice in a group', attributes({ names: ['Name', 'n ame'] }), 'requested_attributes.a.names'],
    [
      'with an interval without an end',
      request({ requested_attributes: { a: attribute }, non_revoked: { from: 1 } }),
      'non_revoked.to',
    ],
    ['with an empty interval', attributes({ ...attribute, non_revoked: {} }), 'requested_attributes.a.non_revoked.to'],
    [
      'restricted to a revocation registry, which the prover names',
      predicates({ ...predicate, restrictions: [{ rev_reg_id: 'r' }] }),
      'requested_predicates.p.restrictions.0.rev_reg_id',
    ],
    ['with a nonce, which is ours to make', request({ requested_attributes: { a: attribute }, nonce: '1' }), 'nonce'],
  ])('may not be %s', (_, input, path) => {
    expect(indyViolations(input)).toContain(path)
  })

  test.each(['issuer_did', 'schema_issuer_did'])("may name Indy's %s in the format indy alone", (key) => {
    const restricted = { ...base, requested_attributes: { a: { ...attribute, restrictions: [{ [key]: 'x' }] } } }
    const path = `proofFormats.anoncreds.requested_attributes.a.restrictions.0.${key}`
    expect(violations(CreateRequest.body, { protocolVersion: 'v2', proofFormats: { indy: restricted } })).toEqual([])
    expect(violations(CreateRequest.body, { protocolVersion: 'v2', proofFormats: { anoncreds: restricted } })).toEqual([
      path,
    ])
  })

  test('keeps an empty list of restrictions: without one, ACA-Py allows self-attested values', () => {
    const input = {
      protocolVersion: 'v2',
      proofFormats: { indy: { ...base, requested_attributes: { a: { ...attribute, restrictions: [] } } } },
    }
    expect(v.parse(CreateRequest.body, input)).toMatchObject(input)
  })

  test('has a bounded number of attributes', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`a${index}`, attribute]))
    expect(indyViolations(request({ requested_attributes: many }))).toEqual(['requested_attributes'])
  })
})

const attributeViolations = (attribute: object) =>
  violations(CreateOffer.body, {
    ...{ connectionId: 'c', protocolVersion: 'v2' },
    credentialFormats: {
      anoncreds: { credentialDefinitionId: 'd', attributes: [{ name: 'a', value: '', ...attribute }] },
    },
  })

test.each([
  ...['image/png', 'application/vnd.acme+json', 'TEXT/PLAIN', 'text/plain; charset=utf-8', 'audio/mpeg', 'font/woff2'],
  ...['message/rfc822', 'model/stl', 'multipart/mixed', 'video/mp4'],
])('an attribute has the MIME type %s', (mimeType) => expect(attributeViolations({ mimeType })).toEqual([]))

test.each(['png', 'foo/bar', 'image/', 'image/png; charset=utf-8'])('an attribute has no MIME type %s', (mimeType) => {
  expect(attributeViolations({ mimeType })).toEqual(['credentialFormats.anoncreds.attributes.0.mimeType'])
})

test('no value or referent of AnonCreds has a NUL, at which the library would end it', () => {
  expect(attributeViolations({ value: 'a\0b' })).toEqual(['credentialFormats.anoncreds.attributes.0.value'])
  const indy = { name: 'degree', version: '1.0', requested_attributes: { 'a\0b': { name: 'degree' } } }
  expect(violations(CreateRequest.body, { protocolVersion: 'v1', proofFormats: { indy } })).toEqual([
    'proofFormats.indy.requested_attributes.a\0b',
  ])
})

test('an AnonCreds value must not be a number with a plus sign, a space or an underscore, which other agents encode differently', () => {
  const violationsOf = (value: string) => attributeViolations({ value })
  for (const value of ['24', '-24', '007', '+', '+1.5', '+1 2', '+2147483648', '1 000', '2147483648 ', '1__0', ' '])
    expect(violationsOf(value)).toEqual([])
  for (const value of ['+24', '+0', '+0002147483647', '24 ', '\t24', '24\n', ' -24', '1_000'])
    expect(violationsOf(value)).toEqual(['credentialFormats.anoncreds.attributes.0.value'])
})

describe('a JSON-LD credential', () => {
  const { body } = CreateOffer
  const credential = {
    '@context': ['https://www.w3.org/2018/credentials/v1', { degree: 'https://example.org/degree' }],
    type: ['VerifiableCredential', 'DegreeCredential'],
    issuanceDate: '2026-11-20T00:00:00Z',
    credentialSubject: { id: 'did:key:z6Mk', degree: 'BSc' },
  }
  const options = { proofType: 'Ed25519Signature2018', proofPurpose: 'assertionMethod' }
  const offer = (changed: object = {}) => ({
    connectionId: 'c',
    protocolVersion: 'v2',
    credentialFormats: {
      jsonld: { credential: { ...credential, ...changed }, options },
    },
  })
  const offerViolations = (input: object) =>
    violations(body, input).map((path) => path.replace(/^credentialFormats\.jsonld\./, ''))

  test('passes the credential on unchanged, terms of its contexts included', () => {
    const input = offer({ evidence: [{ type: ['X'] }], name: 'Degree' })
    expect(v.parse(body, input)).toEqual({ ...input, autoAcceptCredential: 'contentApproved' })
  })

  test.each([
    [{ issuer: 'did:key:z6Mk' }],
    [{ issuer: { id: 'did:key:z6Mk', name: 'Acme' } }],
    [{ id: 'urn:uuid:1' }],
    [{ issuanceDate: '2026-11-20T00:00:00.123+01:00', expirationDate: '2027-11-20T00:00:00Z' }],
    [{ credentialSubject: [{ id: 'did:key:z6Mk' }, { degree: 'BSc' }] }],
    [{ credentialStatus: { id: 'https://example.org/status/1', type: 'X' } }],
    [{ '@context': ['https://www.w3.org/2018/credentials/v1', 'https://example.org/context/v1'] }],
    [{ credentialSubject: { degree: [0.1, -1.5e-7, -0, 2 ** 53 - 1, 3.75e30] } }],
  ])('takes a credential with %o', (changed) => {
    expect(offerViolations(offer(changed))).toEqual([])
  })

  test.each<[object, string]>([
    [{ '@context': [] }, 'credential.@context'],
    [{ '@context': 'https://www.w3.org/2018/credentials/v1' }, 'credential.@context'],
    [{ '@context': [{}, 'https://www.w3.org/2018/credentials/v1'] }, 'credential.@context'],
    [{ '@context': ['https://www.w3.org/2018/credentials/v1', 7] }, 'credential.@context.1'],
    [{ '@context': ['https://www.w3.org/2018/credentials/v1', 'http://localhost/x'] }, 'credential.@context.1'],
    [{ type: ['DegreeCredential'] }, 'credential.type'],
    [{ type: 'VerifiableCredential' }, 'credential.type'],
    [{ issuer: 'Acme' }, 'credential.issuer'],
    [{ issuer: {} }, 'credential.issuer'],
    [{ issuanceDate: '2026-11-20' }, 'credential.issuanceDate'],
    [{ issuanceDate: '2026-13-20T00:00:00Z' }, 'credential.issuanceDate'],
    [{ issuanceDate: '2026-02-30T00:00:00Z' }, 'credential.issuanceDate'],
    [{ issuanceDate: '2026-11-20T24:00:00Z' }, 'credential.issuanceDate'],
    [{ issuanceDate: '2026-11-20T00:00Z' }, 'credential.issuanceDate'],
    [{ issuanceDate: 7 }, 'credential.issuanceDate'],
    [{ expirationDate: 'never' }, 'credential.expirationDate'],
    [{ credentialSubject: [] }, 'credential.credentialSubject'],
    [{ credentialSubject: 'me' }, 'credential.credentialSubject'],
    [{ credentialSubject: Array(101).fill({ degree: 'BSc' }) }, 'credential.credentialSubject'],
    [{ credentialSubject: { id: 7 } }, 'credential.credentialSubject'],
    [{ credentialStatus: 'revoked' }, 'credential.credentialStatus'],
    [{ proof: {} }, 'credential.proof'],
    [{ credentialSubject: { degree: [1e-7] } }, 'credential'],
    [{ credentialSubject: { degree: 2 ** 53 } }, 'credential'],
    [{ credentialSubject: { degree: 0.1 + 0.2 } }, 'credential'],
  ])('rejects a credential with %o', (changed, path) => {
    const found = offerViolations(offer(changed))
    expect(found.some((fault) => fault.startsWith(path))).toBe(true)
  })
})

test('a seed has 32 bytes in UTF-8', () => {
  const violationsOf = (seed: string) => violations(CreateDid.body, { method: 'key', seed })
  expect(violationsOf('é'.repeat(16))).toEqual([])
  expect(violationsOf('é'.repeat(32))).toEqual(['seed'])
})

test('an attribute that is proposed with a referent names its credential definition', () => {
  const proposal = (attribute: object) => ({
    connectionId: 'c',
    proofFormats: { indy: { attributes: [{ name: 'degree', referent: 'a', ...attribute }] } },
  })
  expect(
    violations(ProofProposal, proposal({ credentialDefinitionId: 'V4SGRU86Z58d6TV7PBUe6f:3:CL:7:default' })),
  ).toEqual([])
  expect(violations(ProofProposal, proposal({}))).toEqual(['proofFormats.indy'])
})

test.each(['constructor', 'toString', '__proto__'])('no attribute is proposed with the referent %s', (referent) => {
  const credentialDefinitionId = 'V4SGRU86Z58d6TV7PBUe6f:3:CL:7:default'
  const indy = { attributes: [{ name: 'degree', referent, credentialDefinitionId }] }
  expect(violations(ProofProposal, { connectionId: 'c', proofFormats: { indy } })).toEqual([
    'proofFormats.indy.attributes.0.referent',
  ])
})

describe('an AnonCreds offer', () => {
  const degree = (...attributes: object[]) => ({ credentialDefinitionId: ID, attributes })
  const [name, level] = [
    { name: 'name', value: 'Ada' },
    { name: 'level', value: 'BSc' },
  ]
  const offerViolations = (credentialFormats: object) =>
    violations(CreateOffer.body, { connectionId: ID, protocolVersion: 'v2', credentialFormats })

  test('names each attribute once', () => {
    expect(offerViolations({ anoncreds: degree(name, level) })).toEqual([])
    expect(offerViolations({ anoncreds: degree(name, name) })).toEqual(['credentialFormats.anoncreds.attributes'])
  })

  test('has the same attributes in both formats', () => {
    const indy = (...attributes: object[]) => ({
      ...degree(...attributes),
      credentialDefinitionId: 'V4SGRU86Z58d6TV7PBUe6f:3:CL:7:default',
    })
    expect(offerViolations({ indy: indy(name), anoncreds: degree(name) })).toEqual([])
    expect(offerViolations({ indy: indy(name), anoncreds: degree(level) })).toEqual(['credentialFormats'])
  })
})

test.each(['ftp://example.org/logo.png', 'example.org', 'https://'])('an image is not at %s', (imageUrl) => {
  expect(violations(CreateInvitation.body, { imageUrl })).toEqual(['imageUrl'])
})

test('a proof proposal proposes something', () => {
  expect(violations(ProofProposal, { connectionId: ID, proofFormats: { indy: {} } })).toEqual(['proofFormats.indy'])
})

test('a prover names one credential for each of 100 referents at most', () => {
  const violationsOf = (count: number, ...ids: string[]) => {
    const credentials = Object.fromEntries(Array.from({ length: count }, (_, index) => [`r${index}`, ids]))
    return violations(ProofAcceptance, { proofFormats: { anoncreds: { credentials } } })
  }
  expect([violationsOf(100, ID), violationsOf(101, ID)]).toEqual([[], ['proofFormats.anoncreds.credentials']])
  expect(violationsOf(1, ID, ID)).toEqual(['proofFormats.anoncreds.credentials.r0'])
})

test('events are replayed since a time with a year of four digits', () => {
  const violationsOf = (since: string) => violations(ReplayWebhookEvents.body, { since })
  expect(violationsOf('2026-01-01T00:00:00+05:00')).toEqual([])
  expect(violationsOf('2026-01-01T00:00:00+05')).toEqual(['since'])
  // Its year has five digits in UTC: as text it comes before all others, and every event would be replayed.
  expect(violationsOf('9999-12-31T23:59:59-01:00')).toEqual(['since'])
})

describe('a schema', () => {
  const violationsOf = (changed: object) =>
    violations(CreateSchema.body, { name: 'degree', version: '1.0', attributes: ['name'], ...changed })

  test.each([[{}], [{ version: '1.2.3.4.5' }], [{ endorse: false, endorserDid: '' }]])('may have %o', (changed) => {
    expect(violationsOf(changed)).toEqual([])
  })

  test.each([
    [{ version: '1.2.3.4.5.6' }],
    [{ attributes: ['Master_Secret'] }],
    [{ attributes: ['__proto__'] }],
    [{ attributes: ['constructor'] }],
    [{ attributes: ['prototype'] }],
    [{ endorse: true }],
    [{ endorserDid: 'V4SGRU86Z58d6TV7PBUe6f' }],
  ])('may not have %o', (changed) => {
    expect(violationsOf(changed)).toEqual(Object.keys(changed))
  })
})

test('a DID has at most 4,096 characters', () => {
  const violationsOf = (length: number) =>
    violations(ReceiveImplicitInvitation.body, { did: 'did:key:'.padEnd(length, 'z') })
  expect(violationsOf(4096)).toEqual([])
  expect(violationsOf(4097)).toEqual(['did'])
})

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html */
test.each(
  OPERATIONS.filter(({ security, path }) => security === 'token' && path.includes('+}')).map(
    ({ operationId, path, parameters }) => ({ operationId, path, schema: parameters?.path ?? v.never() }),
  ),
)('an id in the path of $operationId leaves it within the 1,600 bytes that API Gateway takes', ({ path, schema }) => {
  const [before = '', name = ''] = path.split(/[{+]/)
  const stage = `arn:aws-us-gov:execute-api:us-gov-west-1:123456789012:a1b2c3d4e5/${'s'.repeat(19)}`
  const room = 1_600 - `${stage}/GET${before}`.length
  const violationsOf = (length: number) => violations(schema, { [name]: 'did:key:'.padEnd(length, 'z') })
  expect(violationsOf(1_400)).toEqual([])
  expect(violationsOf(room + 1)).toEqual([name])
})

test('exchanges are found by the parent thread', () => {
  expect(v.parse(GetProofs.parameters.query, { parentThreadId: 'parent-thread' })).toMatchObject({
    parentThreadId: 'parent-thread',
  })
})

test('a cursor has at most 4,096 characters', () => {
  const violationsOf = (length: number) => violations(GetProofs.parameters.query, { cursor: 'a'.repeat(length) })
  expect(violationsOf(4096)).toEqual([])
  expect(violationsOf(4097)).toEqual(['cursor'])
})
