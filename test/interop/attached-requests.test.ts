/** Requests that an invitation brings, answered on the connection that it made, on an older one, or on none. */
import { randomUUID } from 'node:crypto'
import { DidKey } from '@credo-ts/core'
import { describe, expect, test } from 'vitest'
import { connect, createTenant, issueDegree, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { didExchangeRequest, peerDidOf } from '../wallet/handshake-requests.ts'
import { RawHandshake } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const stage = await useStage()
const wallet = await useWallet({ answerProofs: false })
const raw = new RawMessages(wallet)
const caller = await createTenant(stage)
const first = await connect(stage, wallet, caller)
await issueDegree(stage, wallet, first.connectionId, caller)

const invite = async (more: object = {}): Promise<Json> =>
  (await stage.call('createRequest', { caller, body: { ...requestBody, ...more } })).body

/** An invitation by the DID of the first one: a wallet that knows the DID has a connection already. */
const inviteAgain = () => invite({ invitationDid: first.request.invitationDid })

const proofOf = async ({ proofRecordId }: Json): Promise<Json> => {
  const path = { tenantId: caller.tenantId ?? '', proofRecordId }
  return (await stage.call('tenantProofFormData', { caller, path })).body
}

const verified = (request: Json): Promise<Json> =>
  waitFor('the proof to be verified', async () => {
    const proof = await proofOf(request)
    return proof.state === 'done' && proof
  })

/** The request as the wallet received it; it waits for an answer. */
const received = ({ proofRecordThId }: Json) =>
  waitFor('the request to come', async () =>
    (await wallet.proofs()).find(({ threadId }) => threadId === proofRecordThId),
  )

const connectionsOf = async ({ outOfBandRecord }: Json): Promise<Json[]> =>
  (await stage.call('getConnections', { caller, query: { outOfBandId: outOfBandRecord.id } })).body

const emptyPresentation = ({ proofRecordThId }: Json, pthid?: string) => ({
  '@type': 'https://didcomm.org/present-proof/2.0/presentation',
  '@id': randomUUID(),
  '~thread': { thid: proofRecordThId, ...(pthid !== undefined && { pthid }) },
  '~transport': { return_route: 'all' },
  formats: [{ attach_id: 'a', format: 'dif/presentation-exchange/submission@v1.0' }],
  'presentations~attach': [{ '@id': 'a', data: { json: {} } }],
})

const reuse = (pthid: string) => {
  const id = randomUUID()
  return {
    '@type': 'https://didcomm.org/out-of-band/1.1/handshake-reuse',
    '@id': id,
    '~thread': { thid: id, pthid },
    '~transport': { return_route: 'all' },
  }
}

test('a request has its invitation as its parent thread, as sent and as stored', async () => {
  const request = await invite()
  const invitationId = request.invitation['@id']
  const [attachment] = request.invitation['requests~attach']
  const sent = JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString())
  expect(sent['~thread']).toEqual({ thid: request.proofRecordThId, pthid: invitationId })
  expect((await proofOf(request)).parentThreadId).toBe(invitationId)
  expect(request.outOfBandRecord).toMatchObject({
    outOfBandInvitation: { '@id': invitationId },
    _tags: { invitationId, threadId: invitationId },
  })
})

describe('an answer is accepted', () => {
  test("that does not name the invitation, on the invitation's connection", async () => {
    const request = await invite()
    const { id } = await wallet.connect(request.invitationUrl)
    const proof = await received(request)
    proof.parentThreadId = undefined as never
    await wallet.agent.didcomm.proofs.update(proof)
    expect(await wallet.answerProof(proof.id)).toBe(true)
    const [connection] = await connectionsOf(request)
    expect(await verified(request)).toMatchObject({ isVerified: true, connectionId: connection.id })
    expect((await wallet.agent.didcomm.connections.getById(id)).state).toBe('completed')
  })

  test('that names the parent thread of the call', async () => {
    const request = await invite({ parentThreadId: 'parent-thread' })
    const handshake = new RawHandshake(wallet, raw)
    const senderKey = await handshake.newKey()
    const asked = { did: new DidKey(senderKey).did, senderKey }
    const { message } = await handshake.request(request.invitation, asked)
    const { answer: _, ...route } = await handshake.complete(message, senderKey)
    expect(await raw.send(emptyPresentation(request, 'parent-thread'), route)).toMatchObject({
      message: { '@type': 'https://didcomm.org/present-proof/2.0/problem-report' },
    })
    expect((await proofOf(request)).state).toBe('abandoned')
  })

  test('on an older connection', async () => {
    const request = await inviteAgain()
    const invitation = await wallet.agent.didcomm.oob.parseInvitation(request.invitationUrl)
    const { connectionRecord } = await wallet.agent.didcomm.oob.receiveInvitation(invitation, {
      label: 'Wallet',
      reuseConnection: true,
    })
    expect(connectionRecord?.id).toBe(first.walletConnectionId)
    expect(await wallet.answerProof((await received(request)).id)).toBe(true)
    expect(await verified(request)).toMatchObject({ isVerified: true, connectionId: first.connectionId })
  })

  test('without any connection', async () => {
    const request = await invite()
    const invitation = await wallet.agent.didcomm.oob.parseInvitation(request.invitationUrl)
    invitation.handshakeProtocols = undefined as never
    await wallet.agent.didcomm.oob.receiveInvitation(invitation, { label: 'Wallet' })
    expect(await wallet.answerProof((await received(request)).id)).toBe(true)
    expect(await verified(request)).toMatchObject({ isVerified: true })
    expect(await connectionsOf(request)).toEqual([])
  })
})

