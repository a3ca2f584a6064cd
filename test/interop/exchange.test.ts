/** The agent and a holder's wallet: they connect, talk, and exchange credentials and proofs, for the base agent and in a tenant. */
import { randomUUID } from 'node:crypto'
import { QueryCommand } from '@aws-sdk/client-dynamodb'
import { PeerDidNumAlgo } from '@credo-ts/core'
import { beforeAll, describe, expect, test } from 'vitest'
import { anonCredsRequest, connect, createTenant, issueDegree, offerBody, requestBody } from '../support/scenes.ts'
import type { Caller, Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

const stage = await useStage()

/** The proof record, with what its messages carry, of a tenant or of the base agent (which operation 5 has no path for). */
const proofOf = async (caller: Caller, request: Json): Promise<Json> => {
  if (caller.tenantId === undefined) return storedProof(request.proofRecordId)
  const path = { tenantId: caller.tenantId, proofRecordId: request.proofRecordId }
  return (await stage.call('tenantProofFormData', { caller, path })).body
}

/** Whether the outbox of a connection shows an attempt that failed. */
const failedAttempts = async ({ tenantId = '@base' }: Caller, connectionId: string): Promise<boolean> => {
  const { Items = [] } = await stage.client.send(
    new QueryCommand({
      TableName: stage.table,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: `${tenantId}|ConnectionRecord|${connectionId}` } },
    }),
  )
  return Items.some(({ attempts }) => Number(attempts?.N) > 0)
}

const storedProof = async (id: string): Promise<Json> => {
  const { readRecord } = await import('../support/table/stored.ts')
  return readRecord('ProofRecord', id)
}

