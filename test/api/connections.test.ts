/** The commands on connections over HTTP: each function in a separate process, as on Lambda. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Answer } from '../support/api/client.ts'
import { expectExample } from '../support/api/example.ts'
import { api, expectError, expectInvalid, tokens, tokenWith } from '../support/api/scene.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

/** Two tenants, which no other test uses. */
let inviter: string
let invitee: string

const newTenant = async (label: string): Promise<string> => {
  const { body } = await api.post('/multi-tenancy/create-tenant', {
    token: tokens.rootWithTenants,
    body: { config: { label } },
  })
  return tokenWith({ role: 'RestTenantAgent', tenantId: body.id })
}
beforeAll(async () => {
  inviter = await newTenant('Acme')
  invitee = await newTenant('Globex')
})

const post = (path: string, token: string, body: object = {}): Promise<Answer> => api.post(path, { token, body })

/** A connection of a tenant that came of an invitation, as soon as it is in this state. */
const connectionIn = (state: string, outOfBandId: string, token: string): Promise<Json> =>
  waitFor(`a connection that is ${state}`, async () => {
    const { body } = await api.get(`/connections?outOfBandId=${outOfBandId}`, { token })
    return body[0]?.state === state && body[0]
  })

/** One invites and the other takes it. Resolves to their out-of-band records. */
const meet = async ({ invitation = {}, receipt = {} }: { invitation?: object; receipt?: object }) => {
  const { body: invited } = await post('/oob/create-invitation', inviter, invitation)
  const { invitationUrl } = invited
  const { body: received } = await post('/oob/receive-invitation-url', invitee, { invitationUrl, ...receipt })
  return { ours: invited.outOfBandRecord.id as string, theirs: received.outOfBandRecord.id as string }
}

const connected = async () => {
  const { ours, theirs } = await meet({})
  const { id: theirId } = await connectionIn('completed', theirs, invitee)
  const { id } = await connectionIn('completed', ours, inviter)
  return { id: id as string, theirId: theirId as string }
}

test('AcceptConnectionRequest answers the connection, and the other agent completes it', async () => {
  const { ours, theirs } = await meet({ invitation: { autoAcceptConnection: false } })
  const { id } = await connectionIn('request-received', ours, inviter)
  const answer = await api.post(`/connections/${id}/accept-request`, { token: inviter })
  expect(answer).toMatchObject({ status: 200, body: { id, state: 'response-sent', _tags: { state: 'response-sent' } } })
  await expectExample(answer)
  await connectionIn('completed', theirs, invitee)
  await connectionIn('completed', ours, inviter)
  expectError(await post(`/connections/${id}/accept-request`, inviter), 409, {
    message: 'the connection is not waiting for this: its state is completed',
  })
})

test('AcceptConnectionResponse answers the connection, which it completes', async () => {
  const { ours, theirs } = await meet({ receipt: { autoAcceptConnection: false } })
  const { id } = await connectionIn('response-received', theirs, invitee)
  const answer = await api.post(`/connections/${id}/accept-response`, { token: invitee })
  expect(answer).toMatchObject({ status: 200, body: { id, state: 'completed' } })
  await expectExample(answer)
  await connectionIn('completed', ours, inviter)
})

describe('SendPing', () => {
  test('answers the connection', async () => {
    const { id } = await connected()
    const answer = await post(`/connections/${id}/send-ping`, inviter, { comment: 'Are you there?' })
    expect(answer).toMatchObject({ status: 200, body: { id, state: 'completed' } })
    await expectExample(answer)
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await api.post(`/connections/${id}/send-ping`, { token: inviter, headers })).status).toBe(200)
  })

  test('names every field that is wrong', async () => {
    const body = { comment: '', responseRequested: 'yes', withReturnRouting: true }
    expectInvalid(await post('/connections/any/send-ping', inviter, body), Object.keys(body))
  })
})

test('DeleteConnection answers nothing, and the connection of the other agent is abandoned', async () => {
  const { id, theirId } = await connected()
  const { status, text } = await api.delete(`/connections/${id}`, { token: inviter })
  expect({ status, text }).toEqual({ status: 204, text: '' })
  expectError(await api.get(`/connections/${id}`, { token: inviter }), 404, { message: 'there is no such record' })
  const ended = await waitFor('the hang-up', async () => {
    const { body: theirs } = await api.get(`/connections/${theirId}`, { token: invitee })
    return theirs.state === 'abandoned' && theirs
  })
  expect(ended).not.toHaveProperty('theirDid')
  expectError(await post(`/basic-messages/${theirId}`, invitee, { content: 'hello?' }), 409, {
    message: 'the connection is not ready: its state is abandoned',
  })
})
