/** Message pickup: a wallet without an endpoint fetches what the agent has for it (Aries RFC 0212 and 0685). */
import { describe, expect, test } from 'vitest'
import { jobItem } from '../../lib/jobs/job.ts'
import { readItem } from '../../lib/store/item.ts'
import { connect, createTenant, offerBody, requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'

const stage = await useStage({ delivers: false })
const caller = await createTenant(stage)

const startConnected = async (body: object = requestBody) => {
  const wallet = await useWallet({ endpoint: false })
  return { wallet, ...(await connect(stage, wallet, caller, body)) }
}

const say = (connectionId: string, content: string) =>
  stage.call('sendMessage', { caller, path: { connectionId }, body: { content } })

const listed = async (connectionId: string, query: Record<string, string> = {}): Promise<Json[]> =>
  (await stage.call('getBasicMessages', { caller, path: { connectionId }, query })).body

const deliveries = async (connectionId: string): Promise<Json[]> =>
  (await listed(connectionId)).map(({ metadata }) => metadata['_agent/delivery'])

const heard = async (wallet: Wallet): Promise<string[]> => (await wallet.messages()).map(({ content }) => content)

describe.each(['v1', 'v2'] as const)('by %s', (version) => {
  test("messages come in the order in which they were sent, once, and the sender's list shows the delivery", async () => {
    const { wallet, connectionId, walletConnectionId } = await startConnected()
    const texts = Array.from({ length: 35 }, (_, number) => `message ${number}`)
    for (const text of texts) {
      const { status, body } = await say(connectionId, text)
      expect(status).toBe(200)
      expect(body.metadata['_agent/delivery']).toEqual({ state: 'waiting-for-pickup', attempts: 0 })
    }
    expect(await deliveries(connectionId)).toEqual(texts.map(() => ({ state: 'waiting-for-pickup', attempts: 0 })))
    await wallet.pickUp(walletConnectionId, version)
    await waitFor('all messages', async () => (await heard(wallet)).length >= texts.length)
    expect(await heard(wallet)).toEqual(texts)
    expect(await deliveries(connectionId)).toEqual(
      texts.map(() => ({ state: 'delivered', attempts: 1, deliveredAt: expect.any(String) })),
    )
    await wallet.pickUp(walletConnectionId, version)
    expect(await heard(wallet)).toHaveLength(texts.length)
    expect(wallet.journal.errors).toEqual([])
  })

  test('a credential is offered and issued, and a proof verified', async () => {
    const { wallet, connectionId, walletConnectionId, request } = await startConnected()
    const { status, body: offered } = await stage.call('createOffer', {
      caller,
      body: offerBody(connectionId, wallet.did),
    })
    expect(status).toBe(200)
    await waitFor('the credential', async () => {
      await wallet.pickUp(walletConnectionId, version)
      return (await wallet.credentials()).length === 1
    })
    await waitFor('both exchanges to be done', async () => {
      await wallet.pickUp(walletConnectionId, version)
      const { body: issued } = await stage.call('getCredentialById', {
        caller,
        path: { credentialRecordId: offered.id },
      })
      const { body: proof } = await stage.call('tenantProofFormData', {
        caller,
        path: { ...caller, proofRecordId: request.proofRecordId },
      })
      return issued.state === 'done' && proof.state === 'done' && proof.isVerified
    })
    expect(wallet.journal.errors).toEqual([])
  })
})

test('the list of messages shows their delivery page by page, of sent messages only', async () => {
  const { wallet, connectionId, walletConnectionId } = await startConnected()
  for (const text of ['one', 'two', 'three']) await say(connectionId, text)
  await wallet.pickUp(walletConnectionId)
  await wallet.sendMessage(walletConnectionId, 'four')
  await say(connectionId, 'five')
  const states = (records: Json[]) =>
    records.map(({ content, metadata }) => [content, metadata['_agent/delivery']?.state])
  const all = [
    ['one', 'delivered'],
    ['two', 'delivered'],
    ['three', 'delivered'],
    ['four', undefined],
    ['five', 'waiting-for-pickup'],
  ]
  expect(states(await listed(connectionId))).toEqual(all)
  expect(states(await listed(connectionId, { order: 'desc', limit: '2' }))).toEqual(all.toReversed().slice(0, 2))
})

test('messages that wait on a deleted connection are given up immediately by the job of its queue', async () => {
  const { connectionId } = await startConnected()
  await say(connectionId, 'one')
  expect((await stage.call('deleteConnection', { caller, path: { connectionId } })).status).toBe(204)
  const job = await readItem(jobItem, { tenant: caller.tenantId, type: 'pickup-expiry', id: connectionId })
  expect(job?.dueAt).toBeLessThanOrEqual(Date.now())
})