describe.each(['the base agent', 'a tenant'])('%s', (agent) => {
  let caller: Caller = {}
  beforeAll(async () => {
    if (agent === 'a tenant') caller = await createTenant(stage)
  })
  // The base agent works like a tenant, under another key in the table.
  const testOfTenant = test.runIf(agent === 'a tenant')

  test.each(['didexchange', 'connections'] as const)('completes a %s handshake', async (handshake) => {
    const wallet = await useWallet({ handshake })
    const { connectionId } = await connect(stage, wallet, caller)
    const { body } = await stage.call('getConnectionById', { caller, path: { connectionId } })
    expect(body).toMatchObject({ state: 'completed', role: 'responder', theirLabel: 'Wallet' })
    const [{ protocol }] = (await wallet.connections()) as [Json]
    expect(protocol).toContain(handshake)
  })

  testOfTenant.each([
    ['did:peer:1', PeerDidNumAlgo.GenesisDoc],
    ['did:peer:2', PeerDidNumAlgo.MultipleInceptionKeyWithoutDoc],
    ['did:peer:4', PeerDidNumAlgo.ShortFormAndLongForm],
  ])('connects with a wallet that uses %s', async (method, peerDid) => {
    const wallet = await useWallet({ handshake: 'didexchange', peerDid })
    const { connectionId } = await connect(stage, wallet, caller)
    const { body } = await stage.call('getConnectionById', { caller, path: { connectionId } })
    expect(body.theirDid).toMatch(new RegExp(`^${method}`))
  })

  test('exchanges 30 messages each way, in order: more than one delivery contains', async () => {
    const wallet = await useWallet()
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    const texts = (from: string) => Array.from({ length: 30 }, (_, number) => `${from} ${number}`)
    for (const content of texts('agent')) {
      const { status } = await stage.call('sendMessage', { caller, path: { connectionId }, body: { content } })
      expect(status).toBe(200)
    }
    for (const content of texts('wallet')) await wallet.sendMessage(walletConnectionId, content)
    const received = await waitFor('all messages to come', async () => {
      const messages = await wallet.messages(walletConnectionId)
      const fromAgent = messages.filter(({ role }) => role === 'receiver')
      return fromAgent.length === 30 && fromAgent
    })
    expect(received.map(({ content }) => content)).toEqual(texts('agent'))
    if (caller.tenantId === undefined) return
    const path = { connectionId, tenantId: caller.tenantId }
    const { body } = await stage.call('tenantGetBasicMessages', { caller, path })
    expect(body.map(({ content }: Json) => content)).toEqual([...texts('agent'), ...texts('wallet')])
  })

  test('issues a JSON-LD credential, and verifies it in a presentation', async () => {
    const wallet = await useWallet()
    const { connectionId, request } = await connect(stage, wallet, caller)
    const credential = await issueDegree(stage, wallet, connectionId, caller)
    expect(credential).toMatchObject({ state: 'done', role: 'issuer', connectionId, protocolVersion: 'v2' })
    expect(await wallet.credentials()).toHaveLength(1)
    const proof = await waitFor('the proof to be done', async () => {
      const record = await proofOf(caller, request)
      return record.state === 'done' && record
    })
    expect(proof).toMatchObject({ isVerified: true, role: 'verifier', connectionId, threadId: request.proofRecordThId })
    expect(wallet.journal.errors).toEqual([])
  })

  testOfTenant('gives a wallet without an endpoint its answers by return route', async () => {
    const wallet = await useWallet({ endpoint: false })
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    await wallet.sendMessage(walletConnectionId, 'hello')
    const { body, status } = await stage.call('sendMessage', {
      caller,
      path: { connectionId },
      body: { content: 'hi' },
    })
    expect({ status, delivery: body.metadata['_agent/delivery'] }).toEqual({
      status: 200,
      delivery: { state: 'waiting-for-pickup', attempts: 0 },
    })
    expect(wallet.journal.errors).toEqual([])
  })

  testOfTenant.each([
    ['v1', { indy: anonCredsRequest }],
    ['v2', { indy: anonCredsRequest }],
    ['v2', { anoncreds: anonCredsRequest }],
  ])('asks with %s %j, and the wallet understands', async (protocolVersion, proofFormats) => {
    const wallet = await useWallet()
    const { request } = await connect(stage, wallet, caller, { protocolVersion, proofFormats })
    const proof = await waitFor('the request to come', async () => (await wallet.proofs())[0])
    expect(proof).toMatchObject({ state: 'request-received', protocolVersion })
    expect(proof.threadId).toBe(request.proofRecordThId)
    const [format] = Object.keys(proofFormats) as ['indy']
    const { request: asked } = (await wallet.proofContents(proof.id)) as Json
    expect(asked[format]).toMatchObject(anonCredsRequest)
    expect(asked[format].nonce).toMatch(/^[0-9]{10,25}$/)
  })

  testOfTenant('calls an exchange abandoned when the wallet declines', async () => {
    const wallet = await useWallet({ acceptOffers: false, answerProofs: false })
    const { connectionId, request } = await connect(stage, wallet, caller)
    const { body: offered } = await stage.call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })
    const offer = await waitFor('the offer to come', async () => (await wallet.credentialExchanges())[0])
    await wallet.agent.didcomm.credentials.sendProblemReport({
      credentialExchangeRecordId: offer.id,
      description: 'no, thank you',
    })
    const proof = await waitFor('the request to come', async () => (await wallet.proofs())[0])
    await wallet.agent.didcomm.proofs.declineRequest({ proofExchangeRecordId: proof.id, sendProblemReport: true })
    await waitFor('both to be abandoned', async () => {
      const path = { credentialRecordId: offered.id }
      const { body: credential } = await stage.call('getCredentialById', { caller, path })
      return credential.state === 'abandoned' && (await proofOf(caller, request)).state === 'abandoned'
    })
  })

  testOfTenant('delivers, in order, what was sent while the wallet was down', async () => {
    const wallet = await useWallet()
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    await wallet.pause()
    for (const content of ['one', 'two', 'three'])
      await stage.call('sendMessage', { caller, path: { connectionId }, body: { content } })
    await waitFor('a delivery to fail', () => failedAttempts(caller, connectionId))
    await wallet.resume()
    const received = await waitFor('the messages to come', async () => {
      const fromAgent = (await wallet.messages(walletConnectionId)).filter(({ role }) => role === 'receiver')
      return fromAgent.length === 3 && fromAgent
    })
    expect(received.map(({ content }) => content)).toEqual(['one', 'two', 'three'])
  })
})

