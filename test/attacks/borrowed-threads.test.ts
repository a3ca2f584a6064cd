/** An invitation whose attached request is on the thread of another agent's exchange: what its writer gains by that. */
import { randomUUID } from 'node:crypto'
import { DidKey, JsonEncoder } from '@credo-ts/core'
import { beforeEach, describe, expect, test } from 'vitest'
import { createTenant, degreeDefinition, offerBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { connectionOf, exchangesOf, settled, succeed } from '../support/tenants.ts'
import { didCommMessage } from '../support/wallets/didcomm-messages.ts'
import { RawMessages } from '../wallet/raw-messages.ts'
import { waitFor } from '../wallet/wait.ts'

let key: Awaited<ReturnType<RawMessages['newKey']>>

const stage = await useStage()
const victim = await createTenant(stage, 'Victim')
const friend = await createTenant(stage, 'Friend')
const mallory = await useWallet({ answerProofs: false })
const raw = new RawMessages(mallory)
beforeEach(async () => {
  key = await raw.newKey()
})

const attach = (message: Json) => ({
  ...{ '@id': randomUUID(), 'mime-type': 'application/json', data: { base64: JsonEncoder.toBase64(message) } },
})

/** Mallory's invitation, with requests on these threads. The tenant stores it, and does nothing else with it. */
const receiveMallorys = async (requests: Json[], more: object = { autoAcceptInvitation: false }) => {
  const recipientKeys = [new DidKey(key).did]
  const invitation = {
    '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
    '@id': randomUUID(),
    label: 'Mallory',
    services: [{ id: '#inline', type: 'did-communication', serviceEndpoint: 'http://127.0.0.1:9999', recipientKeys }],
    'requests~attach': requests.map(attach),
  }
  return succeed(stage, 'receiveInvitation', victim, { body: { invitation, ...more } })
}

/** The same, of a wallet that then connects: `key` is that of the invitation. */
const connectMallorys = async (request: Json) => {
  const { outOfBandInvitation, invitationInlineServiceKeys } = await mallory.agent.didcomm.oob.createInvitation({})
  const [{ recipientKeyFingerprint = '', kmsKeyId = '' } = {}] = invitationInlineServiceKeys ?? []
  key = Object.assign(DidKey.fromDid(`did:key:${recipientKeyFingerprint}`).publicJwk, { keyId: kmsKeyId }) as typeof key
  const invitation = { ...outOfBandInvitation.toJSON(), 'requests~attach': [attach(request)] }
  const { outOfBandRecord } = await succeed(stage, 'receiveInvitation', victim, { body: { invitation } })
  await connectionOf(stage, victim, outOfBandRecord.id)
}

const requestOn = (type: string, thid: string) => ({ ...didCommMessage(type), '@id': thid })
const OFFER = 'issue-credential/2.0/offer-credential'
const REQUEST = 'present-proof/2.0/request-presentation'

/** Any key of the victim's, which everybody may know. */
const sendToVictim = async (message: Json) => {
  const { invitation } = await succeed(stage, 'createInvitation', victim, { body: {} })
  return raw.send(message, { ...(await raw.routeToDid(invitation.services[0])), senderKey: key })
}

describe('a credential that a friend offers without a connection', () => {
  let threadId: string
  let held: Json

  beforeEach(async () => {
    const { connectionId: _, ...body } = offerBody('', 'did:example:subject')
    const offered = await succeed(stage, 'createOfferOob', friend, { body: { ...body, handshake: false } })
    await succeed(stage, 'receiveInvitation', victim, { body: { invitation: offered.invitation } })
    threadId = offered.credentialRequestThId
    ;[held] = await exchangesOf(victim, 'CredentialRecord', threadId)
    expect(held.state).toBe('offer-received')
  })

  const stateOf = async () => (await exchangesOf(victim, 'CredentialRecord', threadId))[0].state

  test.each<[string, () => Promise<unknown>]>([
    ['stored', () => receiveMallorys([requestOn(REQUEST, threadId)])],
    [
      'that is second to another',
      () => receiveMallorys([requestOn(REQUEST, randomUUID()), requestOn(OFFER, threadId)], {}),
    ],
    ['that makes a connection', () => connectMallorys(requestOn(OFFER, threadId))],
  ])('is not abandoned by an agent that has its thread in an invitation %s', async (_, receive) => {
    await receive()
    const answer = await sendToVictim(didCommMessage('issue-credential/2.0/problem-report', { thid: threadId }))
    expect({ status: answer.status, state: await stateOf() }).toEqual({ status: 400, state: 'offer-received' })
    await succeed(stage, 'acceptCredentialOffer', victim, { body: { credentialRecordId: held.id } })
    await settled(stage)
    await waitFor('the credential', async () => (await stateOf()) === 'done')
  })
})

describe('a proof that the tenant itself asks for without a connection', () => {
  test('is declined, and the tenant hears of it, although its thread is in an invitation that is stored', async () => {
    const body = {
      ...{ protocolVersion: 'v2', handshake: false },
      proofFormats: { presentationExchange: { presentationDefinition: degreeDefinition } },
    }
    const asked = await succeed(stage, 'createRequest', victim, { body })
    await receiveMallorys([requestOn(OFFER, asked.proofRecordThId)])
    await succeed(stage, 'receiveInvitation', friend, { body: { invitation: asked.invitation } })
    const [request] = await exchangesOf(friend, 'ProofRecord', asked.proofRecordThId)
    await succeed(stage, 'declineProofRequest', friend, {
      path: { proofRecordId: request.id },
      body: { sendProblemReport: true },
    })
    await settled(stage)
    await waitFor('the report', async () => {
      const [proof] = await exchangesOf(victim, 'ProofRecord', asked.proofRecordThId)
      return proof.state === 'abandoned'
    })
  })
})
