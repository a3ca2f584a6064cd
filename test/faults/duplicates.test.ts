/** Senders without an answer deliver again. Every inbound message comes three times concurrently, and all of them once more 5 s later. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { connect, createTenant, issueDegree } from '../support/scenes.ts'
import type { Reply } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { waitFor } from '../wallet/wait.ts'
import type { Wallet } from '../wallet/wallet.ts'

/** How long a sender waits for its answer before it sends again, in ms. */
const AGAIN_AFTER = 5_000

const WAYS = [
  { handshake: 'didexchange', endpoint: true },
  { handshake: 'didexchange', endpoint: false },
  { handshake: 'connections', endpoint: true },
  { handshake: 'connections', endpoint: false },
] as const

type Way = (typeof WAYS)[number]

interface Exchange {
  caller: { tenantId: string }
  wallet: Wallet
  connectionId: string
  walletConnectionId: string
}

const exchanges = new Map<Way, Exchange>()

/** Handshake and message; with an endpoint also a credential and a proof. */
const exchange = async (way: Way): Promise<Exchange> => {
  const caller = await createTenant(stage)
  const wallet = await useWallet(way)
  const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
  await wallet.sendMessage(walletConnectionId, 'once')
  if (way.endpoint) {
    await stage.call('sendMessage', { caller, path: { connectionId }, body: { content: 'from the agent' } })
    await issueDegree(stage, wallet, connectionId, caller)
    await waitFor('the proof to be done', async () => {
      const path = { ...caller, proofRecordId: request.proofRecordId }
      return (await stage.call('tenantProofFormData', { caller, path })).body.state === 'done'
    })
  }
  return { caller, wallet, connectionId, walletConnectionId }
}

const stage = await useStage({ delivers: false })
stage.onEnvelope(async (handle) => {
  const replies = await Promise.all([handle(), handle(), handle()])
  for (const { status } of replies) expect(status).toBe(200)
  expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  return replies[0] as Reply
})
stage.line.run()
for (const way of WAYS) exchanges.set(way, await exchange(way))
await delay(AGAIN_AFTER)

test.each(WAYS)(
  'over $handshake, with an endpoint: $endpoint, each has one effect and every thread goes on',
  async (way) => {
    const { caller, wallet, connectionId, walletConnectionId } = exchanges.get(way) as Exchange
    for (const { status } of await wallet.repost()) expect(status).toBe(200)
    await wallet.sendMessage(walletConnectionId, 'and on')

    const { body: messages } = await stage.call('tenantGetBasicMessages', { caller, path: { ...caller, connectionId } })
    const received = messages.filter(({ role }: { role: string }) => role === 'receiver')
    expect(received.map(({ content }: { content: string }) => content)).toEqual(['once', 'and on'])
    const { body: connections } = await stage.call('getConnections', { caller })
    expect(connections.map(({ state }: { state: string }) => state)).toEqual(['completed'])
    if (way.endpoint) await issueDegree(stage, wallet, connectionId, caller)
    expect({ errors: wallet.journal.errors, problems: wallet.journal.problems }).toEqual({ errors: [], problems: [] })
    expect(await checkTable(stage.client, stage.table)).toEqual([])
  },
)
