/**
 * Tenant isolation over HTTP, with real tokens at the gateway's authorizer: each pair of agents tries some operations of each kind, and nothing
 * of the other shows in the answer. That every operation keeps to this is in test/attacks/isolation.test.ts.
 */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/api/client.ts'
import type { Party } from '../support/api/party.ts'
import { acme, api, base, expectError, globex, tokens } from '../support/api/scene.ts'
import { offerBody, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

interface Attempt {
  method: 'GET' | 'POST'
  path: string
  body?: object
}

/** A value that is in no table, in the place of one that is. */
type Replace = (id: string) => string

const url = 'https://attacker.example/hook'
const ofTenant = ({ tenantId }: Party): string => tenantId ?? 'base'

const NOT_FOUND: [string, (theirs: Party, named: Replace) => Attempt][] = [
  [
    'GetCredentialById',
    (theirs, named) => ({ method: 'GET', path: `/credentials/${named(theirs.credentialRecordId)}` }),
  ],
  ['GetConnectionById', (theirs, named) => ({ method: 'GET', path: `/connections/${named(theirs.connectionId)}` })],
  [
    'SendMessage',
    (theirs, named) => ({
      method: 'POST',
      path: `/basic-messages/${named(theirs.connectionId)}`,
      body: { content: 'from a stranger' },
    }),
  ],
  [
    'CreateOffer',
    (theirs, named) => ({
      method: 'POST',
      path: '/credentials/create-offer',
      body: offerBody(named(theirs.connectionId), 'did:example:1'),
    }),
  ],
]

const IN_MY_TENANT: [string, (theirs: Party, mine: Party, named: Replace) => Attempt][] = [
  [
    'tenant_GetBasicMessages',
    (theirs, mine, named) => ({
      method: 'GET',
      path: `/multi-tenancy/basic-messages/${named(theirs.connectionId)}/${ofTenant(mine)}`,
    }),
  ],
  [
    'tenant_ProofFormData',
    (theirs, mine, named) => ({
      method: 'GET',
      path: `/multi-tenancy/form-data/${ofTenant(mine)}/${named(theirs.proofRecordId)}`,
    }),
  ],
]

const IN_THEIR_TENANT: [string, (theirs: Party, named: Replace) => Attempt][] = [
  [
    'tenant_GetBasicMessages',
    (theirs, named) => ({
      method: 'GET',
      path: `/multi-tenancy/basic-messages/${named(theirs.connectionId)}/${named(ofTenant(theirs))}`,
    }),
  ],
  [
    'tenant_ProofFormData',
    (theirs, named) => ({
      method: 'GET',
      path: `/multi-tenancy/form-data/${named(ofTenant(theirs))}/${named(theirs.proofRecordId)}`,
    }),
  ],
  [
    'RegisterNotificationWebhook',
    (theirs, named) => ({
      method: 'POST',
      path: '/notification/register/webhook-endpoint',
      body: { orgId: named(theirs.orgId), notificationWebhook: url },
    }),
  ],
  [
    'RegisterWebhook',
    (theirs, named) => ({
      method: 'POST',
      path: `/webhooks/orgs/${named(theirs.orgId)}/register`,
      body: { webhookUrl: url },
    }),
  ],
]

/** Who tries, and on whom. */
const BETWEEN_TENANTS: [string, Party, Party][] = [
  ['acme → globex', acme, globex],
  ['globex → acme', globex, acme],
]
const FROM_TENANTS: [string, Party, Party][] = [
  ...BETWEEN_TENANTS,
  ['acme → the base agent', acme, base],
  ['globex → the base agent', globex, base],
]
const ALL: [string, Party, Party][] = [
  ...FROM_TENANTS,
  ['the base agent → acme', base, acme],
  ['the base agent → globex', base, globex],
  ['the base agent, with tenants → acme', { ...base, ownerToken: tokens.rootWithTenants }, acme],
]

const same: Replace = (id) => id
const unknown: Replace = () => randomUUID()

const attempt = ({ method, path, body }: Attempt, { ownerToken }: Party) =>
  api.ask(method, path, { token: ownerToken, body })

/** Everything by which a party can be known. */
const marksOf = (party: Party): string[] => [
  ...(party.tenantId === undefined ? [] : [party.tenantId, party.label]),
  party.connectionId,
  party.silentConnectionId,
  party.theirDid,
  party.outOfBandId,
  party.credentialRecordId,
  party.proofRecordId,
  party.issuerDid,
  party.invitationDid,
  party.recipientKey,
  ...party.contents,
]

/** Expects that the answer shows nothing of theirs, not even what the caller knew. */
const expectNoTrace = ({ text, headers }: Answer, theirs: Party): void => {
  const shown = text + JSON.stringify(headers)
  for (const mark of marksOf(theirs)) expect(shown).not.toContain(mark)
}

describe.each(ALL)('%s', (_, mine, theirs) => {
  test.each(NOT_FOUND)('%s: 404, as for what does not exist', async (_, make) => {
    const answer = await attempt(make(theirs, same), mine)
    expect(answer.status).toBe(404)
    expectNoTrace(answer, theirs)
    expect((await attempt(make(theirs, unknown), mine)).text).toBe(answer.text)
  })

  test('GetConnections: an empty list, whatever the filter', async () => {
    for (const query of [`outOfBandId=${theirs.outOfBandId}`, `theirDid=${theirs.theirDid}`]) {
      const answer = await api.get(`/connections?${query}`, { token: mine.ownerToken })
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: [] })
      expectNoTrace(answer, theirs)
    }
  })

  test.each([
    ['invitationDid', theirs.invitationDid],
    ['recipientKey', theirs.recipientKey],
  ])('CreateRequest: their %s is not mine, 422', async (field, value) => {
    const body = { ...requestBody, [field]: value }
    const answer = await attempt({ method: 'POST', path: '/proofs/create-request-oob', body }, mine)
    expect({ status: answer.status, fields: answer.body.details?.map(({ path }: Json) => path) }).toEqual({
      status: 422,
      fields: [field],
    })
    expectNoTrace(answer, theirs)
  })

  test('CreateOffer: nobody issues in their name, 422', async () => {
    const offer = offerBody(mine.connectionId, 'did:example:1')
    Object.assign(offer.credentialFormats.jsonld.credential, { issuer: theirs.issuerDid })
    const answer = await attempt({ method: 'POST', path: '/credentials/create-offer', body: offer }, mine)
    expect(answer.status).toBe(422)
    expectNoTrace(answer, theirs)
  })
})

