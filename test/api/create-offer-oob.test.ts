/** CreateOfferOob over HTTP. */
import { describe, expect, test } from 'vitest'
import { expectExample } from '../support/api/example.ts'
import { acme, api, expectInvalid, globex, tokens } from '../support/api/scene.ts'
import { offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'

const path = '/credentials/create-offer-oob'
const { token } = acme
const subject = 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
const { credentialFormats } = offerBody(acme.connectionId, subject)
const valid = { protocolVersion: 'v2', credentialFormats }

const offer = (body: object, as = token) => api.post(path, { token: as, body })

const offerIn = ({ invitation }: Json): Json => {
  const [attachment] = invitation['requests~attach']
  return JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString())
}

test('answers an invitation that carries the offer, whose exchange GetCredentialById then shows', async () => {
  const answer = await offer({ ...valid, label: 'Acme University', goalCode: 'issue-vc', comment: 'Your degree' })
  expect(answer.status).toBe(200)
  const { body } = answer
  expect(Object.keys(body).sort()).toEqual([
    'credentialRecordId',
    'credentialRecordThId',
    'credentialRequestThId',
    'invitation',
    'invitationDid',
    'invitationUrl',
    'outOfBandRecord',
    'outOfBandRecordId',
    'shortInvitationUrl',
  ])
  expect(body.invitation).toMatchObject({
    label: 'Acme University',
    goal_code: 'issue-vc',
    messageType: body.invitation['@type'],
  })
  expect(body.outOfBandRecordId).toBe(body.outOfBandRecord.id)
  expect(body.credentialRecordThId).toBe(body.credentialRequestThId)
  expect(offerIn(body)).toMatchObject({
    '~thread': { thid: body.credentialRequestThId, pthid: body.invitation['@id'] },
    comment: 'Your degree',
    goal_code: 'issue-vc',
  })
  const { body: exchange } = await api.get(`/credentials/${body.credentialRecordId}`, { token })
  expect(exchange).toMatchObject({ state: 'offer-sent', threadId: body.credentialRequestThId })
  expect(exchange).not.toHaveProperty('connectionId')
  await expectExample(answer)
})

test('accepts additional fields of clients of other agents, without effect', async () => {
  const { status, body } = await offer({ ...valid, willConfirm: true, parentThreadId: 'parent-thread' })
  expect(status).toBe(200)
  expect(offerIn(body)['~thread'].pthid).toBe('parent-thread')
  expect((await api.get(`/credentials/${body.credentialRecordId}`, { token })).body.parentThreadId).toBe(
    'parent-thread',
  )
})

test('offers as the agent that the token acts for', async () => {
  const { body } = await offer(valid, tokens.rootWithTenants)
  expect((await api.get(`/credentials/${body.credentialRecordId}`, { token })).status).toBe(404)
  expect((await api.get(`/credentials/${body.credentialRecordId}`, { token: tokens.rootWithTenants })).status).toBe(200)
})

describe('the invitation is by a DID of this agent', () => {
  test('that the caller names', async () => {
    const { status, body } = await offer({ ...valid, invitationDid: acme.invitationDid })
    expect({ status, did: body.invitationDid }).toEqual({ status: 200, did: acme.invitationDid })
  })

  test.each([
    ["another tenant's DID", { invitationDid: globex.invitationDid }, 'invitationDid'],
    ["another tenant's key", { recipientKey: globex.recipientKey }, 'recipientKey'],
    [
      'a key of another DID of the tenant',
      { invitationDid: acme.issuerDid, recipientKey: acme.recipientKey },
      'recipientKey',
    ],
  ])('and not by %s: 422', async (_, more, field) => {
    const { status, body } = await offer({ ...valid, ...more })
    expect({ status, fields: body.details?.map((detail: Json) => detail.path) }).toEqual({
      status: 422,
      fields: [field],
    })
  })
})

describe('names every field that is wrong', () => {
  test.each<[object, string[]]>([
    [{}, ['protocolVersion', 'credentialFormats']],
    [{ ...valid, connectionId: acme.connectionId }, ['connectionId']],
    [{ ...valid, protocolVersion: 'v1' }, ['credentialFormats']],
    [{ ...valid, imageUrl: 'x', label: '' }, ['imageUrl', 'label']],
    [{ ...valid, parentThreadId: 'x', willConfirm: 1 }, ['parentThreadId', 'willConfirm']],
  ])('%j', async (body, fields) => {
    expectInvalid(await offer(body), fields)
  })
})