describe('a request is declined on an older connection', () => {
  const declined = (request: Json): Promise<Json> =>
    waitFor('the request to be abandoned', async () => {
      const proof = await proofOf(request)
      return proof.state === 'abandoned' && proof
    })
  const report = (protocol: string, { proofRecordThId }: Json, pthid?: string) => ({
    ...didCommMessage(protocol, { thid: proofRecordThId, ...(pthid !== undefined && { pthid }) }),
    description: { code: 'rejected', en: 'no' },
  })

  test("by Credo's wallet", async () => {
    const request = await inviteAgain()
    const invitation = await wallet.agent.didcomm.oob.parseInvitation(request.invitationUrl)
    await wallet.agent.didcomm.oob.receiveInvitation(invitation, { label: 'Wallet', reuseConnection: true })
    const { id: proofExchangeRecordId } = await received(request)
    await wallet.agent.didcomm.proofs.declineRequest({ proofExchangeRecordId, sendProblemReport: true })
    expect(await declined(request)).toMatchObject({ connectionId: first.connectionId })
  })

  test.each([
    ['a report that names the invitation', 'present-proof/2.0/problem-report', true],
    ['a report that names the request only, as that of ACA-Py', 'present-proof/2.0/problem-report', false],
    ['a report as RFC 0035 spelled it once', 'present-proof/2.0/problem_report', false],
    ['a report of no protocol', 'report-problem/1.0/problem-report', false],
  ])('by %s', async (_, protocol, names) => {
    for (const reuses of [false, true]) {
      const request = await inviteAgain()
      const id = request.invitation['@id']
      if (reuses) expect((await raw.sendOn(first.walletConnectionId, reuse(id))).status).toBe(200)
      const sent = report(protocol, request, names ? id : undefined)
      expect((await raw.sendOn(first.walletConnectionId, sent)).status).toBe(200)
      expect(await proofOf(request)).toMatchObject({ state: 'abandoned', connectionId: first.connectionId })
      // The invitation is used up.
      const way = await raw.routeToDid(request.invitationDid)
      const senderKey = await raw.newKey()
      const handshake = didExchangeRequest(id, peerDidOf([senderKey], 'http://127.0.0.1:1'))
      expect((await raw.send(handshake, { ...way, senderKey })).status).toBe(400)
    }
  })

  test('not by a connection with another DID of the agent, nor after another wallet has accepted the invitation', async () => {
    const ofAnother = await invite()
    expect(
      (await raw.sendOn(first.walletConnectionId, report('present-proof/2.0/problem-report', ofAnother))).status,
    ).toBe(200)
    expect((await proofOf(ofAnother)).state).toBe('request-sent')
    const taken = await inviteAgain()
    await wallet.connect(taken.invitationUrl)
    expect((await raw.sendOn(first.walletConnectionId, report('present-proof/2.0/problem-report', taken))).status).toBe(
      200,
    )
    expect((await proofOf(taken)).state).toBe('request-sent')
  })
})

test('an answer without any connection that names another parent thread changes nothing', async () => {
  const request = await invite()
  const route = { ...(await raw.routeToDid(request.invitationDid)), senderKey: await raw.newKey() }
  expect((await raw.send(emptyPresentation(request, randomUUID()), route)).status).toBe(400)
  expect((await proofOf(request)).state).toBe('request-sent')
})

