/** Invitations between tenants, by the operations alone. */
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTenant, requestBody } from '../support/scenes.ts'
import type { Caller, Json } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { connectionOf, connectTenants, recordIn, settled, succeed } from '../support/tenants.ts'

const stage = await useStage()
const acme = await createTenant(stage, 'Acme')
const globex = await createTenant(stage, 'Globex')

const invite = (more: object = {}, caller = acme) => succeed(stage, 'createInvitation', caller, { body: more })
const receive = (invitation: Json, more: object = {}, caller = globex) =>
  succeed(stage, 'receiveInvitation', caller, { body: { invitation, ...more } })
const connections = (caller: Caller, outOfBandId: string) =>
  succeed(stage, 'getConnections', caller, { query: { outOfBandId } })

describe('an invitation that another tenant receives', () => {
  test('makes a connection that both sides complete, and then has the state done', async () => {
    const { invited, received, inviters, invitees } = await connectTenants(stage, acme, globex, {
      invitation: { alias: 'A customer', goal: 'To talk', goalCode: 'talk' },
      receipt: { alias: 'A supplier' },
    })
    expect(invited.invitation).toMatchObject({ label: 'Acme', goal: 'To talk', goal_code: 'talk' })
    expect(received).toMatchObject({
      outOfBandRecord: { role: 'receiver', state: 'prepare-response', outOfBandInvitation: { label: 'Acme' } },
      connectionRecord: { state: 'request-sent', role: 'requester', alias: 'A supplier', theirLabel: 'Acme' },
    })
    expect(inviters).toMatchObject({ theirLabel: 'Globex', role: 'responder', alias: 'A customer' })
    expect(invitees.id).toBe(received.connectionRecord.id)
    await recordIn(stage, acme, invited.outOfBandRecord.id, 'done')
    await recordIn(stage, globex, received.outOfBandRecord.id, 'done')
  })

  test('waits where it is not accepted automatically, and is accepted once', async () => {
    const { invitation } = await invite()
    const { outOfBandRecord, ...rest } = await receive(invitation, { autoAcceptInvitation: false, alias: 'Later' })
    expect(rest).toEqual({})
    expect(outOfBandRecord.state).toBe('initial')
    const accept = (body: object) =>
      stage.call('acceptInvitation', { caller: globex, path: { outOfBandId: outOfBandRecord.id }, body })
    expect(await accept({ label: 'Globex Ltd' })).toMatchObject({
      status: 200,
      body: { outOfBandRecord: { state: 'prepare-response' }, connectionRecord: { alias: 'Later' } },
    })
    expect((await accept({})).status).toBe(409)
    await connectionOf(stage, globex, outOfBandRecord.id)
    expect(await accept({})).toMatchObject({ status: 409, body: { message: expect.stringContaining('done') } })
  })

  test('is not accepted by its inviter', async () => {
    const { outOfBandRecord } = await invite()
    const path = { outOfBandId: outOfBandRecord.id }
    expect(await stage.call('acceptInvitation', { caller: acme, path, body: {} })).toMatchObject({
      ...{ status: 409, body: { message: 'the invitation was not received by this agent' } },
    })
  })

  test('and received before is a 409 that names its record', async () => {
    const { invitation } = await invite({ multiUseInvitation: true })
    const { outOfBandRecord } = await receive(invitation)
    const again = await stage.call('receiveInvitation', { caller: globex, body: { invitation } })
    expect(again).toMatchObject({ status: 409, body: { message: expect.stringContaining(outOfBandRecord.id) } })
    await succeed(stage, 'deleteOutOfBandRecord', globex, { path: { outOfBandId: outOfBandRecord.id } })
    expect((await receive(invitation)).connectionRecord.state).toBe('request-sent')
  })

  test('with null in place of optional members is accepted as if they were absent, and shown without them', async () => {
    const asked = await succeed(stage, 'createRequest', acme, { body: requestBody })
    const { messageType: _, 'requests~attach': attached, ...invitation } = asked.invitation
    const request = JSON.parse(Buffer.from(attached[0].data.base64, 'base64').toString())
    const received = await receive({
      ...invitation,
      ...{ label: null, goal: null, goal_code: null, goalCode: null, accept: null, imageUrl: null },
      'requests~attach': [
        {
          '@id': null,
          'mime-type': null,
          data: { base64: null, json: { ...request, comment: null, '~timing': null } },
        },
      ],
    })
    expect(JSON.stringify(received)).not.toContain('null')
    await connectionOf(stage, globex, received.outOfBandRecord.id)
    const query = { threadId: asked.proofRecordThId }
    expect(await succeed(stage, 'getProofs', globex, { query })).toMatchObject([{ state: 'request-received' }])
  })

  describe('and received before is accepted again', () => {
    const again = (invitation: Json) => stage.call('receiveInvitation', { caller: globex, body: { invitation } })
    const deleteConnection = (connectionId: string) =>
      succeed(stage, 'deleteConnection', globex, { path: { connectionId } })

    test('where its connection was deleted: once for several calls, and again after each deletion', async () => {
      const { invitation } = await invite({ multiUseInvitation: true })
      const invitationId = invitation['@id']
      let { connectionRecord, outOfBandRecord } = await receive(invitation)
      const ids = [outOfBandRecord.id]
      for (const _ of [2, 3]) {
        await connectionOf(stage, globex, outOfBandRecord.id)
        await deleteConnection(connectionRecord.id)
        const answers = await Promise.all([again(invitation), again(invitation), again(invitation)])
        expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
        ;({ connectionRecord, outOfBandRecord } = answers.find(({ status }) => status === 200)?.body ?? {})
        ids.push(outOfBandRecord.id)
        const records = await succeed(stage, 'getOutOfBandRecords', globex, { query: { invitationId } })
        expect(records.map(({ id }: Json) => id)).toEqual(ids)
      }
      // An older record may be deleted: the newest one decides.
      await succeed(stage, 'deleteOutOfBandRecord', globex, { path: { outOfBandId: String(ids[1]) } })
      expect(await again(invitation)).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining(String(ids[2])) },
      })
      await deleteConnection(connectionRecord.id)
      expect((await again(invitation)).body.outOfBandRecord.id).toBe(ids[1])
    })

    test('also where a connection was reused, which is deleted now', async () => {
      const { invitationDid } = await invite()
      const { invitation } = await invite({ invitationDid, multiUseInvitation: true })
      for (const _ of [1, 2]) {
        const { invitees } = await connectTenants(stage, acme, globex, { invitation: { invitationDid } })
        const { id } = invitees
        const { outOfBandRecord } = await receive(invitation, { reuseConnection: true })
        expect(outOfBandRecord.reuseConnectionId).toBe(id)
        await recordIn(stage, globex, outOfBandRecord.id, 'done')
        expect((await again(invitation)).body.message).toContain(id)
        await deleteConnection(id)
      }
    })

    test('and not where its connection is abandoned, which the 409 names, or where it waits or made none', async () => {
      const { invited, inviters, invitees } = await connectTenants(stage, acme, globex, {
        invitation: { multiUseInvitation: true },
      })
      await succeed(stage, 'deleteConnection', acme, { path: { connectionId: inviters.id } })
      await settled(stage)
      const message = expect.stringContaining(`${invitees.id} (abandoned)`)
      expect(await again(invited.invitation)).toMatchObject({ status: 409, body: { message } })
      const { invitation: waiting } = await invite({ multiUseInvitation: true })
      await receive(waiting, { autoAcceptInvitation: false })
      const body = { ...requestBody, handshake: false }
      const { invitation: connectionless } = await succeed(stage, 'createRequest', acme, { body })
      await receive(connectionless)
      for (const one of [waiting, connectionless]) expect((await again(one)).status).toBe(409)
    })
  })

  test('by two concurrent calls is received by one of them', async () => {
    const { invitation } = await invite({ multiUseInvitation: true })
    const call = () => stage.call('receiveInvitation', { caller: globex, body: { invitation } })
    const answers = await Promise.all([call(), call(), call()])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    const invitationId = invitation['@id']
    expect(await succeed(stage, 'getOutOfBandRecords', globex, { query: { invitationId } })).toHaveLength(1)
  })

  test('repeatedly makes a connection each time, where it is multi-use', async () => {
    const invited = await invite({ multiUseInvitation: true })
    const initech = await createTenant(stage, 'Initech')
    for (const caller of [globex, initech]) {
      const { outOfBandRecord } = await receive(invited.invitation, {}, caller)
      await connectionOf(stage, caller, outOfBandRecord.id)
    }
    expect(await connections(acme, invited.outOfBandRecord.id)).toHaveLength(2)
    await recordIn(stage, acme, invited.outOfBandRecord.id, 'await-response')
  })

  test('is not accepted after its inviter has deleted it', async () => {
    const invited = await invite()
    const path = { outOfBandId: invited.outOfBandRecord.id }
    const { status, body } = await stage.call('deleteOutOfBandRecord', { caller: acme, path })
    expect({ status, body }).toEqual({ status: 204, body: undefined })
    expect((await stage.call('getOutOfBandRecordById', { caller: acme, path })).status).toBe(404)
    expect((await stage.call('deleteOutOfBandRecord', { caller: acme, path })).status).toBe(404)
    const { connectionRecord } = await receive(invited.invitation)
    await settled(stage)
    expect(
      await succeed(stage, 'getConnectionById', globex, { path: { connectionId: connectionRecord.id } }),
    ).toMatchObject({ state: 'request-sent' })
  })

  test('waits for the response to be accepted, where the connection is not accepted automatically', async () => {
    const { invitation } = await invite()
    const { outOfBandRecord } = await receive(invitation, { autoAcceptConnection: false })
    await connectionOf(stage, globex, outOfBandRecord.id, 'response-received')
  })

  test('offers the handshakes that the inviter names', async () => {
    const invited = await invite({ handshakeProtocols: ['https://didcomm.org/connections/1.x'] })
    expect(invited.invitation.handshake_protocols).toEqual(['https://didcomm.org/connections/1.0'])
    const { outOfBandRecord } = await receive(invited.invitation)
    expect(await connectionOf(stage, globex, outOfBandRecord.id)).toMatchObject({
      protocol: 'https://didcomm.org/connections/1.x',
    })
    await connectionOf(stage, acme, invited.outOfBandRecord.id)
  })

  test('is answered by the DID that the invitee names', async () => {
    const { invitationDid: ourDid } = await invite({}, globex)
    for (const _ of [1, 2]) {
      const invited = await invite()
      const { outOfBandRecord } = await receive(invited.invitation, { ourDid })
      await connectionOf(stage, globex, outOfBandRecord.id)
      expect(await connectionOf(stage, acme, invited.outOfBandRecord.id)).toMatchObject({ theirDid: ourDid })
    }
  })
})

