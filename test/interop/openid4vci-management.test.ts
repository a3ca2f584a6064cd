/** A tenant's issuers, offers and sessions of OpenID4VCI, and the documents that wallets and verifiers read. */
import { randomUUID } from 'node:crypto'
import { calculateJwkThumbprint } from 'jose'
import { describe, expect, test } from 'vitest'
import { tenantOfPublicId } from '../../lib/openid/public-ids.ts'
import { loadClaims } from '../../lib/openid4vci/claims.ts'
import { transaction } from '../../lib/store/transaction.ts'
import {
  bound,
  CLAIMS,
  CONFIGURATIONS,
  FRAME,
  GRANT_TYPE,
  IDENTITY,
  unbound,
  useIssuer,
} from '../support/openid/issuance.ts'
import { HTTPS_URL } from '../support/stage/at-https.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { ConsumedUnits } from '../support/table/consumed-units.ts'

const stage = await useStage({ delivers: false })
const acme = await useIssuer(stage, 'Acme')
const globex = await useIssuer(stage, 'Globex', { batchCredentialIssuance: { batchSize: 1 } })
const SETTINGS = { credentialConfigurationsSupported: CONFIGURATIONS }

const detailOf = ({ status, body }: { status: number; body: Json }) => [status, body.details?.[0]?.path]
const newIssuer = (body: object = {}, by = acme) => by.done('createIssuer', { body: { ...SETTINGS, ...body } })
const offer = (body: object = {}, by = acme) =>
  by.call('createCredentialOffer', {
    body: { publicIssuerId: by.issuerId, credentials: [{ credentialSupportedId: IDENTITY, payload: CLAIMS }], ...body },
  })
const offerOne = (credential: object, by = acme, body: object = {}) =>
  offer({ credentials: [{ credentialSupportedId: IDENTITY, payload: CLAIMS, ...credential }], ...body }, by)
const statusOf = async (operation: string, asked: object, by = acme) => (await by.call(operation, asked)).status
const readOffer = (session: Json, issuerId = acme.issuerId) =>
  acme.open('getCredentialOffer', { path: { issuerId, issuanceSessionId: session.id } })

