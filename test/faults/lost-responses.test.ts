/** The response of a commit of one item is lost, and the SDK sends it again: the operation succeeds, with one effect. */
import { GetItemCommand, PutItemCommand, type PutItemCommandInput } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { toKey } from '../../lib/store/table.ts'
import { endpointItem } from '../../lib/webhooks/endpoint-item.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { exampleOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { withOpenStack } from '../support/table/open-stack.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'

/** Operations that commit one item, without an `Idempotency-Key`, whose item would be a second one. */
const ONE_ITEM = [
  'EnableWebhookEndpoint',
  'RegisterNotificationWebhook',
  'RegisterWebhook',
  'ResumeIssuanceSession',
  'RotateWebhookSecret',
  'SendPing',
  'TestWebhookEndpoint',
  'UpdateIssuanceSession',
  'UpdateIssuer',
]

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
await useQuickKeys()
stage.line.run()
const call = callInProcess(stage, issuer)
const scene = await CallScene.start(call, await useWallet({ acceptOffers: false, answerProofs: false }))

/** Every try of a put with its own id, and whether it wrote the item. */
let tries: { id: string; worked: boolean }[] | undefined
withOpenStack(stage.serviceClient).middlewareStack.add(
  (next) => async (parameters) => {
    const { Item: { writeId } = {} } = parameters.input as Partial<PutItemCommandInput>
    if (tries === undefined || writeId?.B === undefined) return next(parameters)
    const id = Buffer.from(writeId.B).toString('hex')
    const isFirst = tries.every((one) => one.id !== id)
    const result = await next(parameters).catch((error: unknown) => {
      tries?.push({ id, worked: false })
      throw error
    })
    tries.push({ id, worked: true })
    if (isFirst) throw Object.assign(new Error('injected'), { name: 'TimeoutError' })
    return result
  },
  // Inside of the SDK's repetitions.
  { step: 'deserialize', priority: 'high' },
)

/** Disables the endpoint of a call: otherwise enabling it writes nothing. */
const disable = async (path: Record<string, string> = {}): Promise<void> => {
  const Key = toKey(endpointItem.addressOf({ orgId: path.orgId ?? '', kind: 'webhook' }))
  const { Item } = await stage.client.send(new GetItemCommand({ TableName: stage.table, Key }))
  await stage.client.send(
    new PutItemCommand({ TableName: stage.table, Item: { ...Item, ...Key, status: { S: 'disabled' } } }),
  )
}

test('each of them writes once, and succeeds', async () => {
  const lost: Record<string, boolean[]> = {}
  for (const { operationId, method } of OPERATIONS) {
    if (method === 'GET') continue
    const { asked, caller } = await exampleOf(operationId, scene)
    if (operationId === 'EnableWebhookEndpoint') await disable(asked.path)
    await stage.line.pause()
    tries = []
    const { status, body } = await call(operationId, { ...asked, ...(caller !== undefined && { caller }) })
    if (tries.length > 0) lost[operationId] = tries.map(({ worked }) => worked)
    tries = undefined
    stage.line.run()
    expect(status, `${operationId}: ${JSON.stringify(body)}`).toBeLessThan(300)
  }
  expect(lost).toEqual(Object.fromEntries(ONE_ITEM.map((operationId) => [operationId, [true, false]])))
  expect(await checkTable(stage.client, stage.table)).toEqual([])
})