test('a DID by which the tenant cannot be reached is not allowed in an invitation or in an answer to one', async () => {
  const { did } = await succeed(stage, 'createDid', globex, { body: { method: 'key' } })
  const message = 'must be a DID with a DIDComm service'
  expect(await stage.call('createInvitation', { caller: globex, body: { invitationDid: did } })).toMatchObject({
    ...{ status: 422, body: { details: [{ path: 'invitationDid', message }] } },
  })
  const { invitation } = await invite()
  const answer = (ourDid: string, to = invitation) =>
    stage.call('receiveInvitation', { caller: globex, body: { invitation: to, ourDid } })
  expect(await answer(did)).toMatchObject({ status: 422, body: { details: [{ path: 'ourDid', message }] } })
})

test('an invitation to the connections protocol alone is not answered by a DID', async () => {
  const { invitationDid: ourDid } = await invite({}, globex)
  const { invitation } = await invite({ handshakeProtocols: ['https://didcomm.org/connections/1.x'] })
  const answer = await stage.call('receiveInvitation', { caller: globex, body: { invitation, ourDid } })
  expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'ourDid' }] } })
})

describe('the first call of a tenant', () => {
  test('may be an older invitation', async () => {
    const fresh = await createTenant(stage, 'Fresh')
    const { invitation } = await succeed(stage, 'createLegacyInvitation', fresh)
    await connectionOf(stage, globex, (await receive(invitation)).outOfBandRecord.id)
  })

  test.each([
    ['an address', 'receiveInvitationUrl', ({ invitationUrl }: Json) => ({ invitationUrl })],
    ['an invitation', 'receiveInvitation', ({ invitation }: Json) => ({ invitation })],
    ['a public DID', 'receiveImplicitInvitation', ({ invitationDid: did }: Json) => ({ did })],
  ] as const)('may be that it takes %s', async (_, operation, bodyOf) => {
    const fresh = await createTenant(stage, 'Fresh')
    const { connectionRecord } = await succeed(stage, operation, fresh, { body: bodyOf(await invite()) })
    expect(connectionRecord.state).toBe('request-sent')
  })

  test('may be accepting a proof request', async () => {
    const fresh = await createTenant(stage, 'Fresh')
    const { invitation } = await invite()
    const { outOfBandRecord } = await receive(invitation, { autoAcceptInvitation: false }, fresh)
    await succeed(stage, 'acceptInvitation', fresh, { path: { outOfBandId: outOfBandRecord.id } })
    await connectionOf(stage, fresh, outOfBandRecord.id)
  })
})

