/** Members that other agents send and that no record may have, after which a tenant could read none of its records. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { connect, createTenant, requestBody } from '../support/scenes.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { legacyDocument, RawHandshake, unqualifiedDid } from '../wallet/raw-handshake.ts'
import { RawMessages } from '../wallet/raw-messages.ts'

const stage = await useStage()
const wallet = await useWallet()
const raw = new RawMessages(wallet)
const caller = await createTenant(stage)
const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)

test.each([
  ['+275760-09-13T00:00:00.000Z', 400],
  [8.64e15, 400],
  ['-000001-01-01T00:00:00Z', 400],
  ['yesterday', 200],
])('a message that was sent at %s leaves the messages of its connection readable', async (sent_time, status) => {
  const message = { ...didCommMessage('basicmessage/1.0/message'), sent_time }
  expect(await raw.sendOn(walletConnectionId, message)).toMatchObject({ status })
  expect(await stage.call('getBasicMessages', { caller, path: { connectionId } })).toMatchObject({ status: 200 })
})

test('a request to connect with a picture that is null leaves the connections readable', async () => {
  const { invitation } = (await stage.call('createRequest', { caller, body: requestBody })).body
  const senderKey = await new RawHandshake(wallet, raw).newKey()
  const did = unqualifiedDid(senderKey)
  const message = {
    '@type': 'https://didcomm.org/connections/1.0/request',
    '@id': randomUUID(),
    '~thread': { pthid: invitation['@id'] },
    '~transport': { return_route: 'all' },
    label: 'Raw',
    imageUrl: null,
    connection: { DID: did, DIDDoc: legacyDocument(did, senderKey) },
  }
  const route = { ...(await raw.routeToDid(invitation.services[0])), senderKey }
  expect(await raw.send(message, route)).toMatchObject({ status: 200 })
  expect(await stage.call('getConnections', { caller })).toMatchObject({ status: 200, body: { length: 2 } })
})

test('an offer with an attribute whose type is null leaves the credentials readable', async () => {
  const message = {
    ...didCommMessage('issue-credential/2.0/offer-credential'),
    credential_preview: {
      '@type': 'https://didcomm.org/issue-credential/2.0/credential-preview',
      attributes: [{ name: 'degree', 'mime-type': null, value: 'Master' }],
    },
  }
  expect(await raw.sendOn(walletConnectionId, message)).toMatchObject({ status: 200 })
  const [{ id }] = (await stage.call('getCredentials', { caller })).body
  expect(await stage.call('acceptCredentialOffer', { caller, body: { credentialRecordId: id } })).toMatchObject({
    status: 200,
  })
  expect(await stage.call('getCredentials', { caller })).toMatchObject({ status: 200, body: { length: 1 } })
})

test('an offer whose options are null is one without them', async () => {
  const offer = structuredClone(didCommMessage('issue-credential/2.0/offer-credential'))
  const [{ data }] = offer['offers~attach'] as [{ data: { json: { options: object } } }]
  Object.assign(data.json.options, { domain: null, challenge: null, created: null })
  expect(await raw.sendOn(walletConnectionId, offer)).toMatchObject({ status: 200 })
  const query = { threadId: String(offer['@id']) }
  const [{ id }] = (await stage.call('getCredentials', { caller, query })).body
  expect(await stage.call('acceptCredentialOffer', { caller, body: { credentialRecordId: id } })).toMatchObject({
    status: 200,
  })
})