describe('an issuer', () => {
  test('is shown with the fields of its creation, and keeps its creation time', async () => {
    const issuerId = `acme.${randomUUID()}`
    const accessTokenSignerKeyType = { kty: 'OKP', crv: 'Ed25519' }
    const created = await newIssuer({ issuerId, display: {}, accessTokenSignerKeyType })
    expect(created).toMatchObject({ id: issuerId, issuerId, display: [], accessTokenSignerKeyType })
    const path = { issuerId }
    expect(await acme.done('getIssuerById', { path })).toEqual(created)
    const display = [{ name: 'Acme' }]
    const updated = await acme.done('updateIssuer', { path, body: { ...SETTINGS, display } })
    expect(updated).toEqual({ ...created, display, updatedAt: expect.any(String) })
    expect(await acme.done('getIssuers', {})).toContainEqual(updated)
  })

  test('has a certificate of its tenant, and so has an offer', async () => {
    expect(
      detailOf(await globex.call('createIssuer', { body: { ...SETTINGS, certificateId: acme.certificateId } })),
    ).toEqual([422, 'certificateId'])
    expect(detailOf(await offerOne({ signerOptions: { method: 'x5c', keyId: acme.certificateId } }, globex))).toEqual([
      422,
      'credentials.0.signerOptions.keyId',
    ])
  })

  test('has an id that is never used again, and that is unknown after its deletion', async () => {
    const issuerId = randomUUID()
    await newIssuer({ issuerId })
    const taken = { body: { ...SETTINGS, issuerId } }
    expect(await statusOf('createIssuer', taken, globex)).toBe(409)
    expect(await statusOf('deleteIssuer', { path: { issuerId } })).toBe(204)
    await expect(tenantOfPublicId(issuerId, 'issuer')).rejects.toMatchObject({ code: 'resource.not_found' })
    for (const by of [acme, globex]) expect(await statusOf('createIssuer', taken, by)).toBe(409)
    const documents = { getIssuerKeys: {}, getCredentialType: { name: 'a' }, getWellKnown: { name: 'jwt-vc-issuer' } }
    for (const [operation, more] of Object.entries(documents))
      expect((await acme.open(operation, { path: { issuerId, ...more } })).status).toBe(404)
    // A verifier's id is not an issuer's.
    const verifier = await acme.done('createVerifier', { body: {} })
    expect((await acme.open('getIssuerKeys', { path: { issuerId: verifier.verifierId } })).status).toBe(404)
  })

  test.each(['.', '..', '%2e%2e', '-a', 'a/b', 'a'.repeat(65), ''])('has no id %j', async (issuerId) => {
    expect(detailOf(await acme.call('createIssuer', { body: { ...SETTINGS, issuerId } }))).toEqual([422, 'issuerId'])
  })

  test('needs a public URL at https without a path', async () => {
    const { status, body } = await stage.call('createIssuer', { caller: acme.caller, body: SETTINGS })
    expect([status, body.message]).toEqual([422, expect.stringMatching(/PUBLIC_URL.*https.*no path/)])
  })

  test('has types at our address only below its own', async () => {
    const issuerId = randomUUID()
    const types = `${HTTPS_URL}/oid4vci/${issuerId}/types/`
    const status = async (vct: string) =>
      detailOf(
        await acme.call('createIssuer', {
          body: { issuerId, credentialConfigurationsSupported: { one: unbound({ vct }) } },
        }),
      )
    for (const vct of [
      `${HTTPS_URL}/oid4vci/${globex.issuerId}/types/identity`,
      `HTTPS://AGENT.example:443/oid4vci/${globex.issuerId}/types/identity`,
      `https://me@agent.example/x`,
      `${HTTPS_URL}`,
      `${types}`,
      `${types}..`,
      `${types}%2e%2e`,
      `${types}a/b`,
      `${types}a?b`,
      `\t${types}a`,
    ])
      expect(await status(vct), vct).toEqual([422, 'credentialConfigurationsSupported.one.vct'])
    expect((await status(`${types}identity`))[0]).toBe(200)
  })

  test('has another certificate, and the former key stays in its key set', async () => {
    const issuer = await useIssuer(stage, 'Initech')
    const path = { issuerId: issuer.issuerId }
    const keysOf = async (): Promise<Json[]> => (await issuer.open('getIssuerKeys', {})).body.keys
    const [before] = await keysOf()
    expect(before).toMatchObject({ kty: 'EC', crv: 'P-256', use: 'sig', alg: 'ES256' })
    expect(before?.kid).toBe(await calculateJwkThumbprint(Object(before)))
    expect(before).not.toHaveProperty('d')
    const { keyId } = await issuer.done('createCertificate', { body: { issuer: 'CN=Initech 2' } })
    const changed = await issuer.done('updateIssuer', { path, body: { ...SETTINGS, certificateId: keyId } })
    expect(changed).not.toHaveProperty('formerCertificateIds')
    await issuer.done('updateIssuer', { path, body: { ...SETTINGS, certificateId: keyId } })
    expect(await keysOf()).toHaveLength(2)
    expect(await keysOf()).toContainEqual(before)
    // Neither the issuer's current certificate nor one that has signed can be deleted.
    for (const certificateId of [keyId, issuer.certificateId])
      expect(await statusOf('deleteCertificate', { path: { certificateId } }, issuer)).toBe(409)
  })

  test('is not deleted while a credential can be revoked, and then serves only documents for verifiers', async () => {
    const issuer = await useIssuer(stage, 'Hooli')
    const path = { issuerId: issuer.issuerId }
    const wallet = await issuer.take(await issuer.offer({ isRevocable: true }))
    await issuer.obtain(wallet)
    const { session: open } = await issuer.offer()
    const { status, body } = await issuer.call('deleteIssuer', { path })
    expect([status, body.message]).toEqual([409, expect.stringContaining('keep=public')])
    expect(await statusOf('deleteIssuer', { path, query: { keep: 'public' } }, issuer)).toBe(204)
    const { publicOnlySince } = await issuer.done('getIssuerById', { path })
    expect(publicOnlySince).toEqual(expect.any(String))
    const well = async (name: string) => (await issuer.open('getWellKnown', { path: { ...path, name } })).status
    expect(await well('openid-credential-issuer')).toBe(404)
    expect(await well('oauth-authorization-server')).toBe(404)
    expect(await well('jwt-vc-issuer')).toBe(200)
    expect((await issuer.open('getIssuerKeys', {})).status).toBe(200)
    expect((await readOffer(open, issuer.issuerId)).status).toBe(404)
    expect(detailOf(await offer({}, issuer))).toEqual([422, 'publicIssuerId'])
    expect((await issuer.postCredential(wallet.accessToken, await issuer.requestFor(wallet))).status).not.toBe(200)
    // A change does not let it issue again.
    await issuer.done('updateIssuer', { path, body: { ...SETTINGS, certificateId: issuer.certificateId } })
    expect(await well('openid-credential-issuer')).toBe(404)
  })
})

