/** docs/cost.md, held by a test: what it says that the table reads and writes is what the table counts. */
import { expect, test } from 'vitest'
import { functionsOfServiceFile } from '../../infra/access/service-file.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { sign } from '../support/api/tokens.ts'
import { exampleOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { ANONCREDS_FLOWS, documented, expectUnits, priceOf } from '../support/cost/document.ts'
import { connect, createTenant, issueDegree, offerBody, requestBody } from '../support/scenes.ts'
import { handlerOf } from '../support/source/operation-functions.ts'
import type { Call, OperationName } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { ConsumedUnits, type Units } from '../support/table/consumed-units.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const measured: Record<string, Units & { milliseconds: number }> = {}

/** Measures an act under a name of the document. */
const measure = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
  const startedAt = performance.now()
  const { result, units } = await consumed.during(act)
  measured[what] = { ...units, milliseconds: performance.now() - startedAt }
  return result
}

const call = (operation: OperationName, request: Call) =>
  measure(operation, async () => {
    const reply = await stage.call(operation, request)
    expect(reply.status).toBeLessThan(300)
    return reply
  })

const memoryOf = (key: string): number | undefined => functionsOfServiceFile()[key]?.memorySize

/** Dispatches and delivers until nothing is left to do. */
const settle = () => stage.line.settle()

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
const consumed = new ConsumedUnits(stage.serviceClient)
await useQuickKeys()
const receiver = await stopAtEnd(startFaultyReceiver())
const wallet = await useWallet()

test('what an operation, a message and an event consume is what the document says', async () => {
  const caller = await createTenant(stage)
  const { tenantId } = caller
  stage.line.run()
  // The tenant's data key, its DIDs and those of the wallet are there once they are used.
  const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
  const credential = await issueDegree(stage, wallet, connectionId, caller)
  await waitFor('the proof to be verified', async () => {
    const path = { tenantId, proofRecordId: request.proofRecordId }
    return (await stage.call('tenantProofFormData', { caller, path })).body.state === 'done'
  })
  await stage.line.pause()
  await settle()

  await call('createTenant', { body: { config: { label: 'Acme' } } })
  await call('createRequest', { caller, body: requestBody })
  await call('getConnections', { caller, query: { outOfBandId: request.outOfBandRecord.id } })
  await call('getConnectionById', { caller, path: { connectionId } })
  await call('getCredentialById', { caller, path: { credentialRecordId: credential.id } })
  await call('tenantProofFormData', { caller, path: { tenantId, proofRecordId: request.proofRecordId } })

  await call('sendMessage', { caller, path: { connectionId }, body: { content: 'hello' } })
  await measure('its delivery', settle)
  await measure('receiveDidcomm', () => wallet.sendMessage(walletConnectionId, 'hello'))
  await settle()
  for (let message = 2; message < 20; message++)
    await stage.call('sendMessage', { caller, path: { connectionId }, body: { content: `message ${message}` } })
  await settle()
  await call('tenantGetBasicMessages', { caller, path: { tenantId, connectionId }, query: { limit: '20' } })

  const schema = { name: 'degree', version: '1.0', attributes: ['degree'] }
  const { body: published } = await stage.call('createSchema', { caller, body: schema })
  await settle()
  await call('getWebvhLog', { path: { tenantId } })
  await call('getWebvhResource', { path: { tenantId, resourceId: published.schemaId.split('/').at(-1) } })

  await call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })
  await settle()
  const { body: invitation } = await stage.call('createRequest', { caller, body: requestBody })
  stage.line.run()
  await measure('a wallet that connects and proves', async () => {
    await wallet.connect(invitation.invitationUrl)
    const path = { tenantId, proofRecordId: invitation.proofRecordId }
    await waitFor('the proof to be accepted', () =>
      consumed.aside(async () => (await stage.call('tenantProofFormData', { caller, path })).body.state === 'done'),
    )
    await stage.line.pause()
    await settle()
  })
  stage.line.run()
  await measure('a credential that is issued', async () => {
    const offered = await stage.call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })
    const path = { credentialRecordId: offered.body.id }
    await waitFor('the credential to be issued', () =>
      consumed.aside(async () => (await stage.call('getCredentialById', { caller, path })).body.state === 'done'),
    )
    await stage.line.pause()
    await settle()
  })

  const path = { orgId: tenantId }
  const { body } = await call('registerWebhook', { path, body: { webhookUrl: `${receiver.url}/webhook` } })
  const headers = { authorization: `Bearer ${await sign(issuer, { role: 'RestRootAgentWithTenants' })}` }
  const notification = { orgId: tenantId, notificationWebhook: `${receiver.url}/notification` }
  await call('registerNotificationWebhook', { headers, body: notification })
  await settle()
  const endpoint = { orgId: tenantId, endpointId: body.data.id }
  // The first event to an endpoint also finds out how quick it is.
  await stage.call('testWebhookEndpoint', { path: endpoint })
  await settle()
  await call('testWebhookEndpoint', { path: endpoint })
  await measure('its event', settle)
  await call('getWebhookEndpoints', { path: { orgId: tenantId } })
  await call('getWebhookDeliveries', { path: endpoint })
  await call('enableWebhookEndpoint', { path: endpoint })
  await settle()
  await call('replayWebhookEvents', { path: endpoint, body: { since: new Date(Date.now() - 60_000).toISOString() } })
  await settle()
  await call('rotateWebhookSecret', { path: endpoint })
  await settle()
  await call('deleteWebhookEndpoint', { path: endpoint })
})