test('an out-of-band request carries the fields of the call', async () => {
  const body = {
    ...requestBody,
    goalCode: 'aries.vc.verify',
    parentThreadId: 'parent-thread',
    willConfirm: true,
    comment: 'Your degree, please',
    label: 'Faculty',
    imageUrl: 'https://example.com/logo.png',
  }
  const { body: created } = await stage.call('createRequest', { body })
  expect(created.invitation).toMatchObject({
    label: 'Faculty',
    imageUrl: 'https://example.com/logo.png',
    goal_code: 'aries.vc.verify',
    messageType: created.invitation['@type'],
    services: [created.invitationDid],
  })
  const [attachment] = created.invitation['requests~attach']
  const request = JSON.parse(Buffer.from(attachment.data.base64, 'base64').toString())
  expect(request).toMatchObject({
    goal_code: 'aries.vc.verify',
    will_confirm: true,
    comment: 'Your degree, please',
    '~thread': { pthid: 'parent-thread' },
  })
  expect(created.invitationUrl.startsWith(`${stage.publicUrl}?oob=`)).toBe(true)
})

test('a proposal of AnonCreds is requested unchanged, but with a new nonce and without its version', async () => {
  const wallet = await useWallet({ answerProofs: false })
  const { walletConnectionId } = await connect(stage, wallet)
  const threadId = randomUUID()
  await new RawMessages(wallet).sendOn(walletConnectionId, {
    '@type': 'https://didcomm.org/present-proof/2.0/propose-presentation',
    '@id': threadId,
    formats: [{ attach_id: 'a', format: 'anoncreds/proof-request@v1.0' }],
    'proposals~attach': [{ '@id': 'a', data: { json: { ...anonCredsRequest, ver: '1.0', nonce: '1' } } }],
  })
  const { body: proofs } = await stage.call('getProofs', { query: { threadId } })
  const path = { proofRecordId: proofs[0].id }
  expect(await stage.call('acceptProofProposal', { path, body: {} })).toMatchObject({ status: 200 })
  const { body } = await stage.call('getProofFormData', { path })
  expect(body.request.anoncreds).toMatchObject(anonCredsRequest)
  expect(body.request.anoncreds.nonce).not.toBe('1')
})

test.each(['did:key:', 'z6Mk', 'did:key:z6Mk', 'z6Mkh', '1', '2', 'z', 'did:key:z', '1'.repeat(64)])(
  'an invitation by "%s", which is not a key, is a 422',
  async (recipientKey) => {
    for (const [operation, body] of [
      ['createRequest', requestBody],
      ['createInvitation', {}],
      ['createLegacyInvitation', {}],
    ] as const) {
      const answer = await stage.call(operation, { body: { ...body, recipientKey } })
      expect({ status: answer.status, path: answer.body.details?.[0].path }).toEqual({
        status: 422,
        path: 'recipientKey',
      })
    }
  },
)

test('an invitation uses the DID or key of the agent that the caller names', async () => {
  const { body: first } = await stage.call('createRequest', { body: requestBody })
  const byDid = await stage.call('createRequest', { body: { ...requestBody, invitationDid: first.invitationDid } })
  expect(byDid.body.invitation.services).toEqual([first.invitationDid])
  const [recipientKey] = first.outOfBandRecord._tags.recipientKeyFingerprints
  const byKey = await stage.call('createRequest', { body: { ...requestBody, recipientKey } })
  expect(byKey.body.invitation.services).toEqual([first.invitationDid])
  const wallet = await useWallet()
  await wallet.connect(byKey.body.invitationUrl)

  const strange = 'z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX'
  for (const field of [
    { invitationDid: `did:key:${strange}` },
    { recipientKey: strange },
    { recipientKey: 'nonsense' },
  ]) {
    const { status, body } = await stage.call('createRequest', { body: { ...requestBody, ...field } })
    expect({ status, path: body.details[0].path }).toEqual({ status: 422, path: Object.keys(field)[0] })
  }
})
