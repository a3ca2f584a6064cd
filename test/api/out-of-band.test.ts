/** The operations on invitations over HTTP: each function in a separate process, as on Lambda. */
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/api/client.ts'
import { expectExample } from '../support/api/example.ts'
import { followPages } from '../support/api/pages.ts'
import { acme, api, expectError, expectInvalid, globex, tokens, tokenWith, world } from '../support/api/scene.ts'
import { requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { waitFor } from '../wallet/wait.ts'

const { token } = acme
const post = (path: string, body: object = {}, as = token): Promise<Answer> => api.post(path, { token: as, body })
const get = (path: string, as = token): Promise<Answer> => api.get(path, { token: as })
/** A token of a tenant that has nothing yet. */
const newTenant = async (label: string): Promise<string> => {
  const { body } = await post('/multi-tenancy/create-tenant', { config: { label } }, tokens.rootWithTenants)
  return tokenWith({ role: 'RestTenantAgent', tenantId: body.id })
}
const invite = async (body: object = {}, as = token): Promise<Json> =>
  (await post('/oob/create-invitation', body, as)).body

describe('CreateInvitation', () => {
  test('answers an invitation with its record, by its long and its short address', async () => {
    const answer = await post('/oob/create-invitation', {
      ...{ label: 'Initech', alias: 'Customers', goal: 'To do business', goalCode: 'connect' },
      ...{ imageUrl: 'https://initech.example/l.png', multiUseInvitation: true, autoAcceptConnection: true },
    })
    const { status, body } = answer
    expect(status).toBe(200)
    expect(body.invitation).toMatchObject({
      ...{ label: 'Initech', goal: 'To do business', goal_code: 'connect', imageUrl: 'https://initech.example/l.png' },
      services: [body.invitationDid],
      messageType: body.invitation['@type'],
    })
    expect(body.outOfBandRecord).toMatchObject({ alias: 'Customers', reusable: true, state: 'await-response' })
    expect(body.shortInvitationUrl).toBe(`${world.baseUrl}/url/${body.invitation['@id']}`)
    await expectExample(answer)
  })

  test.each([
    ['no body', {}],
    ['an empty body of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('takes %s', async (_, headers) => {
    const answer = await api.post('/oob/create-invitation', { token, headers })
    expect(answer).toMatchObject({ status: 200, body: { invitation: { label: acme.label } } })
  })

  test('is by a DID of this agent that names a service', async () => {
    const { invitationDid } = await invite({ invitationDid: acme.invitationDid })
    expect(invitationDid).toBe(acme.invitationDid)
    for (const did of [globex.invitationDid, acme.issuerDid])
      expect(await post('/oob/create-invitation', { invitationDid: did })).toMatchObject({
        status: 422,
        body: { details: [{ path: 'invitationDid' }] },
      })
  })

  test.each<[object, string[]]>([
    [{ handshake: false }, ['handshake']],
    [{ handshakeProtocols: ['https://didcomm.org/didexchange/1.1'] }, ['handshakeProtocols.0']],
    [{ messages: [], label: '', routing: {} }, ['messages', 'label', 'routing']],
  ])('names every field that is wrong: %j', async (body, fields) => {
    expectInvalid(await post('/oob/create-invitation', body), fields)
  })
})

test('CreateLegacyInvitation answers an invitation of the older kind', async () => {
  const answer = await post('/oob/create-legacy-invitation', { label: 'Initech' })
  expect(answer).toMatchObject({
    status: 200,
    body: { invitation: { label: 'Initech', recipientKeys: [answer.body.recipientKey] } },
  })
  await expectExample(answer)
})

test('an invitation with a request has a short address as well', async () => {
  const { body } = await post('/proofs/create-request-oob', requestBody)
  expect(body.shortInvitationUrl).toBe(`${world.baseUrl}/url/${body.invitation['@id']}`)
})

describe('an invitation is received', () => {
  test('as JSON, and the handshake is begun', async () => {
    const answer = await post('/oob/receive-invitation', { invitation: (await invite({}, tokens.root)).invitation })
    expect(answer).toMatchObject({ status: 200, body: { connectionRecord: { state: 'request-sent' } } })
    await expectExample(answer)
  })

  test('by its address', async () => {
    const { invitationUrl } = await invite({}, tokens.root)
    const answer = await post('/oob/receive-invitation-url', { invitationUrl, alias: 'Acme' })
    expect(answer).toMatchObject({ status: 200, body: { connectionRecord: { alias: 'Acme' } } })
    await expectExample(answer)
  })

  test('and accepted by another call', async () => {
    const { invitation } = await invite({}, tokens.root)
    const { body } = await post('/oob/receive-invitation', { invitation, autoAcceptInvitation: false })
    const answer = await post(`/oob/${body.outOfBandRecord.id}/accept-invitation`, { alias: 'Acme' })
    expect(answer).toMatchObject({ status: 200, body: { connectionRecord: { alias: 'Acme' } } })
    await expectExample(answer)
  })

  test.each([
    ['/oob/receive-invitation', ({ invitation }: Json) => ({ invitation })],
    ['/oob/receive-invitation-url', ({ invitationUrl }: Json) => ({ invitationUrl })],
    ['/oob/receive-implicit-invitation', ({ invitationDid: did }: Json) => ({ did })],
  ])('and answered by a DID that another process has made: %s', async (path, bodyOf) => {
    const invited = await invite({}, tokens.root)
    const answer = await post(path, { ...bodyOf(invited), ourDid: acme.invitationDid })
    expect(answer).toMatchObject({ status: 200, body: { connectionRecord: { did: acme.invitationDid } } })
  })

  test('and accepted with a DID that another process has made', async () => {
    const { invitation } = await invite({}, tokens.root)
    const { body } = await post('/oob/receive-invitation', { invitation, autoAcceptInvitation: false })
    const path = `/oob/${body.outOfBandRecord.id}/accept-invitation`
    expect(await post(path, { ourDid: acme.invitationDid })).toMatchObject({
      status: 200,
      body: { connectionRecord: { did: acme.invitationDid } },
    })
    expect(await post(path, {})).toMatchObject({ status: 409, body: { message: expect.stringContaining('state') } })
  })

  test('and not by a DID where it offers connections/1.0 alone, which has none', async () => {
    const { invitation } = (await post('/oob/create-legacy-invitation', {}, tokens.root)).body
    expect(await post('/oob/receive-invitation', { invitation, ourDid: acme.invitationDid })).toMatchObject({
      status: 422,
      body: { details: [{ path: 'ourDid' }] },
    })
  })

  test('with unknown members, which are dropped', async () => {
    const { invitation } = await invite({}, tokens.root)
    const odd = { ...invitation, custom: 1, getRequests: 'x', toJSON: {}, threadId: 'x', constructed: [] }
    const { status, body } = await post('/oob/receive-invitation', { invitation: odd })
    expect(status).toBe(200)
    const stored = body.outOfBandRecord.outOfBandInvitation
    for (const name of ['custom', 'getRequests', 'toJSON', 'threadId', 'messageType'])
      expect(stored).not.toHaveProperty(name)
  })

  test('and completed by another process than has accepted it: what was made for it stays', async () => {
    const inviter = await newTenant('Inviter')
    const invited = await invite({ multiUseInvitation: true, autoAcceptConnection: false }, inviter)
    await post('/oob/receive-invitation', { invitation: invited.invitation }, await newTenant('Invitee'))
    const inState = (state: string) =>
      waitFor(`the connection to be ${state}`, async () => {
        const [found] = (await get(`/connections?outOfBandId=${invited.outOfBandRecord.id}`, inviter)).body
        return found?.state === state && found
      })
    const { id } = await inState('request-received')
    expect((await post(`/connections/${id}/accept-request`, {}, inviter)).status).toBe(200)
    expect((await inState('completed')).metadata).toEqual({})
  })

  test('and the request that it brings is handled by the process that completes the handshake', async () => {
    const inviter = await newTenant('Verifier')
    const holder = await newTenant('Holder')
    const asked = await post('/proofs/create-request-oob', requestBody, inviter)
    const { body } = await post('/oob/receive-invitation', { invitation: asked.body.invitation }, holder)
    const done = await waitFor('the invitation to be done', async () => {
      const { body: record } = await get(`/oob/${body.outOfBandRecord.id}`, holder)
      return record.state === 'done' && record
    })
    expect(done.metadata).toEqual({})
    const [connection] = (await get(`/connections?outOfBandId=${done.id}`, holder)).body
    const { body: proofs } = await get('/proofs', holder)
    expect(proofs).toMatchObject([
      { state: 'request-received', connectionId: connection.id, threadId: asked.body.proofRecordThId },
    ])
  })

  test.each<[string, object, string[]]>([
    ['nothing', {}, ['invitation']],
    [
      'no invitation',
      { invitation: { '@type': 'https://didcomm.org/basicmessage/1.0/message' } },
      ['invitation.@type'],
    ],
    ['an unknown field', { invitation: {}, mediatorId: 'x' }, ['mediatorId']],
  ])('not where the body has %s', async (_, body, fields) => {
    const answer = await post('/oob/receive-invitation', body)
    expect(answer.status).toBe(422)
    expect(answer.body.details.map(({ path }: Json) => path)).toEqual(expect.arrayContaining(fields))
  })
})

test('ReceiveImplicitInvitation asks the agent of a public DID', async () => {
  const { invitationDid: did } = await invite({}, tokens.root)
  const answer = await post('/oob/receive-implicit-invitation', { did, alias: 'Base' })
  expect(answer).toMatchObject({
    status: 200,
    body: { outOfBandRecord: { outOfBandInvitation: { '@id': did } }, connectionRecord: { state: 'request-sent' } },
  })
  await expectExample(answer)
})

describe('the records of invitations', () => {
  test('are listed, oldest first, a page at a time', async () => {
    const own = await newTenant('Inviter')
    const made: string[] = []
    for (const _ of [1, 2, 3]) made.push((await invite({}, own)).outOfBandRecord.id)
    const pages = await followPages('/oob?limit=2', own)
    expect(pages.flat().map(({ id }: Json) => id)).toEqual(made)
  })

  test('are found by the id of the invitation, and by their own', async () => {
    const { invitation, outOfBandRecord } = await invite()
    const found = await get(`/oob?invitationId=${invitation['@id']}`)
    expect(found.body).toEqual([outOfBandRecord])
    await expectExample(found)
    const one = await get(`/oob/${outOfBandRecord.id}`)
    expect(one.body).toEqual(outOfBandRecord)
    await expectExample(one)
    expect((await get(`/oob?invitationId=${invitation['@id']}`, globex.token)).body).toEqual([])
  })

  test('are deleted', async () => {
    const { outOfBandRecord } = await invite()
    const answer = await api.delete(`/oob/${outOfBandRecord.id}`, { token })
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 204, body: undefined })
    expectError(await get(`/oob/${outOfBandRecord.id}`), 404, { message: 'there is no such record' })
  })
})
