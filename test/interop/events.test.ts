/** Events that organizations receive of whole exchanges: exactly one for each change, in order, signed. */
import { beforeAll, describe, expect, test } from 'vitest'
import { connect, createTenant, issueDegree, offerBody } from '../support/scenes.ts'
import type { Caller } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { readRecord } from '../support/table/stored.ts'
import { settled } from '../support/tenants.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { type Heard, KINDS, OrganizationEndpoints, trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
const receiver = await stopAtEnd(startFaultyReceiver())

/** By record, its events in order: sequence, type, and the states. */
const stories = (heard: Heard[]) =>
  Object.fromEntries(
    [...Map.groupBy(heard, ({ recordId }) => recordId)].map(([recordId, events]) => [
      recordId,
      events.map(({ type, sequence, previousState, body }) =>
        [sequence, type, previousState, body.data.record.state].filter((part) => part !== undefined).join(' '),
      ),
    ]),
  )

/** Only one test for the base agent: it differs from tenants only in where its organization is named. */
describe.each(['the base agent', 'a tenant'])('%s', (agent) => {
  let caller: Caller
  let tenantId: string
  let organization: OrganizationEndpoints

  beforeAll(async () => {
    caller = agent === 'a tenant' ? await createTenant(stage) : {}
    tenantId = caller.tenantId ?? '@base'
    organization = await OrganizationEndpoints.register({ stage, receiver, issuer }, caller.tenantId ?? 'base')
    stage.line.run()
  })

  const testOfTenant = test.runIf(agent === 'a tenant')

  const proofState = async (id: string): Promise<string> => {
    if (caller.tenantId === undefined) return String((await readRecord('ProofRecord', id)).state)
    const path = { tenantId: caller.tenantId, proofRecordId: id }
    return (await stage.call('tenantProofFormData', { caller, path })).body.state
  }

  const credentialState = async (credentialRecordId: string): Promise<string> =>
    (await stage.call('getCredentialById', { caller, path: { credentialRecordId } })).body.state

  /** Lets everything arrive. Returns what both kinds of endpoint have received since `from` events, which must be the same. */
  const heardSince = async (from: number) => {
    await settled(stage)
    const [webhook = [], notification = []] = KINDS.map((kind) => organization.heard(kind).slice(from))
    expect(stories(notification)).toEqual(stories(webhook))
    expect(notification.map(({ body }) => body.timestamp).toSorted()).toEqual(
      webhook.map(({ body }) => body.timestamp).toSorted(),
    )
    return webhook
  }

  const heardCount = () => organization.heard('webhook').length

  testOfTenant('a wallet that hangs up', async () => {
    const wallet = await useWallet({ answerProofs: false })
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    const connection = () => stage.call('getConnectionById', { caller, path: { connectionId } })
    await waitFor('the handshake to be completed', async () => (await connection()).body.state === 'completed')
    await wallet.agent.didcomm.connections.hangup({ connectionId: walletConnectionId })
    const story = async () => stories(await heardSince(0))[connectionId] ?? []
    await waitFor('the event of the end', async () => (await story()).length > 2)
    expect(await story()).toEqual([
      '1 connection.state_changed response-sent',
      '2 connection.state_changed response-sent completed',
      '3 connection.state_changed completed abandoned',
    ])
  })

  test('a connection, messages both ways, a credential and a proof that are accepted', async () => {
    const from = heardCount()
    const wallet = await useWallet({ handshake: 'didexchange' })
    const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
    const { body: sent } = await stage.call('sendMessage', {
      caller,
      path: { connectionId },
      body: { content: 'from the agent' },
    })
    await wallet.sendMessage(walletConnectionId, 'from the wallet')
    const credential = await issueDegree(stage, wallet, connectionId, caller)
    await waitFor('the proof to be done', async () => (await proofState(request.proofRecordId)) === 'done')

    const heard = await heardSince(from)
    const received = heard.find(({ type }) => type === 'basic_message.received')
    expect(stories(heard)).toEqual({
      [connectionId]: [
        '1 connection.state_changed response-sent',
        '2 connection.state_changed response-sent completed',
      ],
      [sent.id]: ['1 basic_message.sent', '2 basic_message.delivered'],
      [received?.recordId ?? '']: ['1 basic_message.received'],
      [credential.id]: [
        '1 credential.state_changed offer-sent',
        '2 credential.state_changed offer-sent credential-issued',
        '3 credential.state_changed credential-issued done',
      ],
      [request.proofRecordId]: ['1 proof.state_changed request-sent', '2 proof.state_changed request-sent done'],
    })

    for (const { body } of heard)
      expect(body.data).toMatchObject({ orgId: organization.orgId, tenantId, record: { id: expect.any(String) } })
    expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length)
    const recordOf = (type: string) => heard.findLast((event) => event.type === type)?.body.data.record
    expect(recordOf('basic_message.sent')).toEqual(sent)
    expect(recordOf('basic_message.delivered')).toEqual({
      ...sent,
      metadata: { '_agent/delivery': { state: 'delivered', attempts: 1, deliveredAt: expect.any(String) } },
    })
    expect(recordOf('basic_message.received')).toMatchObject({
      content: 'from the wallet',
      role: 'receiver',
      connectionId,
    })
    const path = { connectionId }
    expect(recordOf('connection.state_changed')).toEqual((await stage.call('getConnectionById', { caller, path })).body)
    expect(recordOf('credential.state_changed')).toEqual(credential)
    expect(recordOf('proof.state_changed')).toMatchObject({ isVerified: true, state: 'done', connectionId })
  })

  testOfTenant('a question to a wallet, and one of the wallet', async () => {
    const wallet = await useWallet({ answerProofs: false })
    const { connectionId, walletConnectionId } = await connect(stage, wallet, caller)
    await heardSince(0)
    const from = heardCount()
    const { questionAnswer } = wallet.agent.modules
    const body = { question: 'Was it you?', validResponses: [{ text: 'Yes' }] }
    const { body: asked } = await stage.call('sendQuestion', { caller, path: { connectionId }, body })
    const [received] = await waitFor('the question', async () => {
      const found = await questionAnswer.findAllByQuery({ threadId: asked.threadId })
      return found.length > 0 && found
    })
    await questionAnswer.sendAnswer(received?.id ?? '', 'Yes')
    const { threadId } = await questionAnswer.sendQuestion(walletConnectionId, body)
    const ours = await waitFor('the question of the wallet', async () => {
      const [found] = (await stage.call('getQuestionAnswers', { caller, query: { threadId } })).body
      return found
    })
    const path = { questionAnswerId: ours.id }
    const { body: answered } = await stage.call('sendAnswer', { caller, path, body: { response: 'Yes' } })
    const heard = await heardSince(from)
    expect(stories(heard)).toEqual({
      [asked.id]: [
        '1 question_answer.state_changed question-sent',
        '2 question_answer.state_changed question-sent answer-received',
      ],
      [ours.id]: [
        '1 question_answer.state_changed question-received',
        '2 question_answer.state_changed question-received answer-sent',
      ],
    })
    expect(heard.findLast(({ recordId }) => recordId === ours.id)?.body.data.record).toEqual(answered)
  })

  testOfTenant('a credential and a proof that the wallet declines', async () => {
    const from = heardCount()
    const wallet = await useWallet({ acceptOffers: false, answerProofs: false })
    const { connectionId, request } = await connect(stage, wallet, caller)
    const { body: offered } = await stage.call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })
    const offer = await waitFor('the offer to come', async () => (await wallet.credentialExchanges())[0])
    const { credentials, proofs } = wallet.agent.didcomm
    await credentials.sendProblemReport({ credentialExchangeRecordId: offer.id, description: 'no, thank you' })
    const proof = await waitFor('the request to come', async () => (await wallet.proofs())[0])
    await proofs.declineRequest({ proofExchangeRecordId: proof.id, sendProblemReport: true })
    await waitFor('both to be abandoned', async () => {
      const states = [await credentialState(offered.id), await proofState(request.proofRecordId)]
      return states.every((state) => state === 'abandoned')
    })
    const { [connectionId]: _, ...others } = stories(await heardSince(from))
    expect(others).toEqual({
      [offered.id]: ['1 credential.state_changed offer-sent', '2 credential.state_changed offer-sent abandoned'],
      [request.proofRecordId]: ['1 proof.state_changed request-sent', '2 proof.state_changed request-sent abandoned'],
    })
  })
})
