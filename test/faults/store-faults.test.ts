/** One request to DynamoDB fails, at every place where one is made: who tries again finds that nothing shows of it. */
import { randomUUID } from 'node:crypto'
import { paginateScan } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sign } from '../support/api/tokens.ts'
import { connect, createTenant, issueDegree, offerBody, requestBody } from '../support/scenes.ts'
import {
  type Call,
  type InProcessStage,
  type OperationName,
  startInProcessStage,
} from '../support/stage/in-process-stage.ts'
import { FAULTS, type Fault, StoreFaults } from '../support/table/store-fault.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

let stage: InProcessStage
/** Of a root token, for the operation that looks at it itself. */
let authorization: string
/** Each exists, and nobody has registered anything for it. */
const organizations: string[] = []
let faults: StoreFaults
/** A wallet that takes what comes and says nothing by itself: what it did would come amid a test. */
let silent: Wallet
let caller: { tenantId: string }
let connectionId: string
let credentialRecordId: string
let proofRecordId: string

beforeAll(async () => {
  const issuer = await trustIssuer()
  authorization = `Bearer ${await sign(issuer, { role: 'RestRootAgentWithTenants' })}`
  stage = await startInProcessStage()
  for (let number = 0; number < 50; number++) organizations.push((await createTenant(stage)).tenantId)
  faults = new StoreFaults(stage.serviceClient)
  stage.line.run()
  caller = await createTenant(stage)
  const holder = await Wallet.start()
  const connected = await connect(stage, holder, caller)
  credentialRecordId = (await issueDegree(stage, holder, connected.connectionId, caller)).id
  proofRecordId = connected.request.proofRecordId
  await proofDone(proofRecordId)
  await holder.stop()
  silent = await Wallet.start({ acceptOffers: false, answerProofs: false })
  connectionId = (await connect(stage, silent, caller)).connectionId
})
afterAll(async () => {
  await silent.stop()
  await stage.stop()
})

const proofDone = (proofRecordId: string) =>
  waitFor('the proof to be done', async () => {
    const { body } = await stage.call('tenantProofFormData', { caller, path: { ...caller, proofRecordId } })
    return body.state === 'done'
  })

const headers = () => ({ 'idempotency-key': randomUUID() })
const hook = 'https://example.com/hook'
const notification = (orgId: string | undefined) => ({ orgId, notificationWebhook: hook })

/** A call of each operation; a new one each time, so that its effect is its own. */
const CALLS: [OperationName, () => Call][] = [
  ['getCredentialById', () => ({ caller, path: { credentialRecordId } })],
  ['getConnections', () => ({ caller })],
  ['getConnectionById', () => ({ caller, path: { connectionId } })],
  ['tenantGetBasicMessages', () => ({ caller, path: { connectionId, ...caller } })],
  ['tenantProofFormData', () => ({ caller, path: { proofRecordId, ...caller } })],
  ['sendMessage', () => ({ caller, path: { connectionId }, body: { content: 'x' }, headers: headers() })],
  ['createRequest', () => ({ caller, body: requestBody, headers: headers() })],
  ['createOffer', () => ({ caller, body: offerBody(connectionId, silent.did), headers: headers() })],
  ['createTenant', () => ({ body: { config: { label: 'Another' } }, headers: headers() })],
  ['registerWebhook', () => ({ path: { orgId: randomUUID() }, body: { webhookUrl: hook }, headers: headers() })],
  [
    'registerNotificationWebhook',
    () => ({ body: notification(randomUUID()), headers: { authorization, ...headers() } }),
  ],
  // Without a token, for an organization that exists.
  ['registerNotificationWebhook', () => ({ body: notification(organizations.pop()) })],
]

/** How many items the table has of each kind that an operation of ours makes, by record type. */
const census = async (): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {}
  const looked = { TableName: stage.table, ProjectionExpression: 'kind, pk' }
  for await (const { Items = [] } of paginateScan({ client: stage.client }, looked))
    for (const { kind, pk } of Items) {
      // Decoys lie at places chosen by chance, and say nothing.
      if (kind?.S === 'decoy') continue
      const of = kind?.S === 'record' || kind?.S === 'entry' ? `${kind.S} ${pk?.S?.split('|')[1]}` : `${kind?.S}`
      counts[of] = (counts[of] ?? 0) + 1
    }
  return counts
}

const difference = (after: Record<string, number>, before: Record<string, number>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(after)
      .map(([of, count]) => [of, count - (before[of] ?? 0)] as const)
      .filter(([, more]) => more !== 0),
  )

describe.each(Object.entries(FAULTS))('when a request %s', (_name, fault) => {
  test.each(CALLS)('%s has no effect, or all of it, and succeeds when it is tried again', async (name, callOf) => {
    await stage.line.pause()
    await stage.call(name, callOf())
    let before = await census()
    const { commands } = await faults.count(() => stage.call(name, callOf()))
    let after = await census()
    const effect = difference(after, before)
    for (let at = 1; at <= commands.length; at++) {
      const call = callOf()
      // Nothing has moved in between.
      before = after
      const { result } = await faults.inject(at, fault, () => stage.call(name, call))
      expect(result, `request ${at}`).toMatchObject({ status: 503, body: { error: 'Service Unavailable' } })
      expect((await stage.call(name, call)).status, `request ${at}`).toBeLessThan(300)
      after = await census()
      expect(difference(after, before), `request ${at}`).toEqual(effect)
    }
    expect(await checkTable(stage.client, stage.table)).toEqual([])
    stage.line.run()
  })

  test('an inbound message is handled once, however often its sender has to try', async () => {
    stage.onEnvelope((handle) => untilNoneIsLeft(fault, handle))
    const holder = await Wallet.start()
    const { connectionId, walletConnectionId, request } = await connect(stage, holder, caller)
    await holder.sendMessage(walletConnectionId, 'once')
    await issueDegree(stage, holder, connectionId, caller)
    const { body: messages } = await stage.call('tenantGetBasicMessages', { caller, path: { connectionId, ...caller } })
    expect(messages.map(({ content }: { content: string }) => content)).toEqual(['once'])
    await proofDone(request.proofRecordId)
    expect(holder.journal.errors).toEqual([])
    expect(await checkTable(stage.client, stage.table)).toEqual([])
    await holder.stop()
  })
})

/** Handles an envelope with a fault at its first request, again with one at its second, and so on until it gets through. */
const untilNoneIsLeft = async (fault: Fault, handle: Parameters<Parameters<InProcessStage['onEnvelope']>[0]>[0]) => {
  for (let at = 1; ; at++) {
    const { result, injected } = await faults.inject(at, fault, handle)
    if (!injected || result.status === 200) return result
    expect(result.status).toBe(503)
  }
}
