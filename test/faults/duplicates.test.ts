/** Senders that are not sure deliver again. Every inbound message comes three times at once, and all of them once more at the end. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type InProcessStage, type Reply, startInProcessStage } from '../support/in-process-stage.ts'
import { connect, createTenant, issueDegree } from '../support/scenes.ts'
import { checkTable } from '../support/table-checker.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

let stage: InProcessStage

beforeAll(async () => {
  stage = await startInProcessStage()
  stage.onEnvelope(async (handle) => {
    const replies = await Promise.all([handle(), handle(), handle()])
    for (const { status } of replies) expect(status).toBe(200)
    expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    return replies[0] as Reply
  })
  stage.line.run()
})
afterAll(() => stage.stop())

test.each([
  ['didexchange', true],
  ['didexchange', false],
  ['connections', true],
  ['connections', false],
] as const)(
  'over %s, with an endpoint: %s, each has one effect and every thread goes on',
  async (handshake, endpoint) => {
    const caller = await createTenant(stage)
    const wallet = await Wallet.start({ handshake, endpoint })
    const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
    await wallet.sendMessage(walletConnectionId, 'once')
    if (endpoint) {
      await stage.call('sendMessage', { caller, path: { connectionId }, body: { content: 'from the agent' } })
      await issueDegree(stage, wallet, connectionId, caller)
      await waitFor('the proof to be done', async () => {
        const path = { ...caller, proofRecordId: request.proofRecordId }
        return (await stage.call('tenantProofFormData', { caller, path })).body.state === 'done'
      })
    }

    for (const { status } of await wallet.repost()) expect(status).toBe(200)
    await wallet.sendMessage(walletConnectionId, 'and on')

    const { body: messages } = await stage.call('tenantGetBasicMessages', { caller, path: { ...caller, connectionId } })
    const received = messages.filter(({ role }: { role: string }) => role === 'receiver')
    expect(received.map(({ content }: { content: string }) => content)).toEqual(['once', 'and on'])
    const { body: connections } = await stage.call('getConnections', { caller })
    expect(connections.map(({ state }: { state: string }) => state)).toEqual(['completed'])
    if (endpoint) await issueDegree(stage, wallet, connectionId, caller)
    expect({ errors: wallet.journal.errors, problems: wallet.journal.problems }).toEqual({ errors: [], problems: [] })
    expect(await checkTable(stage.client, stage.table)).toEqual([])
    await wallet.stop()
  },
)