describe.each(FROM_TENANTS)('%s', (_, mine, theirs) => {
  test.each(IN_MY_TENANT)('%s in my own tenant: 404, as for what does not exist', async (_, make) => {
    const answer = await attempt(make(theirs, mine, same), mine)
    expect(answer.status).toBe(404)
    expectNoTrace(answer, theirs)
    expect((await attempt(make(theirs, mine, unknown), mine)).text).toBe(answer.text)
  })

  test.each(IN_THEIR_TENANT)('%s in theirs: 403, as for one that does not exist', async (_, make) => {
    for (const named of [same, unknown]) {
      const answer = await attempt(make(theirs, named), mine)
      expectError(answer, 403)
      expectNoTrace(answer, theirs)
    }
  })

  test('CreateTenant: 403', async () => {
    const body = { config: { label: 'mine' }, orgId: theirs.orgId }
    expectError(await attempt({ method: 'POST', path: '/multi-tenancy/create-tenant', body }, mine), 403)
  })
})

describe('a root token without tenants names none, and no organization of one', () => {
  test.each(IN_THEIR_TENANT)('%s: 403', async (_, make) => {
    for (const named of [same, unknown]) {
      const answer = await attempt(make(acme, named), { ...base, ownerToken: tokens.root })
      expectError(answer, 403)
      expectNoTrace(answer, acme)
    }
  })
})

describe('a root token with tenants names any, but each record in its own', () => {
  const root = { ...base, ownerToken: tokens.rootWithTenants }

  test.each(BETWEEN_TENANTS)('%s', async (_, mine, theirs) => {
    for (const [, make] of IN_MY_TENANT) {
      expect((await attempt(make(mine, mine, same), root)).status).toBe(200)
      const answer = await attempt(make(theirs, mine, same), root)
      expect(answer.status).toBe(404)
      expectNoTrace(answer, theirs)
    }
  })
})

test('after all of it, nothing of the strangers is there', async () => {
  const path = `/multi-tenancy/basic-messages/${globex.connectionId}/${globex.tenantId}`
  const { body: messages } = await api.get(path, { token: globex.token })
  expect(messages.map(({ content }: Json) => content)).toEqual(globex.contents)
  const { body: connections } = await api.get('/connections', { token: globex.token })
  expect(connections).toHaveLength(3)
})
