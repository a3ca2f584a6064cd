/** How many requests to DynamoDB a connection, a message and an exchange make: a budget, because each is money and time. */
import { expect, test } from 'vitest'
import { anonCredsRequest, connect, createTenant, issueDegree, offerBody, requestBody } from '../support/scenes.ts'
import type { Call, OperationName } from '../support/stage/in-process-stage.ts'
import { useStage } from '../support/stage/use-stage.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

/** Commands of the inbound messages, in the order in which they came. */
const inbound: string[][] = []

const stage = await useStage({ delivers: false, warm: true })
const watched = new StoreFaults(stage.serviceClient)
stage.onEnvelope(async (handle) => {
  const { result, commands } = await watched.count(handle)
  inbound.push(commands)
  return result
})
stage.line.run()
const count = async (operation: OperationName, call: Call): Promise<number> => {
  const { result, commands } = await watched.count(() => stage.call(operation, call))
  expect(result.status).toBeLessThan(300)
  return commands.length
}

const lastInbound = (): number => inbound.at(-1)?.length ?? 0

test.each(['didexchange', 'connections'] as const)('a tenant stays within the budget over %s', async (handshake) => {
  const caller = await createTenant(stage)
  const wallet = await Wallet.start({ handshake })
  inbound.length = 0
  const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
  expect(inbound.length).toBeGreaterThan(0)
  // A request is counted before anything else is read.
  for (const made of inbound) expect(made.length).toBeLessThanOrEqual(10)

  expect(await count('createRequest', { caller, body: requestBody })).toBeLessThanOrEqual(3)
  const v1 = { protocolVersion: 'v1', proofFormats: { indy: anonCredsRequest } }
  expect(await count('createRequest', { caller, body: v1 })).toBeLessThanOrEqual(3)
  expect(
    await count('sendMessage', { caller, path: { connectionId }, body: { content: 'hello' } }),
  ).toBeLessThanOrEqual(2)

  await wallet.sendMessage(walletConnectionId, 'hello')
  expect(lastInbound()).toBeLessThanOrEqual(3)
  const messages = { ...caller, connectionId }
  expect(await count('tenantGetBasicMessages', { caller, path: messages })).toBeLessThanOrEqual(2)

  expect(await count('createOffer', { caller, body: offerBody(connectionId, wallet.did) })).toBeLessThanOrEqual(4)
  const credential = await issueDegree(stage, wallet, connectionId, caller)
  expect(await count('getCredentialById', { caller, path: { credentialRecordId: credential.id } })).toBe(1)
  expect(await count('getConnectionById', { caller, path: { connectionId } })).toBe(1)

  const formData = { ...caller, proofRecordId: request.proofRecordId }
  await waitFor('the proof to be verified', async () => {
    const { body } = await stage.call('tenantProofFormData', { caller, path: formData })
    return body.state === 'done'
  })
  expect(await count('tenantProofFormData', { caller, path: formData })).toBeLessThanOrEqual(3)
  for (const made of inbound) expect(made.length).toBeLessThanOrEqual(11)
  await wallet.stop()
})

test('nothing ever scans the table', () => {
  expect(watched.commands.length).toBeGreaterThan(100)
  expect(watched.commands.filter((command) => command.startsWith('Scan'))).toEqual([])
})