describe('the metadata of an issuer', () => {
  test('are the same at both addresses, with an ETag, and as the tenant reads them', async () => {
    const display = [{ name: 'Identity', locale: 'en' }]
    const claims = [{ path: ['given_name'], display: [], mandatory: true }]
    const configuration = bound({ credential_metadata: { display, claims } })
    const credentialConfigurationsSupported = {
      [IDENTITY]: configuration,
      empty: unbound({ credential_metadata: { display: [] } }),
    }
    const issuer = await useIssuer(stage, 'Soylent', { display: [], credentialConfigurationsSupported })
    const path = { issuerId: issuer.issuerId, name: 'openid-credential-issuer' }
    const reply = await issuer.open('getWellKnown', { path })
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=300',
      etag: expect.stringMatching(/^"[\w-]{43}"$/),
    })
    const again = await issuer.open('getWellKnown', { path, headers: { 'if-none-match': reply.headers.etag } })
    expect(again.status).toBe(304)
    expect((await issuer.open('getWellKnownOfIssuer', { path })).body).toEqual(reply.body)
    const { url } = issuer
    expect(reply.body).toEqual({
      credential_issuer: url,
      credential_endpoint: `${url}/credential`,
      nonce_endpoint: `${url}/nonce`,
      notification_endpoint: `${url}/notification`,
      batch_credential_issuance: { batch_size: 10 },
      credential_configurations_supported: {
        [IDENTITY]: bound({ credential_metadata: { display, claims: [{ path: ['given_name'], mandatory: true }] } }),
        empty: unbound({ credential_metadata: {} }),
      },
    })
    const server = await issuer.open('getWellKnown', { path: { ...path, name: 'oauth-authorization-server' } })
    expect(server.body).toEqual({
      issuer: url,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      response_types_supported: [],
      grant_types_supported: [GRANT_TYPE],
      'pre-authorized_grant_anonymous_access_supported': true,
      token_endpoint_auth_methods_supported: ['none'],
    })
    const keys = await issuer.open('getWellKnownOfIssuer', { path: { ...path, name: 'jwt-vc-issuer' } })
    expect(keys.body).toEqual({ issuer: url, jwks_uri: `${url}/jwks` })
    expect(await issuer.done('getIssuerMetadata', { path: { issuerId: issuer.issuerId } })).toEqual({
      credentialIssuer: reply.body,
      authorizationServers: [server.body],
      knownCredentialConfigurations: reply.body.credential_configurations_supported,
    })
    const single = await globex.open('getWellKnown', { path: { ...path, issuerId: globex.issuerId } })
    expect(single.body).not.toHaveProperty('batch_credential_issuance')
    expect(await statusOf('getWellKnown', { path: { ...path, name: 'openid-configuration' } })).toBeGreaterThanOrEqual(
      400,
    )
  })

  test('have the types that it defines', async () => {
    const issuerId = randomUUID()
    const vct = `${HTTPS_URL}/oid4vci/${issuerId}/types/identity`
    const display = [{ name: 'Identity' }, { name: 'Identité', locale: 'fr', logo: { uri: 'https://a.example/l.png' } }]
    const claims = [{ path: ['name'], display: [{ name: 'Name', locale: 'en' }], mandatory: true }, { path: ['age'] }]
    const credentialConfigurationsSupported = { one: unbound({ vct, credential_metadata: { display, claims } }) }
    await newIssuer({ issuerId, credentialConfigurationsSupported })
    const read = (name: string, ofIssuer = issuerId) =>
      acme.open('getCredentialType', { path: { issuerId: ofIssuer, name } })
    expect((await read('identity')).body).toEqual({
      vct,
      name: 'Identity',
      display: [
        { locale: 'en', name: 'Identity' },
        { locale: 'fr', name: 'Identité' },
      ],
      claims: [{ path: ['name'], display: [{ locale: 'en', label: 'Name' }], mandatory: true }, { path: ['age'] }],
    })
    expect((await read('other')).status).toBe(404)
    expect((await read('identity', globex.issuerId)).status).toBe(404)
  })
})