describe('an older invitation', () => {
  test('makes a connection, and its key may be used for the next one', async () => {
    const invited = await succeed(stage, 'createLegacyInvitation', acme)
    expect(invited.invitation).toMatchObject({
      '@type': 'https://didcomm.org/connections/1.0/invitation',
      recipientKeys: [invited.recipientKey],
      serviceEndpoint: `${stage.publicUrl}/didcomm/${acme.tenantId}`,
    })
    expect(invited.invitationUrl).toContain('?c_i=')
    const { recipientKey } = invited
    const next = await succeed(stage, 'createLegacyInvitation', acme, { body: { recipientKey } })
    expect(next).not.toHaveProperty('recipientKey')
    for (const { invitation, outOfBandRecord } of [invited, next]) {
      const received = await receive(invitation)
      await connectionOf(stage, globex, received.outOfBandRecord.id)
      await connectionOf(stage, acme, outOfBandRecord.id)
    }
  })

  test('is not made with a key of another tenant, or of another DID', async () => {
    const { recipientKey } = await succeed(stage, 'createLegacyInvitation', acme)
    const answer = await stage.call('createLegacyInvitation', { caller: globex, body: { recipientKey } })
    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'recipientKey' }] } })
    const newDid = async () => (await stage.call('createDid', { caller: acme, body: { method: 'peer' } })).body
    const [, ownKey] = /(z6Mk\w+)/.exec((await newDid()).did) ?? []
    const other = { recipientKey: ownKey, invitationDid: (await newDid()).did }
    const details = [{ path: 'recipientKey', message: 'must be a key of invitationDid' }]
    expect(await stage.call('createInvitation', { caller: acme, body: other })).toMatchObject({
      ...{ status: 422, body: { details } },
    })
  })
})