describe('an answer of another connection changes nothing', () => {
  test('where it does not name the invitation', async () => {
    const request = await inviteAgain()
    expect((await raw.sendOn(first.walletConnectionId, emptyPresentation(request))).status).toBe(400)
    await wallet.connect(request.invitationUrl)
    expect(await wallet.answerProof((await received(request)).id)).toBe(true)
    expect(await verified(request)).toMatchObject({ isVerified: true })
  })

  test('where the invitation is by another DID of the agent', async () => {
    const request = await invite()
    const answer = emptyPresentation(request, request.invitation['@id'])
    expect((await raw.sendOn(first.walletConnectionId, answer)).status).toBe(400)
    await wallet.connect(request.invitationUrl)
    expect(await wallet.answerProof((await received(request)).id)).toBe(true)
    expect(await verified(request)).toMatchObject({ isVerified: true })
  })

  test('where the invitation has made a connection', async () => {
    const request = await inviteAgain()
    await wallet.connect(request.invitationUrl)
    const answer = emptyPresentation(request, request.invitation['@id'])
    expect((await raw.sendOn(first.walletConnectionId, answer)).status).toBe(400)
    expect(await wallet.answerProof((await received(request)).id)).toBe(true)
    expect(await verified(request)).toMatchObject({ isVerified: true })
  })

  test('where another one is reused', async () => {
    const second = await connect(stage, wallet, caller)
    const request = await invite({ invitationDid: second.request.invitationDid })
    const invitation = request.invitation['@id']
    await raw.sendOn(second.walletConnectionId, reuse(invitation))
    for (const pthid of [invitation, undefined])
      expect((await raw.sendOn(first.walletConnectionId, emptyPresentation(request, pthid))).status).toBe(400)
    expect((await proofOf(request)).state).toBe('request-sent')
  })
})

describe('handshake reuse', () => {
  test('is accepted, and the request is answered on the connection', async () => {
    const request = await inviteAgain()
    const message = reuse(request.invitation['@id'])
    expect(await raw.sendOn(first.walletConnectionId, message)).toMatchObject({
      status: 200,
      message: {
        '@type': 'https://didcomm.org/out-of-band/1.1/handshake-reuse-accepted',
        '~thread': { thid: message['@id'], pthid: request.invitation['@id'] },
      },
    })
    const invitation = await wallet.agent.didcomm.oob.parseInvitation(request.invitationUrl)
    await wallet.agent.didcomm.oob.receiveInvitation(invitation, { label: 'Wallet', reuseConnection: true })
    expect(await wallet.answerProof((await received(request)).id)).toBe(true)
    expect(await verified(request)).toMatchObject({ isVerified: true, connectionId: first.connectionId })
  })

  test('uses the invitation up', async () => {
    const request = await inviteAgain()
    await raw.sendOn(first.walletConnectionId, reuse(request.invitation['@id']))
    expect((await raw.sendOn(first.walletConnectionId, reuse(request.invitation['@id']))).status).toBe(400)
    const handshake = new RawHandshake(wallet, raw)
    const senderKey = await handshake.newKey()
    expect((await handshake.request(request.invitation, { did: new DidKey(senderKey).did, senderKey })).status).toBe(
      400,
    )
    expect(await connectionsOf(request)).toEqual([])
  })

  test('is refused for an invitation of another tenant, which stays unused', async () => {
    const other = await createTenant(stage, 'Globex')
    const { body: request } = await stage.call('createRequest', { caller: other, body: requestBody })
    expect((await raw.sendOn(first.walletConnectionId, reuse(request.invitation['@id']))).status).toBe(400)
    expect(await wallet.connect(request.invitationUrl)).toMatchObject({ state: 'completed' })
  })

  test('is refused from an unknown sender', async () => {
    const request = await invite()
    const route = await raw.routeToDid(request.invitationDid)
    const message = reuse(request.invitation['@id'])
    expect((await raw.send(message, { ...route, senderKey: await raw.newKey() })).status).toBe(400)
    expect((await raw.send({ ...message, '@id': randomUUID() }, route)).status).toBe(400)
    expect(await wallet.connect(request.invitationUrl)).toMatchObject({ state: 'completed' })
  })

  test('is refused for an invitation by another DID of the agent, which stays unused', async () => {
    const request = await invite()
    expect((await raw.sendOn(first.walletConnectionId, reuse(request.invitation['@id']))).status).toBe(400)
    expect(await wallet.connect(request.invitationUrl)).toMatchObject({ state: 'completed' })
  })

  test('is refused for an invitation that another connection has used', async () => {
    const request = await inviteAgain()
    await wallet.connect(request.invitationUrl)
    expect((await raw.sendOn(first.walletConnectionId, reuse(request.invitation['@id']))).status).toBe(400)
  })
})