test('what every other operation consumes, by its example call, is measured too', async () => {
  const guest = await Wallet.start({ acceptOffers: false, answerProofs: false })
  stage.line.run()
  const scene = await CallScene.start(callInProcess(stage, issuer), guest)
  // Lists first, before there is more in them.
  const lists = OPERATIONS.filter(({ parameters }) => parameters?.query !== undefined)
  for (const { operationId, idempotent } of new Set([...lists, ...OPERATIONS])) {
    const what = handlerOf(operationId)
    if (what in measured) continue
    const make = () => exampleOf(operationId, scene)
    // The first call makes what an agent makes once.
    const first = await make()
    await scene.call(operationId, { ...first.asked, caller: first.caller })
    const { asked, caller } = await make()
    // What still waits to be delivered would be read too.
    if (idempotent) await stage.line.pause().then(settle)
    const startedAt = performance.now()
    const { result, units } = await consumed.of(() => scene.call(operationId, { ...asked, caller }))
    expect(result.status, JSON.stringify(result.body)).toBeLessThan(300)
    measured[what] = { ...units, milliseconds: performance.now() - startedAt }
    stage.line.run()
  }
  await stage.line.pause()
  await guest.stop()
})

test('the document has a row for everything that is measured, and no other', () => {
  expect(Object.keys(measured)).toEqual(
    expect.arrayContaining(OPERATIONS.map(({ operationId }) => handlerOf(operationId))),
  )
  // As they are to be pasted. The milliseconds are those of this run: `npm run bench -- operations` measures the processor's.
  const missing = Object.entries(measured)
    .filter(([what]) => !documented.has(what))
    .map(([what, { read, write, milliseconds }]) => {
      const row = { read: Math.ceil(read), write, http: 1, background: 0, memory: memoryOf(what) ?? 0 }
      const lambdaMs = Math.round(milliseconds)
      const cells = [`\`${what}\``, ...Object.values(row), lambdaMs, priceOf({ ...row, lambdaMs, total: 0 }).toFixed(2)]
      return `| ${cells.join(' | ')} |`
    })
  expect(missing).toEqual([])
  expect([...documented.keys()].toSorted()).toEqual([...Object.keys(measured), ...ANONCREDS_FLOWS].toSorted())
})

test.each([...documented].filter(([what]) => !ANONCREDS_FLOWS.includes(what)))(
  '%s consumes what the document says',
  (what, row) => expectUnits(measured[what], row),
)

test('the sums of the document are right', () => {
  for (const [what, row] of documented) expect(row.total, what).toBeCloseTo(priceOf(row), 1)
})

test('operations have the memory that the document says', () => {
  for (const { operationId } of OPERATIONS) {
    const key = handlerOf(operationId)
    expect([key, documented.get(key)?.memory]).toEqual([key, memoryOf(key)])
  }
})
