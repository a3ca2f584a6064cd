/** The steps of credential exchanges over HTTP, between two tenants: their examples, and what their bodies may not be. */
import { beforeAll, describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { api, expectInvalid, expectMalformed, globex, tokens, tokenWith } from '../support/api/scene.ts'
import { offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

const SUBJECT = 'did:key:z6MkpTHR8VNsBxYAAWHut2Geadd9jSwuBV8xRoAnwWsdvktH'

interface Tenant {
  token: string
  connectionId: string
}

let issuer: Tenant
let holder: Tenant

const newToken = async (label: string): Promise<string> => {
  const body = { config: { label } }
  const { body: tenant } = await api.post('/multi-tenancy/create-tenant', { token: tokens.rootWithTenants, body })
  return tokenWith({ role: 'RestTenantAgent', tenantId: tenant.id })
}

const completed = (token: string, outOfBandId: string): Promise<Json> =>
  waitFor('the connection to be completed', async () => {
    const { body } = await api.get(`/connections?outOfBandId=${outOfBandId}&state=completed`, { token })
    return body[0]
  })

beforeAll(async () => {
  const [inviter, invitee] = [await newToken('Issuer'), await newToken('Holder')]
  const { body: invited } = await api.post('/oob/create-invitation', { token: inviter, body: {} })
  const { invitationUrl } = invited
  const { body: taken } = await api.post('/oob/receive-invitation-url', { token: invitee, body: { invitationUrl } })
  holder = { token: invitee, connectionId: (await completed(invitee, taken.outOfBandRecord.id)).id }
  issuer = { token: inviter, connectionId: (await completed(inviter, invited.outOfBandRecord.id)).id }
})

const exchangeIn = ({ token }: Tenant, threadId: string, state: string): Promise<Json> =>
  waitFor(`the exchange to be ${state}`, async () => {
    const { body } = await api.get(`/credentials?threadId=${threadId}&state=${state}`, { token })
    return body[0]
  })

const take = async ({ token }: Tenant, step: string, body: object): Promise<Json> => {
  const answer = await api.post(`/credentials/${step}`, { token, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  await expectExample(answer)
  return answer.body
}

const read = async ({ token }: Tenant, path: string): Promise<Json> => {
  const answer = await api.get(path, { token })
  expect(answer.status).toBe(200)
  await expectExample(answer)
  return answer.body
}

const never = { autoAcceptCredential: 'never' }

test('a proposal becomes a credential, by a call for each step', async () => {
  const { protocolVersion, credentialFormats } = offerBody('', SUBJECT)
  const proposal = { connectionId: holder.connectionId, protocolVersion, credentialFormats, comment: 'My degree' }
  const { id: heldId, threadId } = await take(holder, 'propose-credential', { ...proposal, ...never })
  const { id } = await exchangeIn(issuer, threadId, 'proposal-received')
  await take(issuer, 'accept-proposal', { credentialRecordId: id, ...never })
  await exchangeIn(holder, threadId, 'offer-received')
  await take(holder, 'accept-offer', { credentialRecordId: heldId })
  await exchangeIn(issuer, threadId, 'request-received')
  await take(issuer, 'accept-request', { credentialRecordId: id })
  const { credentials } = await exchangeIn(holder, threadId, 'credential-received')
  await take(holder, 'accept-credential', { credentialRecordId: heldId })
  await exchangeIn(issuer, threadId, 'done')

  const data = await read(holder, `/credentials/${heldId}/form-data`)
  expect(Object.keys(data)).toEqual(['offerAttributes', 'proposal', 'offer', 'request', 'credential'])
  await read(holder, `/credentials/w3c/${credentials[0].credentialRecordId}`)
  expect(await read(holder, '/credentials/w3c?limit=10')).toHaveLength(1)
  expect(await read(holder, `/credentials?connectionId=${holder.connectionId}&role=holder&limit=10`)).toHaveLength(1)
})

test('an offer is declined', async () => {
  const body = offerBody(issuer.connectionId, SUBJECT)
  const { body: offer } = await api.post('/credentials/create-offer', { token: issuer.token, body })
  const { id } = await exchangeIn(holder, offer.threadId, 'offer-received')
  await take(holder, 'decline-offer', { credentialRecordId: id, problemReportDescription: 'This is not my degree' })
  await exchangeIn(issuer, offer.threadId, 'abandoned')
})

test.each([
  ['/credentials?state=open', ['state']],
  ['/credentials?role=owner&limit=0', ['role', 'limit']],
  ['/credentials?threadId=a%20b', ['threadId']],
  ['/credentials?connectionId=a%2Fb', ['connectionId']],
  ['/credentials/w3c?order=newest', ['order']],
])('%s is a 400', async (path, fields) => {
  expectMalformed(await api.get(path, { token: globex.token }), 'query', fields)
})

describe('names every field that is wrong', () => {
  const credentialRecordId = 'an-exchange'
  test.each<[string, object, string[]]>([
    ['accept-offer', {}, ['credentialRecordId']],
    ['accept-offer', { credentialRecordId: 'a/b', more: 1 }, ['credentialRecordId', 'more']],
    ['accept-offer', { credentialRecordId, autoAcceptCredential: 'yes' }, ['autoAcceptCredential']],
    ['accept-offer', { credentialRecordId, comment: 'x'.repeat(2_001) }, ['comment']],
    [
      'accept-offer',
      { credentialRecordId, credentialFormats: { anoncreds: { linkSecretId: 'mine' }, jsonld: { a: 1 }, ldp: {} } },
      ['credentialFormats.anoncreds.linkSecretId', 'credentialFormats.jsonld.a', 'credentialFormats.ldp'],
    ],
    ['decline-offer', { credentialRecordId, sendProblemReport: 'no' }, ['sendProblemReport']],
    ['decline-offer', { credentialRecordId, problemReportDescription: '' }, ['problemReportDescription']],
    [
      'accept-request',
      { credentialRecordId, credentialFormats: { jsonld: { verificationMethod: 1 } } },
      ['credentialFormats.jsonld.verificationMethod'],
    ],
    ['accept-credential', { credentialRecordId: '', comment: 'c' }, ['credentialRecordId', 'comment']],
    [
      'accept-proposal',
      { credentialRecordId, credentialFormats: { indy: { credentialDefinitionId: 'd', attributes: [] } } },
      ['credentialFormats.indy.credentialDefinitionId', 'credentialFormats.indy.attributes'],
    ],
    ['propose-credential', {}, ['connectionId', 'protocolVersion', 'credentialFormats']],
    [
      'propose-credential',
      { connectionId: 'c', protocolVersion: 'v1', credentialFormats: { anoncreds: {} } },
      ['credentialFormats'],
    ],
    [
      'propose-credential',
      { connectionId: 'c', protocolVersion: 'v2', credentialFormats: { indy: { schemaIssuerId: 's', schemaId: 1 } } },
      ['credentialFormats.indy.schemaIssuerId', 'credentialFormats.indy.schemaId'],
    ],
    ...['v1', 'v2'].map((protocolVersion): [string, object, string[]] => [
      'propose-credential',
      {
        ...{ connectionId: 'c', protocolVersion },
        credentialFormats: {
          indy: {
            ...{ schemaId: 'did:web:a/s', schemaVersion: '1.x', schemaIssuerDid: 'did:web:a', issuerDid: 'a' },
            ...{ credentialDefinitionId: 'did:web:a/d', attributes: [{ name: 'a', value: 'b', mimeType: 'png' }] },
          },
        },
      },
      [
        'schemaId',
        'schemaVersion',
        'schemaIssuerDid',
        'issuerDid',
        'credentialDefinitionId',
        'attributes.0.mimeType',
      ].map((field) => `credentialFormats.indy.${field}`),
    ]),
  ])('%s %j', async (step, body, fields) => {
    expectInvalid(await api.post(`/credentials/${step}`, { token: globex.token, body }), fields)
  })
})

test('a proposal that leaves out what an offer has is accepted with it only', async () => {
  const proposal = { connectionId: holder.connectionId, protocolVersion: 'v2', credentialFormats: { anoncreds: {} } }
  const { body: proposed } = await api.post('/credentials/propose-credential', { token: holder.token, body: proposal })
  const { id: credentialRecordId } = await exchangeIn(issuer, proposed.threadId, 'proposal-received')
  const answer = await api.post('/credentials/accept-proposal', { token: issuer.token, body: { credentialRecordId } })
  expect(answer).toMatchObject({
    status: 422,
    body: {
      message: 'the resulting offer does not match its schema',
      details: ['credentialDefinitionId', 'attributes'].map((field) => ({
        path: `credentialFormats.anoncreds.${field}`,
        message: 'is required',
      })),
    },
  })
})
