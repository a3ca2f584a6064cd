import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectError, expectInvalid, globex } from '../support/api/scene.ts'
import { offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const path = '/credentials/create-offer'
const { token } = acme
const subject = 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
const valid = { ...offerBody(acme.connectionId, subject), autoAcceptCredential: 'never' }
const { credential, options } = valid.credentialFormats.jsonld
const at = 'credentialFormats.jsonld'

const XSD = 'http://www.w3.org/2001/XMLSchema#'

const offer = (body: object, as = token) => api.post(path, { token: as, body })
const withCredential = (more: object) => ({
  ...valid,
  credentialFormats: { jsonld: { credential: { ...credential, ...more }, options } },
})

test('offers a credential, which GetCredentialById then shows', async () => {
  const answer = await offer({ ...valid, comment: 'Your degree' })
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    state: 'offer-sent',
    role: 'issuer',
    connectionId: acme.connectionId,
    protocolVersion: 'v2',
    autoAcceptCredential: 'never',
    credentials: [],
    credentialAttributes: [],
    metadata: {},
    _tags: { state: 'offer-sent', role: 'issuer', connectionId: acme.connectionId },
  })
  const { status, body } = await api.get(`/credentials/${answer.body.id}`, { token })
  expect({ status, id: body.id }).toEqual({ status: 200, id: answer.body.id })
  await expectExample(answer)
})

test('offers a credential without the empty print layout that CREDEBL sends with it', async () => {
  const { status, body } = await offer(withCredential({ prettyVc: {} }))
  expect(status).toBe(200)
  const formData = await api.get(`/credentials/${body.id}/form-data`, { token })
  const { credential: offered } = formData.body.offer.jsonld
  expect(offered.credentialSubject).toEqual(credential.credentialSubject)
  expect(offered).not.toHaveProperty('prettyVc')
})

describe('rejects what cannot be sent on: 409', () => {
  test('a connection that the other side has given up', async () => {
    expectError(await offer({ ...valid, connectionId: acme.abandonedConnectionId }), 409, {
      message: 'the connection is not ready: its state is abandoned',
    })
  })
})

describe('the issuer is a DID of this agent', () => {
  test.each<[string, unknown]>([
    ['as a string', acme.issuerDid],
    ['as an object', { id: acme.issuerDid, 'https://schema.org/name': 'Acme' }],
  ])('%s, unchanged', async (_, issuer) => {
    const { status, body } = await offer(withCredential({ issuer }))
    expect(status).toBe(200)
    const formData = await api.get(`/credentials/${body.id}/form-data`, { token })
    expect(formData.body.offer.jsonld.credential.issuer).toEqual(issuer)
  })

  test.each<[string, unknown]>([
    ["the wallet's", acme.theirDid],
    ['an unknown one', subject],
    ["another tenant's, as an object", { id: globex.issuerDid }],
  ])('not %s: 422', async (_, issuer) => {
    const { status, body } = await offer(withCredential({ issuer }))
    const fields = body.details?.map(({ path: field }: Json) => field)
    expect({ status, fields }).toEqual({ status: 422, fields: [`${at}.credential.issuer`] })
  })
})

describe('names every field that is wrong', () => {
  test.each<[object, string[]]>([
    [{}, ['connectionId', 'protocolVersion', 'credentialFormats']],
    [{ ...valid, connectionId: 'a b' }, ['connectionId']],
    [{ ...valid, protocolVersion: 'v1' }, ['credentialFormats']],
    [{ ...valid, credentialFormats: {} }, ['credentialFormats']],
    [{ ...valid, credentialFormats: { ...valid.credentialFormats, odd: {} } }, ['credentialFormats.odd']],
    [
      { ...valid, credentialFormats: { indy: {}, anoncreds: {} } },
      ['indy', 'anoncreds'].flatMap((format) =>
        ['credentialDefinitionId', 'attributes'].map((field) => `credentialFormats.${format}.${field}`),
      ),
    ],
    [{ ...valid, autoAcceptCredential: 'yes' }, ['autoAcceptCredential']],
    [withCredential({ credentialSubject: {} }), [`${at}.credential.credentialSubject`]],
    [withCredential({ credentialSubject: [{}] }), [`${at}.credential.credentialSubject.0`]],
    [withCredential({ credentialSubject: { id: 'http://[', degree: 1 } }), [`${at}.credential.credentialSubject.id`]],
    [withCredential({ evidence: {} }), [`${at}.credential.evidence.type`]],
    [withCredential({ evidence: [{ id: 'https://example.org/1' }] }), [`${at}.credential.evidence.0.type`]],
    [withCredential({ evidence: null }), [`${at}.credential.evidence`]],
    [withCredential({ termsOfUse: 'https://example.org/terms' }), [`${at}.credential.termsOfUse`]],
    [
      { ...valid, credentialFormats: { jsonld: { credential, options: { proofType: 'x', odd: 1 } } } },
      [`${at}.options.proofType`, `${at}.options.odd`],
    ],
  ])('%j', async (body, fields) => {
    expectInvalid(await offer(body), fields)
  })
})