describe('a connection is reused', () => {
  let invitationDid: string
  let first: Json

  beforeAll(async () => {
    first = await connectTenants(stage, acme, globex)
    invitationDid = first.invited.invitationDid
  })

  test.each([[false], [true]])(
    'for an invitation by the same DID, where multi-use is %s',
    async (multiUseInvitation) => {
      const invited = await invite({ invitationDid, multiUseInvitation })
      const received = await receive(invited.invitation, { reuseConnection: true })
      expect(received).toMatchObject({
        outOfBandRecord: { state: 'prepare-response', reuseConnectionId: first.invitees.id },
        connectionRecord: { id: first.invitees.id, state: 'completed' },
      })
      await recordIn(stage, globex, received.outOfBandRecord.id, 'done')
      const path = { outOfBandId: received.outOfBandRecord.id }
      expect(await stage.call('acceptInvitation', { caller: globex, path })).toMatchObject({ status: 409 })
      await recordIn(stage, acme, invited.outOfBandRecord.id, multiUseInvitation ? 'await-response' : 'done')
      expect(await connections(acme, invited.outOfBandRecord.id)).toEqual([])
    },
  )

  test('only where the invitee asks for it; of several the newest is', async () => {
    const invited = await invite({ invitationDid })
    const received = await receive(invited.invitation)
    expect(received.connectionRecord.id).not.toBe(first.invitees.id)
    await connectionOf(stage, globex, received.outOfBandRecord.id)
    const { connectionRecord } = await receive((await invite({ invitationDid })).invitation, { reuseConnection: true })
    expect(connectionRecord.id).toBe(received.connectionRecord.id)
  })

  test('and not for an invitation by another DID: it makes a connection', async () => {
    const invited = await invite()
    const received = await receive(invited.invitation, { reuseConnection: true })
    expect(received.connectionRecord).toMatchObject({ state: 'request-sent' })
  })

  test('and not one that is not completed', async () => {
    const invited = await invite()
    const { outOfBandRecord } = await receive(invited.invitation, { autoAcceptConnection: false })
    const { id } = await connectionOf(stage, globex, outOfBandRecord.id, 'response-received')
    const { invitation } = await invite({ invitationDid: invited.invitationDid })
    expect((await receive(invitation, { reuseConnection: true })).connectionRecord.id).not.toBe(id)
  })

  test('but a new one is made, by accepting again, where the inviter does not accept the reuse', async () => {
    const { invited, invitees } = await connectTenants(stage, acme, globex)
    const next = await invite({ invitationDid: invited.invitationDid })
    await succeed(stage, 'deleteOutOfBandRecord', acme, { path: { outOfBandId: invited.outOfBandRecord.id } })
    const { outOfBandRecord } = await receive(next.invitation, { reuseConnection: true })
    expect(outOfBandRecord.reuseConnectionId).toBe(invitees.id)
    await settled(stage)
    const path = { outOfBandId: outOfBandRecord.id }
    expect(await succeed(stage, 'getOutOfBandRecordById', globex, { path })).toMatchObject({
      state: 'prepare-response',
    })
    const accepted = await succeed(stage, 'acceptInvitation', globex, { path })
    expect(accepted.connectionRecord.id).not.toBe(invitees.id)
    expect(accepted.outOfBandRecord).not.toHaveProperty('reuseConnectionId')
    await connectionOf(stage, globex, outOfBandRecord.id)
  })
})

