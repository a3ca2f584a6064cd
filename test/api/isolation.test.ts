/**
 * Tenant isolation over HTTP, with real tokens at the gateway's authorizer: nothing of another agent shows in the answer. That every operation
 * keeps to this is in test/attacks/isolation.test.ts, who may name a tenant or an organization in test/unit/auth.
 */
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/api/client.ts'
import type { Party } from '../support/api/party.ts'
import { acme, api, base, expectError, globex, tokens } from '../support/api/scene.ts'
import { offerBody, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

/** Who tries, and on whom. */
const ALL: [string, Party, Party][] = [
  ['acme → globex', acme, globex],
  ['acme → the base agent', acme, base],
  ['the base agent → acme', base, acme],
  ['the base agent, with tenants → acme', { ...base, ownerToken: tokens.rootWithTenants }, acme],
]

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

const messagesOf = ({ connectionId }: Party, { tenantId }: Party) =>
  `/multi-tenancy/basic-messages/${connectionId}/${tenantId}`
const formDataOf = ({ proofRecordId }: Party, { tenantId }: Party) =>
  `/multi-tenancy/form-data/${tenantId}/${proofRecordId}`

describe.each(ALL)('%s', (_, mine, theirs) => {
  const token = mine.ownerToken

  test('a connection of theirs: 404, as for what does not exist', async () => {
    const ask = (connectionId: string) => api.get(`/connections/${connectionId}`, { token })
    const answer = await ask(theirs.connectionId)
    expect(answer.status).toBe(404)
    expectNoTrace(answer, theirs)
    expect((await ask(randomUUID())).text).toBe(answer.text)
  })

  test('GetConnections: an empty list, whatever the filter', async () => {
    for (const query of [`outOfBandId=${theirs.outOfBandId}`, `theirDid=${theirs.theirDid}`]) {
      const answer = await api.get(`/connections?${query}`, { token })
      expect({ status: answer.status, body: answer.body }).toEqual({ status: 200, body: [] })
      expectNoTrace(answer, theirs)
    }
  })

  test.each([
    ['invitationDid', theirs.invitationDid],
    ['recipientKey', theirs.recipientKey],
  ])('CreateRequest: their %s is not mine, 422', async (field, value) => {
    const answer = await api.post('/proofs/create-request-oob', { token, body: { ...requestBody, [field]: value } })
    expect({ status: answer.status, fields: answer.body.details?.map(({ path }: Json) => path) }).toEqual({
      status: 422,
      fields: [field],
    })
    expectNoTrace(answer, theirs)
  })

  test('CreateOffer: nobody issues in their name, 422', async () => {
    const body = offerBody(mine.connectionId, 'did:example:1')
    Object.assign(body.credentialFormats.jsonld.credential, { issuer: theirs.issuerDid })
    const answer = await api.post('/credentials/create-offer', { token, body })
    expect(answer.status).toBe(422)
    expectNoTrace(answer, theirs)
  })
})

test.each([messagesOf, formDataOf])('in theirs: 403; with tenants: each record in its own', async (pathOf) => {
  for (const token of [acme.ownerToken, tokens.root]) expectError(await api.get(pathOf(globex, globex), { token }), 403)
  const token = tokens.rootWithTenants
  expect((await api.get(pathOf(globex, globex), { token })).status).toBe(200)
  const answer = await api.get(pathOf(globex, acme), { token })
  expect(answer.status).toBe(404)
  expectNoTrace(answer, globex)
})

test('after all of it, nothing of the strangers is there', async () => {
  const { body: messages } = await api.get(messagesOf(globex, globex), { token: globex.token })
  expect(messages.map(({ content }: Json) => content)).toEqual(globex.contents)
  const { body: connections } = await api.get('/connections', { token: globex.token })
  expect(connections).toHaveLength(3)
})
