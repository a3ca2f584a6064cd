/** docs/cost.md, held by a test: what it says that the table reads and writes is what the table counts. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sign, type TestIssuer } from '../support/api/tokens.ts'
import { documentedRows, expectAsDocumented, priceOf } from '../support/cost-document.ts'
import { connect, createTenant, issueDegree, offerBody, requestBody } from '../support/scenes.ts'
import {
  type Call,
  type InProcessStage,
  type OperationName,
  startInProcessStage,
} from '../support/stage/in-process-stage.ts'
import { ConsumedUnits, type Units } from '../support/table/consumed-units.ts'
import { type FaultyReceiver, startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const measured: Record<string, Units> = {}
let stage: InProcessStage
let consumed: ConsumedUnits
let receiver: FaultyReceiver
let wallet: Wallet
let issuer: TestIssuer

/** Measures an act under a name of the document. */
const measure = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
  const { result, units } = await consumed.during(act)
  measured[what] = units
  return result
}

const call = (operation: OperationName, request: Call) =>
  measure(operation, async () => {
    const reply = await stage.call(operation, request)
    expect(reply.status).toBeLessThan(300)
    return reply
  })

/** Dispatches and delivers until nothing is left to do. */
const settle = () => stage.line.settle()

beforeAll(async () => {
  issuer = await trustIssuer()
  stage = await startInProcessStage()
  consumed = new ConsumedUnits(stage.serviceClient)
  receiver = await startFaultyReceiver()
  wallet = await Wallet.start({})
})
afterAll(async () => {
  await wallet.stop()
  await receiver.stop()
  await stage.stop()
})

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
  await measure('a message from a wallet', () => wallet.sendMessage(walletConnectionId, 'hello'))
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

  expectAsDocumented(measured, 'all')
})

test('the sums of the document are right', () => {
  for (const table of ['all', 'AnonCreds'] as const)
    for (const [what, row] of documentedRows(table)) expect(row.total, what).toBeCloseTo(priceOf(row), 1)
})
