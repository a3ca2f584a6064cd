/** A whole run with all kinds of failures, on LOG_LEVEL debug: no line holds a secret, the content of a message or an attribute. */
import { afterAll, expect, test, vi } from 'vitest'
import { testWithLibrary } from '../support/anoncreds/library.ts'
import { useMemoryRegistry } from '../support/anoncreds/memory-registry.ts'
import { acceptOffer, offerToTenant, secretsOf, storedBy } from '../support/anoncreds/tenant-holder.ts'
import { definitionOf } from '../support/anoncreds/world.ts'
import { connect, createTenant, issueDegree } from '../support/scenes.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { FAULTS, StoreFaults } from '../support/table/store-fault.ts'
import { connectTenants } from '../support/tenants.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { OrganizationEndpoints, trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'

const METHODS = ['log', 'info', 'warn', 'error', 'debug'] as const
const TO_WALLET = 'what the agent confides to the wallet'
const FROM_WALLET = 'what the wallet confides to the agent'

const lines: string[] = []
const secrets: string[] = []

process.env.LOG_LEVEL = 'debug'
for (const method of METHODS)
  vi.spyOn(console, method).mockImplementation((...parts) => void lines.push(parts.map(String).join(' ')))
const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
const receiver = await stopAtEnd(startFaultyReceiver())
const wallet = await useWallet()
const caller = await createTenant(stage)
afterAll(async () => {
  vi.restoreAllMocks()
})

const register = () => OrganizationEndpoints.register({ stage, receiver, issuer }, caller.tenantId)
secrets.push(...Object.values((await register()).secrets))

const send = (connectionId: string, body: unknown) =>
  stage.call('sendMessage', { caller, path: { connectionId }, body })

/** Everything that is reported in events happens, and is reported. */
const exchange = async (): Promise<string> => {
  stage.line.run()
  const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
  await send(connectionId, { content: TO_WALLET })
  await wallet.sendMessage(walletConnectionId, FROM_WALLET)
  await issueDegree(stage, wallet, connectionId, caller)
  await waitFor('the proof to be done', async () => {
    const path = { tenantId: caller.tenantId, proofRecordId: request.proofRecordId }
    return (await stage.call('tenantProofFormData', { caller, path })).body.state === 'done'
  })
  await stage.line.pause()
  await stage.line.settle()
  return connectionId
}

/** The tenant issues AnonCreds to another one; both of them keep secrets. */
const exchangeAnonCreds = async (): Promise<string[]> => {
  await useMemoryRegistry()
  const { credentialDefinitionId } = await definitionOf(caller.tenantId)
  const holder = await createTenant(stage, 'Holder')
  stage.line.run()
  const { connectionId } = await connectTenants(stage, caller, holder)
  const attributes = [
    { name: 'degree', value: 'Bachelor' },
    { name: 'age', value: '24' },
  ]
  const credentialFormats = { anoncreds: { credentialDefinitionId, attributes } }
  const { heldId } = await offerToTenant(stage, { issuer: caller, holder, connectionId, credentialFormats })
  await acceptOffer(stage, holder, heldId)
  await storedBy(stage, holder, heldId)
  await stage.line.pause()
  await stage.line.settle()
  return secretsOf({ ...caller, credentialDefinitionId }, { ...holder, heldId })
}

/** Callers, the table, the wallet and the endpoints fail, each with data that must not be logged. */
const makeTrouble = async (connectionId: string): Promise<void> => {
  const faults = new StoreFaults(stage.serviceClient)
  await send('unknown', { content: TO_WALLET })
  await send(connectionId, { content: [TO_WALLET] })
  await send(connectionId, `{"content": ${TO_WALLET}`)
  await stage.call('receiveDidcomm', { path: { tenantId: caller.tenantId }, body: { protected: TO_WALLET } })
  for (const [at, fault] of Object.values(FAULTS).entries())
    await faults.inject(at + 1, fault, () => send(connectionId, { content: TO_WALLET }))
  await wallet.pause()
  await send(connectionId, { content: TO_WALLET })
  receiver.behave({ status: 500, body: TO_WALLET }, { status: 410, body: TO_WALLET })
  for (const fault of Object.values(FAULTS)) await faults.inject(1, fault, () => stage.line.dispatch())
  for (let moves = 0; moves < 5; moves++) await stage.line.move()
  for (const fault of Object.values(FAULTS)) await faults.inject(1, fault, () => stage.line.deliver())
  secrets.push(...Object.values((await register()).secrets).filter((secret) => secret !== undefined))
}

/** Garbled changes for the dispatcher. */
const garble = async (): Promise<void> => {
  const { dispatchChanges } = await import('../../functions/dispatch-changes.ts')
  const kinds = ['record', 'registration']
  const garbled = kinds.map((kind, index) => ({
    eventName: 'INSERT' as const,
    dynamodb: {
      SequenceNumber: String(index),
      NewImage: {
        ...{ kind: { S: kind }, pk: { S: 'a|ProofRecord|b' }, state: { S: 'pending' }, status: { S: 'disabled' } },
        ...{ content: { S: TO_WALLET }, version: { N: '1' }, events: { S: TO_WALLET } },
      },
    },
  }))
  expect(await dispatchChanges({ Records: garbled })).toEqual({ batchItemFailures: [] })
}

const said = (text: string): number => lines.filter((line) => line.includes(text)).length
const expectHidden = (texts: string[]): void => {
  for (const hidden of texts) expect({ hidden, said: said(hidden) }).toEqual({ hidden, said: 0 })
}

/** What AnonCreds keep secret, where the library is: in the table while the other test makes trouble. */
let anonCreds: string[] = []

testWithLibrary('no line of the log holds a secret of AnonCreds, or an attribute', async () => {
  const before = lines.length
  anonCreds = await exchangeAnonCreds()
  expect(lines.length).toBeGreaterThan(before)
  expect(anonCreds).toHaveLength(4)
  expectHidden(['Bachelor', ...anonCreds])
})

test('no line of the log holds a secret, a content or an attribute', async () => {
  await makeTrouble(await exchange())
  await garble()
  for (const text of ['outbox.attempt_failed', 'dispatcher.event_not_written', 'endpoint disabled'])
    expect({ text, said: said(text) }).toEqual({ text, said: expect.toSatisfy((times) => times > 0) })
  expect(said('dispatcher.change_parked')).toBeGreaterThanOrEqual(2)
  expect(secrets.length).toBeGreaterThanOrEqual(2)
  expectHidden([
    TO_WALLET,
    FROM_WALLET,
    'Bachelor',
    'whsec_',
    ...secrets.map((secret) => secret.slice(6)),
    ...anonCreds,
  ])
})