describe('an offer', () => {
  test('has its links, shows its PIN once, and its session shows the names of its claims', async () => {
    const txCode = { length: 6, input_mode: 'alphanumeric', description: 'By letter' }
    const { body } = await offer({
      credentials: [{ credentialSupportedId: IDENTITY, payload: CLAIMS, disclosureFrame: FRAME, isRevocable: true }],
      preAuthorizedCodeFlowConfig: { authorizationServerUrl: acme.url, txCode },
      issuanceMetadata: { order: 7 },
    })
    expect(body.userPin).toMatch(/^[A-HJ-NP-Z2-9]{6}$/)
    const { issuanceSession: session } = body
    const uri = `${acme.url}/offers/${session.id}`
    expect(body.credentialOffer).toBe(`openid-credential-offer://?credential_offer_uri=${encodeURIComponent(uri)}`)
    expect(body.pageUrl).toBe(`${acme.url}/pages/${session.id}`)
    expect(session).toMatchObject({
      ...{ issuerId: acme.issuerId, state: 'OfferCreated', credentialOfferUri: uri, issuanceMetadata: { order: 7 } },
      credentials: [{ credentialConfigurationId: IDENTITY, claimNames: Object.keys(CLAIMS), isRevocable: true }],
    })
    const read = await readOffer(session)
    expect(read.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'application/json' })
    const content = read.body
    expect(content).toEqual({
      credential_issuer: acme.url,
      credential_configuration_ids: [IDENTITY],
      grants: {
        [GRANT_TYPE]: {
          'pre-authorized_code': expect.stringMatching(/^[\w-]{22}\.[\w-]{43}$/),
          tx_code: { ...txCode, input_mode: 'text' },
        },
      },
    })
    const byValue = new URL(body.credentialOfferByValue).searchParams.get('credential_offer')
    expect(JSON.parse(String(byValue))).toEqual(content)
    // It may be read again, without a token: it contains no PIN and no claim.
    expect((await readOffer(session)).body).toEqual(read.body)
    const now = await acme.now(session)
    expect(now.state).toBe('OfferUriRetrieved')
    for (const secret of [body.userPin, 'Erika', content.grants[GRANT_TYPE]['pre-authorized_code']])
      expect(JSON.stringify(now) + (secret === body.userPin ? JSON.stringify(read.body) : '')).not.toContain(secret)
    expect(JSON.stringify(read.body)).not.toContain('Erika')
  })

  test('is the same 404 when it is unknown, foreign, expired or taken', async () => {
    const { session, code } = await acme.offer()
    const expired = await acme.offer()
    await transaction(String(acme.caller.tenantId), async (unit) => {
      const stored = await unit.read(unit.tenant, 'OpenId4VcIssuanceSessionRecord', expired.session.id)
      const value = { ...stored?.value, expiresAt: new Date().toISOString() }
      await unit.update({ ...Object(stored), value })
    })
    const foreign = await readOffer(session, globex.issuerId)
    await acme.take({ session, code, pin: undefined, content: {} })
    const replies = [
      foreign,
      await readOffer(session),
      await readOffer(expired.session),
      await readOffer({ id: 'A'.repeat(22) }),
      await readOffer(session, randomUUID()),
    ]
    const problem = ({ status, body }: Json) => [status, body.statusCode]
    for (const reply of replies) expect(problem(reply)).toEqual([404, 404])
    const messages = replies.slice(0, 4).map(({ body }) => body.message)
    expect(new Set(messages).size).toBe(1)
  })

  test('has a new PIN each time', async () => {
    const pins = await Promise.all(Array.from({ length: 20 }, async () => (await acme.offer({ pin: true })).pin))
    for (const pin of pins) expect(pin).toMatch(/^\d{4}$/)
    expect(new Set(pins).size).toBeGreaterThan(15)
  })

  const big = (bytes: number) => ({ text: 'a'.repeat(bytes) })
  const later = Math.floor(Date.now() / 1000) + 86_400
  test.each<[string, object, string]>([
    ['an unknown configuration', { credentialSupportedId: 'none' }, 'credentialSupportedId'],
    ['a configuration by the name of a method', { credentialSupportedId: 'toString' }, 'credentialSupportedId'],
    ['another format', { format: 'mso_mdoc' }, 'format'],
    ['a DID as its signer', { signerOptions: { method: 'did', did: 'did:web:a' } }, 'signerOptions.method'],
    ['another type', { payload: { ...CLAIMS, vct: 'https://credentials.example/other' } }, 'payload.vct'],
    ['an end in the past', { payload: { exp: 1 } }, 'payload.exp'],
    ['an end as a text', { payload: { exp: String(later) } }, 'payload.exp'],
    ['an end after the certificate’s', { payload: { exp: later * 2 } }, 'payload.exp'],
    ['a claim that we set: iss', { payload: { iss: 'https://a.example' } }, 'payload.iss'],
    ['a claim that we set: iat', { payload: { iat: 1 } }, 'payload.iat'],
    ['a claim that we set: nbf', { payload: { nbf: 1 } }, 'payload.nbf'],
    ['a claim that we set: cnf', { payload: { cnf: {} } }, 'payload.cnf'],
    ['a claim that we set: status', { payload: { status: {} } }, 'payload.status'],
    ['a digest', { payload: { a: { _sd: ['x'] } } }, 'payload'],
    ['a digest of an element', { payload: { a: [{ '...': 'x' }] } }, 'payload'],
    ['an algorithm of digests', { payload: { _sd_alg: 'sha-256' } }, 'payload'],
    ['a prototype', { payload: JSON.parse('{"__proto__":{"a":1}}') }, 'payload'],
    ['an inner prototype', { payload: JSON.parse('{"a":{"__proto__":{"a":1}}}') }, 'payload.a'],
    ['a constructor, which would be lost', { payload: JSON.parse('{"constructor":1}') }, 'payload'],
    ['a frame of another claim', { disclosureFrame: { _sd: ['other'] } }, 'disclosureFrame'],
    ['a frame of a signed claim', { payload: { exp: later }, disclosureFrame: { _sd: ['exp'] } }, 'disclosureFrame'],
    ['too much', { payload: big(64 * 1024) }, 'payload'],
    ['too deep', { payload: { a: JSON.parse('['.repeat(40) + ']'.repeat(40)) } }, 'payload'],
    ['a chosen index in batches', { statusListDetails: { listId: 'l', index: 1 } }, 'statusListDetails'],
  ])('is not made with %s', async (_, credential, field) => {
    expect(detailOf(await offerOne(credential))).toEqual([422, `credentials.0.${field}`])
  })

  test('is not made for another server, or of one configuration twice, or of too much in all', async () => {
    const one = { credentialSupportedId: IDENTITY, payload: CLAIMS }
    expect(detailOf(await offer({ credentials: [one, one] }))).toEqual([422, 'credentials.1.credentialSupportedId'])
    const preAuthorizedCodeFlowConfig = { authorizationServerUrl: `${acme.url}.example` }
    expect(detailOf(await offer({ preAuthorizedCodeFlowConfig }))).toEqual([
      422,
      'preAuthorizedCodeFlowConfig.authorizationServerUrl',
    ])
    const ids = ['a', 'b', 'c', 'd']
    const configurations = Object.fromEntries(ids.map((id) => [id, unbound()]))
    const many = await useIssuer(stage, 'Many', {
      credentialConfigurationsSupported: configurations,
      batchCredentialIssuance: undefined,
    })
    const credentials = ids.map((id) => ({ credentialSupportedId: id, payload: big(52 * 1024) }))
    expect(detailOf(await offer({ credentials }, many))).toEqual([422, 'credentials'])
    expect((await offer({ credentials: credentials.slice(1) }, many)).status).toBe(200)
    const batch = await useIssuer(stage, 'Batch', { batchCredentialIssuance: { batchSize: 50 } })
    expect(detailOf(await offerOne({ payload: big(42 * 1024) }, batch))).toEqual([422, 'credentials.0.payload'])
    expect((await offerOne({ payload: big(40 * 1024) }, batch)).status).toBe(200)
    expect(detailOf(await offer({ issuanceMetadata: big(16 * 1024) }))).toEqual([422, 'issuanceMetadata'])
  })

  test('has only claims that its configuration lists, if it lists any', async () => {
    const paths = [['given_name'], ['address', 'locality'], ['nationalities', null], ['degrees', 0, 'name'], ['all']]
    const claims = paths.map((path) => ({ path }))
    const credentialConfigurationsSupported = { [IDENTITY]: bound({ credential_metadata: { claims } }) }
    const issuer = await useIssuer(stage, 'Listed', { credentialConfigurationsSupported })
    const pathOf = async (payload: object) => detailOf(await offerOne({ payload }, issuer)).at(1)
    const listed = { given_name: 'a', address: { locality: 'b' }, nationalities: ['c'], all: { of: [1] }, exp: later }
    expect(await pathOf({ ...listed, vct: 'https://credentials.example/identity' })).toBeUndefined()
    expect(await pathOf({ family_name: 'a' })).toBe('credentials.0.payload.family_name')
    expect(await pathOf({ address: { locality: 'a', zip: 1 } })).toBe('credentials.0.payload.address.zip')
    expect(await pathOf({ address: 'a' })).toBe('credentials.0.payload.address')
    expect(await pathOf({ degrees: [{ name: 'a' }, { name: 'b' }] })).toBe('credentials.0.payload.degrees.1')
  })

  test('is signed by a certificate of its tenant that lives as long', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString()
    const validity = { notAfter: soon }
    const { keyId, publicCertificateBase64 } = await acme.done('createCertificate', {
      body: { issuer: 'CN=Soon', validity },
    })
    const signerOptions = { method: 'x5c', x5c: [publicCertificateBase64] }
    expect(detailOf(await offerOne({ signerOptions }, acme, { expiresIn: 86_400 }))).toEqual([
      422,
      'credentials.0.signerOptions',
    ])
    expect((await offerOne({ signerOptions }, acme, { expiresIn: 60 })).status).toBe(200)
    // The certificate has signed.
    expect(await statusOf('deleteCertificate', { path: { certificateId: keyId } })).toBe(409)
    const gone = await acme.done('createCertificate', { body: { issuer: 'CN=Gone' } })
    await acme.done('deleteCertificate', { path: { certificateId: gone.keyId } })
    const x5c = [gone.publicCertificateBase64]
    expect(detailOf(await offerOne({ signerOptions: { method: 'x5c', x5c } }))).toEqual([
      422,
      'credentials.0.signerOptions.x5c',
    ])
  })

  test('takes a chosen index of a status list once', async () => {
    const statusListDetails = { listId: 'mine', index: 7, listSize: 131_072 }
    const payload = { ...CLAIMS, exp: Math.floor(Date.now() / 1000) + 86_400 }
    expect((await offerOne({ statusListDetails, payload }, globex)).status).toBe(200)
    expect((await offerOne({ statusListDetails }, globex)).status).toBe(409)
    expect((await offerOne({ statusListDetails: { ...statusListDetails, index: 8 } }, globex)).status).toBe(200)
  })

  test('takes few write units', async () => {
    const payload = { ...CLAIMS, more: 'x'.repeat(900) }
    const consumed = new ConsumedUnits(stage.serviceClient)
    const { units } = await consumed.during(() => offerOne({ payload, disclosureFrame: FRAME }))
    expect(units.write).toBeLessThanOrEqual(6)
  })
})