describe('rejects a credential that can never be signed, and says why: 422', () => {
  const context = credential['@context']
  const claims = (more: object) => ({ credentialSubject: { ...credential.credentialSubject, ...more } })
  const unreadable = 'https://contexts.example.invalid/v1'
  // Each refers to all other ones: nothing distinguishes them, and canonicalization tries every order.
  const alike = Array.from({ length: 8 }, (_, one) => ({
    '@id': `_:n${one}`,
    degree: Array.from({ length: 8 }, (_, other) => ({ '@id': `_:n${other}` })).toSpliced(one, 1),
  }))
  const chain = Array.from({ length: 100 }, (_, one) => ({
    '@id': `_:n${one}`,
    degree: [{ '@id': `_:n${one + 1}` }, String(one)],
  }))
  const graphs = { '@context': [...context, { graph: { '@id': 'https://example.org/graph', '@container': '@graph' } }] }
  const weighed = { '@context': [...context, { weight: { '@id': 'urn:weight', '@type': `${XSD}double` } }] }
  const prefix = { p: `https://example.org/${'x'.repeat(1_000)}/`, long: 'https://example.org/long' }
  const prefixed = { '@context': [...context, prefix] }
  const terms = Object.fromEntries(Array.from({ length: 2_000 }, (_, one) => [`t${one}`, `https://example.org/${one}`]))
  const type = { '@id': 'https://example.org/Scoped', '@context': { t: 'https://example.org/t' } }
  const scoped = {
    '@context': [...context, { ...terms, Scoped: type }],
    ...claims({ degree: Array.from({ length: 500 }, () => ({ '@type': 'Scoped' })) }),
  }

  test.each<[string, object, string]>([
    ['a claim without a term', claims({ grade: 1 }), 'has "grade", which none of its contexts defines'],
    ['a claim without a term, further down', claims({ degree: { of: 1 } }), '"of"'],
    ['a field without a term', { grade: 1 }, '"grade"'],
    ['a print layout without a term', { prettyVc: { size: 'a4' } }, '"prettyVc"'],
    ['a type without a term', { type: ['VerifiableCredential', 'Unknown'] }, 'has the type "Unknown"'],
    [
      'a context that redefines a protected term',
      { '@context': [...context, { VerifiableCredential: 'https://example.org/Other' }] },
      'redefines the protected term "VerifiableCredential"',
    ],
    ['an invalid context', { '@context': [...context, { degree: { '@id': 5 } }] }, 'cannot be signed: Invalid'],
    ['an unreadable context', { '@context': [...context, unreadable] }, `cannot be read: ${unreadable}`],
    ['two ids of its subject', claims({ '@id': subject }), 'cannot be signed: Invalid'],
    [
      'an issuer that its contexts make another one of',
      { '@context': [...context, { did: 'https://example.org/did/' }] },
      'cannot be signed: its contexts expand the issuer',
    ],
    [
      'one more issuer, by its full name',
      { 'https://www.w3.org/2018/credentials#issuer': { '@id': subject } },
      'cannot be signed: its contexts expand the issuer',
    ],
    ...['12,5', 'INF', '1E400', '0.12345678901234567'].map((weight): [string, object, string] => [
      `a text that would be signed as another number: ${weight}`,
      { ...weighed, ...claims({ weight: ['12.50', weight] }) },
      `signed as another number: ${weight}`,
    ]),
    [
      'two names of one property, with two values',
      { '@context': [...context, { grade: 'urn:grade', mark: 'urn:grade' }], ...claims({ grade: 'A', mark: 'B' }) },
      'its contexts map "grade" and "mark" to one property',
    ],
    ['a relative id', claims({ degree: { '@id': 'relative' } }), 'cannot be signed: Relative'],
    ['blank nodes that nothing tells apart', claims({ degree: alike }), 'blank nodes'],
    ['types with type-scoped contexts, each of which copies many terms', scoped, 'scoped contexts'],
    [
      'more statements than can be verified',
      claims({ degree: Array.from({ length: 2_500 }, (_, one) => String(one)) }),
      'statements',
    ],
    ['nodes that are nested too deeply', claims({ degree: chain }), 'nested nodes'],
    [
      'named graphs, which are not shown',
      { ...graphs, ...claims({ graph: { '@graph': [{ degree: 'x' }] } }) },
      'graphs',
    ],
    [
      'long names again and again, which are too large to be shown',
      { ...prefixed, ...claims({ long: Array.from({ length: 400 }, (_, one) => ({ '@id': `p:${one}` })) }) },
      'too large',
    ],
    ['a status', { credentialStatus: { id: 'https://example.org/1', type: 'https://example.org/Status' } }, 'status'],
    ['an end that is over', { expirationDate: '2020-01-01T00:00:00Z' }, 'expired'],
    ['a status of no type', { credentialStatus: { id: 'https://example.org/1', type: 'None' } }, '"None"'],
  ])('%s', async (_, more, message) => {
    const { status, body } = await offer(withCredential(more))
    expect({ status, details: body.details }).toEqual({
      status: 422,
      details: [{ path: `${at}.credential`, message: expect.stringContaining(message) }],
    })
  })

  test('an issuer whose DID has no key to sign with', async () => {
    const { status, body } = await offer(withCredential({ issuer: acme.invitationDid }))
    expect({ status, fields: body.details?.map(({ path: field }: Json) => field) }).toEqual({
      status: 422,
      fields: [`${at}.credential.issuer`],
    })
  })
})