describe('the address of an invitation', () => {
  const addressed = (invitationUrl: string, more: object = {}) =>
    stage.call('receiveInvitationUrl', { caller: globex, body: { invitationUrl, ...more } })
  let server: Server
  let url: string
  let requests: string[]

  beforeAll(async () => {
    requests = []
    const { invitation, invitationUrl } = await invite()
    const pages: Record<string, [number, Record<string, string>, string?]> = {
      '/json': [200, { 'content-type': 'application/json' }, JSON.stringify(invitation)],
      '/redirect': [302, { location: '/json' }],
      '/to-long': [301, { location: invitationUrl }],
      '/3': [302, { location: '/2' }],
      '/2': [302, { location: '/1' }],
      '/1': [302, { location: '/json' }],
      '/4': [302, { location: '/3' }],
      '/inside': [302, { location: 'http://10.0.0.1/json' }],
      '/large': [200, {}, `${JSON.stringify(invitation)}${' '.repeat(65 * 1024)}`],
      '/page': [200, {}, '<!doctype html>'],
      '/text': [200, {}, '"invitation"'],
      '/null': [200, {}, JSON.stringify({ ...invitation, services: null })],
      '/version': [
        200,
        {},
        JSON.stringify({ ...invitation, '@type': 'https://didcomm.org/out-of-band/2.0/invitation' }),
      ],
      '/did': [200, {}, JSON.stringify({ ...invitation, '@id': randomUUID(), services: ['did:example:x'] })],
      '/deep': [200, {}, `{"a":${'['.repeat(9_999)}${']'.repeat(9_999)}}`],
    }
    server = createServer(({ url = '' }, response) => {
      requests.push(url)
      const [status, headers, body] = pages[url] ?? [404, {}]
      response.writeHead(status, headers).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  /** Only the first of them is accepted: all lead to the same invitation. */
  test.each([['/json'], ['/redirect'], ['/to-long'], ['/3']])('is followed: %s', async (path) => {
    const { status, body } = await addressed(url + path)
    if (status === 409) expect(body.message).toContain('received before')
    else expect({ status, body }).toMatchObject({ status: 200, body: { outOfBandRecord: { role: 'receiver' } } })
  })

  test.each([
    ['/4', 'more than three redirects'],
    ['/inside', 'a redirect to a private address'],
    ['/large', 'more than 64 KiB'],
    ['/missing', 'nothing'],
  ])('that leads to %s (%s) is one and the same 422', async (path) => {
    const { status, body } = await addressed(url + path)
    expect({ status, details: body.details }).toEqual({
      status: 422,
      details: [{ path: 'invitationUrl', message: 'must lead to an invitation that this agent can accept' }],
    })
  })

  test.each([
    ['/page', 'invitationUrl', 'must lead to an invitation in JSON, not to a page or other content'],
    ['/text', 'invitationUrl', 'must lead to an invitation in JSON, not to a page or other content'],
    ['/?oob=nonsense', 'invitationUrl', 'must lead to an invitation in JSON, not to a page or other content'],
    ['/null', 'invitationUrl.services', 'is required'],
    ['/version', 'invitationUrl.@type', 'must be https://didcomm.org/out-of-band/1.1/invitation'],
    ['/did', 'invitationUrl.services.0', 'must be a DID that can be resolved and has a usable endpoint'],
    ['/deep', `invitationUrl.a${'.0'.repeat(63)}`, 'must not be nested deeper than 64 levels'],
  ])('that leads to an unusable answer is a 422 that names the cause: %s', async (path, field, message) => {
    const { status, body } = await addressed(url + path)
    expect({ status, details: body.details }).toMatchObject({
      status: 422,
      details: expect.arrayContaining([{ path: field, message: expect.stringContaining(message) }]),
    })
  })

  test.each([['http://10.0.0.1/'], ['http://169.254.169.254/latest/meta-data'], ['ftp://example.org/'], ['nonsense']])(
    '%s is the same 422',
    async (address) => {
      const { status, body } = await addressed(address)
      expect({ status, details: body.details }).toEqual({
        status: 422,
        details: [{ path: 'invitationUrl', message: 'must lead to an invitation that this agent can accept' }],
      })
    },
  )

  test('is not fetched where it contains the invitation, in any of its forms', async () => {
    const legacy = await succeed(stage, 'createLegacyInvitation', acme)
    const { invitationUrl } = await invite()
    requests = []
    for (const query of [new URL(legacy.invitationUrl).search, new URL(invitationUrl).search]) {
      const { status, body } = await addressed(`${url}/json${query}`)
      expect({ status, body }).toMatchObject({ status: 200, body: { connectionRecord: { state: 'request-sent' } } })
      await connectionOf(stage, globex, body.outOfBandRecord.id)
    }
    expect(requests).toEqual([])
  })

  test('is fetched once by each call', async () => {
    requests = []
    const answers = await Promise.all([1, 2, 3].map(() => addressed(`${url}/json`)))
    expect(answers.every(({ status }) => [200, 409].includes(status))).toBe(true)
    expect(requests).toHaveLength(3)
  })
})