describe('an issuance session', () => {
  test('is listed, the newest first, by issuer and state', async () => {
    const issuer = await useIssuer(stage, 'Vandelay')
    const { issuerId: other } = await newIssuer({ certificateId: issuer.certificateId }, issuer)
    const first = (await issuer.offer()).session
    const second = (await issuer.offer({ publicIssuerId: other })).session
    await issuer.open('getCredentialOffer', { path: { issuerId: other, issuanceSessionId: second.id } })
    const idsOf = async (query: object) =>
      (await issuer.done('getIssuanceSessions', { query })).map(({ id }: Json) => id)
    expect(await idsOf({})).toEqual([second.id, first.id])
    expect(await idsOf({ publicIssuerId: issuer.issuerId })).toEqual([first.id])
    expect(await idsOf({ state: 'OfferUriRetrieved' })).toEqual([second.id])
    expect(await idsOf({ state: 'Completed' })).toEqual([])
  })

  test("keeps the tenant's own fields, and nothing else changes", async () => {
    const { session } = await acme.offer({ issuanceMetadata: { order: 7, by: 'a' } })
    const path = { issuanceSessionId: session.id }
    const updated = await acme.done('updateIssuanceSession', { path, body: { order: 8, state: 'Completed' } })
    const issuanceMetadata = { order: 8, by: 'a', state: 'Completed' }
    expect(updated).toEqual({ ...session, issuanceMetadata, updatedAt: updated.updatedAt })
    expect(await acme.now(session)).toEqual(updated)
    const body = { text: 'a'.repeat(16 * 1024) }
    expect(detailOf(await acme.call('updateIssuanceSession', { path, body }))).toEqual([422, 'issuanceMetadata'])
  })

  test('is deleted with its claims, and its offer ends', async () => {
    const { session } = await acme.offer()
    const claimsOf = () => transaction(String(acme.caller.tenantId), (unit) => loadClaims(unit, session.id))
    expect(await claimsOf()).toEqual([{ payload: CLAIMS, disclosureFrame: FRAME }])
    const path = { issuanceSessionId: session.id }
    expect(await statusOf('deleteIssuanceSession', { path })).toBe(204)
    expect(await claimsOf()).toBeUndefined()
    expect((await readOffer(session)).status).toBe(404)
    expect(await statusOf('getIssuanceSessionById', { path })).toBe(404)
    expect(await statusOf('deleteIssuanceSession', { path })).toBe(404)
  })
})
