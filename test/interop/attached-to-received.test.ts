/** Requests and offers that come with an invitation, between tenants and from a wallet: on a new connection, an older one, or none. */
import { describe, expect, test } from 'vitest'
import { createTenant, offerBody, requestBody } from '../support/scenes.ts'
import type { Caller, Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { connectionOf, connectTenants, exchangesOf, recordIn, settled, succeed } from '../support/tenants.ts'
import { publicDidOf } from '../wallet/public-did.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const stage = await useStage()
const wallet = await useWallet()
const acme = await createTenant(stage, 'Acme')
const globex = await createTenant(stage, 'Globex')

const SUBJECT = 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
const { protocolVersion, credentialFormats } = offerBody('', SUBJECT)

/** The answer of each of the two operations, with the thread of its exchange. */
const ASKING = {
  'a proof request': async (more: object = {}) => {
    const answer = await succeed(stage, 'createRequest', acme, { body: { ...requestBody, ...more } })
    return { ...answer, thread: answer.proofRecordThId, type: 'ProofRecord', state: 'request-received' }
  },
  'an offer': async (more: object = {}) => {
    const body = { protocolVersion, credentialFormats, ...more }
    const answer = await succeed(stage, 'createOfferOob', acme, { body })
    return { ...answer, thread: answer.credentialRequestThId, type: 'CredentialRecord', state: 'offer-received' }
  },
}

const receive = (invitation: Json, more: object = {}, caller: Caller = globex) =>
  succeed(stage, 'receiveInvitation', caller, { body: { invitation, ...more } })

describe.each(Object.entries(ASKING))('%s', (_, ask) => {
  test('is kept until the handshake is completed, and then waits on the connection', async () => {
    const { invitation, thread, type, state } = await ask()
    await stage.line.pause()
    const { outOfBandRecord, connectionRecord } = await receive(invitation)
    expect(await exchangesOf(globex, type, thread)).toEqual([])
    stage.line.run()
    const { id } = await connectionOf(stage, globex, outOfBandRecord.id)
    expect(id).toBe(connectionRecord.id)
    expect(await exchangesOf(globex, type, thread)).toMatchObject([
      { state, connectionId: id, parentThreadId: invitation['@id'] },
    ])
    await recordIn(stage, globex, outOfBandRecord.id, 'done')
  })

  test('is kept until the response is accepted, where that requires a call', async () => {
    const { invitation, thread, type } = await ask()
    const { outOfBandRecord, connectionRecord } = await receive(invitation, { autoAcceptConnection: false })
    await connectionOf(stage, globex, outOfBandRecord.id, 'response-received')
    expect(await exchangesOf(globex, type, thread)).toEqual([])
    const path = { connectionId: connectionRecord.id }
    await succeed(stage, 'acceptConnectionResponse', globex, { path })
    expect(await exchangesOf(globex, type, thread)).toMatchObject([{ connectionId: connectionRecord.id }])
  })

  test('is handled once, though the response is repeated', async () => {
    const { invitation, thread, type } = await ask()
    const { outOfBandRecord } = await receive(invitation)
    stage.onEnvelope(async (handle) => {
      await handle()
      return handle()
    })
    await connectionOf(stage, globex, outOfBandRecord.id)
    stage.onEnvelope((handle) => handle())
    expect(await exchangesOf(globex, type, thread)).toHaveLength(1)
  })

  test('is handled immediately on an older connection', async () => {
    const { invited, invitees } = await connectTenants(stage, acme, globex)
    const { invitation, thread, type, state } = await ask({ invitationDid: invited.invitationDid })
    const received = await receive(invitation, { reuseConnection: true })
    expect(received).toMatchObject({ outOfBandRecord: { state: 'done' }, connectionRecord: { id: invitees.id } })
    expect(await exchangesOf(globex, type, thread)).toMatchObject([{ state, connectionId: invitees.id }])
  })

  test('is handled immediately without a connection, where the invitation offers none', async () => {
    const { invitation, thread, type, state, invitationDid } = await ask({ handshake: false })
    expect(invitation.services[0].recipientKeys).toEqual([invitationDid])
    expect(invitation).not.toHaveProperty('handshake_protocols')
    expect(invitation.services).toMatchObject([
      { serviceEndpoint: `${stage.publicUrl}/didcomm/${acme.tenantId}`, recipientKeys: [expect.any(String)] },
    ])
    const received = await receive(invitation)
    expect(received).not.toHaveProperty('connectionRecord')
    expect(received.outOfBandRecord.state).toBe('done')
    const [exchange] = await exchangesOf(globex, type, thread)
    expect(exchange).toMatchObject({ state, parentThreadId: invitation['@id'] })
    expect(exchange).not.toHaveProperty('connectionId')
  })

  test('waits with an invitation that waits', async () => {
    const { invitation, thread, type } = await ask({ handshake: false })
    const { outOfBandRecord } = await receive(invitation, { autoAcceptInvitation: false })
    expect(await exchangesOf(globex, type, thread)).toEqual([])
    await succeed(stage, 'acceptInvitation', globex, { path: { outOfBandId: outOfBandRecord.id } })
    expect(await exchangesOf(globex, type, thread)).toHaveLength(1)
  })
})

test.each([
  ['a proof request', 'declineProofRequest', (id: string) => ({ path: { proofRecordId: id }, body: {} })],
  ['an offer', 'declineCredentialOffer', (id: string) => ({ body: { credentialRecordId: id } })],
] as const)('%s without a connection is declined, and its sender is notified', async (name, decline, call) => {
  const { invitation, thread, type } = await ASKING[name]({ handshake: false })
  await receive(invitation)
  const [{ id }] = await exchangesOf(globex, type, thread)
  expect(await succeed(stage, decline, globex, call(id))).toMatchObject({ state: 'declined' })
  await waitFor('the sender to know', async () => {
    const [exchange] = await exchangesOf(acme, type, thread)
    return exchange.state === 'abandoned'
  })
})

describe('a tenant that accepts requests automatically presents a bearer credential (no subject id)', async () => {
  const config = { label: 'Bearer', autoAcceptOffers: true, autoAcceptProofRequests: true }
  const { id: tenantId } = await succeed(stage, 'createTenant', {}, { body: { config } })
  const bearer = { tenantId }
  const { credential, options } = credentialFormats.jsonld
  const jsonld = { credential: { ...credential, credentialSubject: { degree: 'Bachelor' } }, options }
  const body = { protocolVersion, credentialFormats: { jsonld }, handshake: false, autoAcceptCredential: 'always' }
  const offer = await succeed(stage, 'createOfferOob', acme, { body })
  await receive(offer.invitation, {}, bearer)
  await waitFor('the credential', async () => {
    const [exchange] = await exchangesOf(bearer, 'CredentialRecord', offer.credentialRequestThId)
    return exchange?.state === 'done'
  })

  test.each([
    ['receiveInvitation', false, ({ invitation }: Json) => receive(invitation, {}, bearer)],
    [
      'receiveInvitationUrl',
      false,
      ({ invitationUrl }: Json) => succeed(stage, 'receiveInvitationUrl', bearer, { body: { invitationUrl } }),
    ],
    [
      'acceptInvitation',
      false,
      async ({ invitation }: Json) => {
        const { outOfBandRecord } = await receive(invitation, { autoAcceptInvitation: false }, bearer)
        await succeed(stage, 'acceptInvitation', bearer, { path: { outOfBandId: outOfBandRecord.id } })
      },
    ],
    [
      'acceptConnectionResponse',
      true,
      async ({ invitation }: Json) => {
        const { outOfBandRecord, connectionRecord } = await receive(invitation, { autoAcceptConnection: false }, bearer)
        await connectionOf(stage, bearer, outOfBandRecord.id, 'response-received')
        await succeed(stage, 'acceptConnectionResponse', bearer, { path: { connectionId: connectionRecord.id } })
      },
    ],
  ] as const)('%s', async (_, handshake, take) => {
    const request = await ASKING['a proof request']({ handshake })
    await take(request)
    const path = { tenantId: acme.tenantId, proofRecordId: request.proofRecordId }
    await waitFor('the proof to be verified', async () => {
      const proof = await succeed(stage, 'tenantProofFormData', {}, { path })
      return proof.state === 'done' && proof.isVerified
    })
  })
})

test('an invitation without a handshake has no DID', async () => {
  const { invitationDid } = await succeed(stage, 'createInvitation', acme)
  const body = { ...requestBody, handshake: false, invitationDid }
  expect(await stage.call('createRequest', { caller: acme, body })).toMatchObject({
    status: 422,
    body: { details: [{ path: 'invitationDid' }] },
  })
  expect(await stage.call('createInvitation', { caller: acme, body: { handshake: false } })).toMatchObject({
    status: 422,
    body: { details: [{ path: 'handshake' }] },
  })
})

describe('a wallet', () => {
  test('accepts an offer without a connection, and the exchange is done', async () => {
    const body = { protocolVersion, credentialFormats: offerBody('', wallet.did).credentialFormats }
    const answer = await succeed(stage, 'createOfferOob', acme, {
      body: { ...body, handshake: false, autoAcceptCredential: 'always' },
    })
    expect(await wallet.receive(answer.invitationUrl)).toBeUndefined()
    const path = { credentialRecordId: answer.credentialRecordId }
    await waitFor('the exchange to be done', async () => {
      const exchange = await succeed(stage, 'getCredentialById', acme, { path })
      return exchange.state === 'done'
    })
  })

  test('presents a held credential without a connection', async () => {
    const answer = await succeed(stage, 'createRequest', acme, { body: { ...requestBody, handshake: false } })
    await wallet.receive(answer.invitationUrl)
    const path = { tenantId: acme.tenantId, proofRecordId: answer.proofRecordId }
    await waitFor('the proof to be verified', async () => {
      const proof = await succeed(stage, 'tenantProofFormData', {}, { path })
      return proof.state === 'done' && proof.isVerified
    })
  })

  test.each([['didexchange'], ['connections']])('accepts an invitation to connect by %s', async (handshake) => {
    const other = await Wallet.start({ handshake: handshake as 'didexchange' })
    const invited = await succeed(stage, 'createInvitation', acme)
    await other.connect(invited.invitationUrl)
    await connectionOf(stage, acme, invited.outOfBandRecord.id)
    await other.stop()
  })

  test('accepts an older invitation', async () => {
    const invited = await succeed(stage, 'createLegacyInvitation', acme)
    await wallet.connect(invited.invitationUrl)
    await connectionOf(stage, acme, invited.outOfBandRecord.id)
  })
})

describe('the invitation of a wallet', () => {
  const invitationOf = async (options: object = {}) => {
    const { outOfBandInvitation } = await wallet.agent.didcomm.oob.createInvitation({ label: 'Wallet', ...options })
    return outOfBandInvitation.toJSON() as Json
  }

  test.each([
    ['did-exchange', 'https://didcomm.org/didexchange/1.x'],
    ['connections', 'https://didcomm.org/connections/1.x'],
  ])('is answered by %s, and messages follow', async (_, protocol) => {
    const invitation = await invitationOf({ handshakeProtocols: [protocol] })
    const { outOfBandRecord, connectionRecord } = await receive(invitation)
    await connectionOf(stage, globex, outOfBandRecord.id)
    const path = { connectionId: connectionRecord.id }
    await succeed(stage, 'sendMessage', globex, { path, body: { content: `By ${protocol}` } })
    await waitFor('the message', async () =>
      (await wallet.messages()).find(({ content }) => content === `By ${protocol}`),
    )
  })

  test('of the older kind is answered', async () => {
    const { invitation } = await wallet.agent.didcomm.oob.createLegacyInvitation({ label: 'Wallet' })
    const { outOfBandRecord } = await receive(invitation.toJSON())
    await connectionOf(stage, globex, outOfBandRecord.id)
  })

  test('with a proof request brings the request to the holder', async () => {
    const { message, proofRecord } = await wallet.agent.didcomm.proofs.createRequest({
      protocolVersion: 'v2',
      proofFormats: { presentationExchange: requestBody.proofFormats.presentationExchange } as never,
    })
    const { outOfBandRecord } = await receive(await invitationOf({ messages: [message] }))
    const { id } = await connectionOf(stage, globex, outOfBandRecord.id)
    expect(await exchangesOf(globex, 'ProofRecord', proofRecord.threadId)).toMatchObject([{ connectionId: id }])
  })

  test('that is a request with a service (`d_m`) brings the request without a connection', async () => {
    const { message, proofRecord } = await wallet.agent.didcomm.proofs.createRequest({
      protocolVersion: 'v2',
      proofFormats: { presentationExchange: requestBody.proofFormats.presentationExchange } as never,
    })
    const { invitationUrl } = await wallet.agent.didcomm.oob.createLegacyConnectionlessInvitation({
      recordId: proofRecord.id,
      domain: 'https://example.org',
      message,
    })
    const received = await succeed(stage, 'receiveInvitationUrl', globex, { body: { invitationUrl } })
    expect(received.outOfBandRecord.state).toBe('done')
    expect(await exchangesOf(globex, 'ProofRecord', proofRecord.threadId)).toHaveLength(1)
    const again = await stage.call('receiveInvitationUrl', { caller: globex, body: { invitationUrl } })
    expect(again.status).toBe(409)
  })

  test('that was accepted before is accepted again on its connection', async () => {
    const first = await invitationOf({ multiUseInvitation: true })
    const { outOfBandRecord, connectionRecord } = await receive(first)
    await connectionOf(stage, globex, outOfBandRecord.id)
    const next = { ...(await invitationOf()), services: first.services }
    const { outOfBandRecord: reusing, connectionRecord: reused } = await receive(next, { reuseConnection: true })
    expect(reused.id).toBe(connectionRecord.id)
    await recordIn(stage, globex, reusing.id, 'done')
  })
})

describe('the agent of a public DID', () => {
  test('is asked for a connection, and completes it', async () => {
    const did = await publicDidOf(wallet)
    const { outOfBandRecord, connectionRecord } = await succeed(stage, 'receiveImplicitInvitation', globex, {
      body: { did, alias: 'A public agent' },
    })
    expect(outOfBandRecord.outOfBandInvitation).toMatchObject({ '@id': did, services: [did] })
    expect(connectionRecord).toMatchObject({ state: 'request-sent', alias: 'A public agent', invitationDid: did })
    await settled(stage)
    const asked = await waitFor('the request', async () =>
      (await wallet.connections()).find(
        ({ state, theirLabel }) => state === 'request-received' && theirLabel === 'Globex',
      ),
    )
    await wallet.agent.didcomm.connections.acceptRequest(asked.id)
    await connectionOf(stage, globex, outOfBandRecord.id)
  })

  test('that is another tenant accepts the request by a call', async () => {
    const { invitationDid: did } = await succeed(stage, 'createInvitation', acme)
    const requests = (): Promise<Json[]> =>
      succeed(stage, 'getConnections', acme, { query: { state: 'request-received' } })
    const before = new Set((await requests()).map(({ id }) => id))
    const { outOfBandRecord } = await succeed(stage, 'receiveImplicitInvitation', globex, { body: { did } })
    const asked = await waitFor('the request', async () => (await requests()).find(({ id }) => !before.has(id)))
    await succeed(stage, 'acceptConnectionRequest', acme, { path: { connectionId: asked.id } })
    await connectionOf(stage, globex, outOfBandRecord.id)
    await connectionOf(stage, acme, asked.outOfBandId)
  })

  test.each([
    ['did:example:unknown', 'of an unknown method'],
    ['did:web:10.0.0.1', 'that leads inside'],
    [SUBJECT, 'that names no service'],
    ['did:peer:1zQmZMygzYqNwU6Uhmewx5Xepf2VLp5S4HLSwwgf2aiKZuwa', 'that cannot be resolved'],
  ])('cannot be asked by a DID %s, %s: 422', async (did) => {
    const answer = await stage.call('receiveImplicitInvitation', { caller: globex, body: { did } })
    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'did' }] } })
  })

  test('can be requested again where its host cannot be reached', async () => {
    const body = { did: 'did:web:localhost' }
    expect((await stage.call('receiveImplicitInvitation', { caller: globex, body })).status).toBe(503)
  })

  test('is not the agent itself', async () => {
    const { invitationDid: did } = await succeed(stage, 'createInvitation', globex)
    const answer = await stage.call('receiveImplicitInvitation', { caller: globex, body: { did } })
    expect(answer).toMatchObject({ status: 422, body: { details: [{ path: 'did' }] } })
  })
})
