/** Every operation that sends something to a connection does so where the wallet has no endpoint: it fetches what waits for it. */
import { setTimeout as delay } from 'node:timers/promises'
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ACCESS } from '../../infra/access.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { jobItem } from '../../lib/jobs/job-item.ts'
import { queueItem } from '../../lib/pickup/pickup-item.ts'
import { toKey } from '../../lib/store/table.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { EXAMPLES, exampleOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { handlerOf } from '../support/source/operation-functions.ts'
import { type InProcessStage, startInProcessStage } from '../support/stage/in-process-stage.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { Wallet } from '../wallet/wallet.ts'

let stage: InProcessStage
let wallet: Wallet
let scene: CallScene
let fetching = true
let fetched: Promise<void>

/** Fetches again and again, on every connection. */
const fetchAll = async (): Promise<void> => {
  for (; fetching; await delay(20))
    for (const { id, isReady } of await wallet.connections()) if (isReady) await wallet.pickUp(id)
}

beforeAll(async () => {
  const issuer = await trustIssuer()
  stage = await startInProcessStage()
  await useQuickKeys()
  stage.line.run()
  wallet = await Wallet.start({ endpoint: false })
  scene = await CallScene.start(callInProcess(stage, issuer), wallet)
  fetched = fetchAll()
})
afterAll(async () => {
  fetching = false
  await fetched
  await wallet.stop()
  await stage.stop()
})

/** Those whose role lets them add to queues. */
const SENDING = OPERATIONS.map(({ operationId }) => operationId).filter(
  (operationId) =>
    operationId in EXAMPLES &&
    operationId !== 'ReceiveDidcomm' &&
    ACCESS[handlerOf(operationId)]?.PutItem?.includes('*|pickup|*'),
)

/** As if nothing had ever waited: what is sent next makes the queue of its connection, and the job of that. */
const withoutQueues = async (): Promise<void> => {
  for (const { id } of await scene.done('GetConnections')) {
    const key = { tenant: scene.tenantId, connectionId: id }
    for (const address of [queueItem.addressOf(key), jobItem.addressOf({ ...key, type: 'pickup-expiry', id })])
      await stage.client.send(new DeleteItemCommand({ TableName: stage.table, Key: toKey(address) }))
  }
}

test.each(SENDING)('%s', async (operationId) => {
  const { asked, caller } = await exampleOf(operationId, scene)
  await withoutQueues()
  const { status } = await scene.call(operationId, { ...asked, caller })
  expect(status).toBeLessThan(300)
})
