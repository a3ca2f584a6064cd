/** docs/cost.md, checked by a test: the table counts the reads and writes that the document states. */
import { randomInt } from 'node:crypto'
import { expect, test } from 'vitest'
import { functionsOfServiceFile } from '../../infra/access/service-file.ts'
import { needsRegistries } from '../../infra/anoncreds/functions.ts'
import { CREDENTIAL_WRITES } from '../../infra/deployment/checks/account.ts'
import type { Contract } from '../../lib/interface/contract.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { exampleOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import {
  ANONCREDS_FLOWS,
  budgetOf,
  budgets,
  documented,
  OPENID_ISSUANCE,
  OPENID_PRESENTATION,
  priceOf,
  requestBudgets,
} from '../support/cost/document.ts'
import { expectUnits } from '../support/cost/expect-units.ts'
import { expectStored, storedBytes } from '../support/cost/storage.ts'
import { connect, createTenant, degreeDefinition, issueDegree, offerBody, requestBody } from '../support/scenes.ts'
import { functionOf, handlerOf } from '../support/source/operation-functions.ts'
import type { Call, OperationName } from '../support/stage/in-process-stage.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { ConsumedUnits, type Units } from '../support/table/consumed-units.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'
import { Wallet } from '../wallet/wallet.ts'

const measured: Record<string, Units> = {}

/** Measures an act under a name of the document. */
const measure = async <T>(what: string, act: () => Promise<T>, into = measured): Promise<T> => {
  const { result, units } = await consumed.during(act)
  into[what] = units
  return result
}

const call = (operation: OperationName, request: Call, into = measured) =>
  measure(
    operation,
    async () => {
      const reply = await stage.call(operation, request)
      expect(reply.status).toBeLessThan(300)
      return reply
    },
    into,
  )

/** Dispatches and delivers until no work is left. */
const settle = () => stage.line.settle()

const stored: Record<string, number> = {}

/** Measures what an act leaves in the table. */
const storing = async (what: string, act: () => Promise<unknown>): Promise<void> => {
  const before = await storedBytes(stage)
  await act()
  stored[what] = (await storedBytes(stage)) - before
}

interface Flows {
  caller: { tenantId: string }
  connectionId: string
  walletConnectionId: string
  /** Of messages in both directions. */
  content: string
  request: typeof requestBody
}

/** Messages, and a request with the wallet that connects and proves. */
const measureFlows = async (flows: Flows, into = measured): Promise<void> => {
  const { caller, connectionId, walletConnectionId, content, request } = flows
  await call('sendMessage', { caller, path: { connectionId }, body: { content } }, into)
  await measure('its delivery', settle, into)
  await measure('receiveDidcomm', () => wallet.sendMessage(walletConnectionId, content), into)
  await settle()
  const { body: invitation } = await call('createRequest', { caller, body: request }, into)
  stage.line.run()
  await measure(
    'a wallet that connects and proves',
    async () => {
      await wallet.connect(invitation.invitationUrl)
      const path = { tenantId: caller.tenantId, proofRecordId: invitation.proofRecordId }
      await waitFor('the proof to be accepted', () =>
        consumed.aside(async () => (await stage.call('tenantProofFormData', { caller, path })).body.state === 'done'),
      )
      await stage.line.pause()
      await settle()
    },
    into,
  )
}

/** Text that packing does not shorten by much. */
const wordsOf = (bytes: number): string =>
  Array.from({ length: bytes / 5 }, () =>
    randomInt(36 ** 4)
      .toString(36)
      .padStart(4, '0'),
  )
    .join(' ')
    .padEnd(bytes, '.')

/** Bytes of a message, and of a definition. */
const LARGER = { message: 300, definition: 3072 }
const definitionBytes = Buffer.byteLength(JSON.stringify(degreeDefinition))
const larger: Record<string, Units> = {}
const largerRequest = structuredClone(requestBody)
const { presentationDefinition } = largerRequest.proofFormats.presentationExchange
const [sentence, another, third] = wordsOf(LARGER.definition - definitionBytes).match(/.{1,1000}/g) ?? []
Object.assign(presentationDefinition, { purpose: sentence })
Object.assign(presentationDefinition.input_descriptors[0] ?? {}, { name: another, purpose: third })

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false, embedded: true })
const consumed = new ConsumedUnits(stage.serviceClient)
const watched = new StoreFaults(stage.serviceClient)
await useQuickKeys()
const receiver = await stopAtEnd(startFaultyReceiver())
const wallet = await useWallet()

test('what an operation, a message and an event consume is what the document says', async () => {
  const caller = await createTenant(stage)
  const { tenantId } = caller
  stage.line.run()
  // The tenant's data key, its DIDs and those of the wallet are there once they are used.
  const { connectionId, walletConnectionId, request } = await connect(stage, wallet, caller)
  await issueDegree(stage, wallet, connectionId, caller)
  await waitFor('the proof to be verified', async () => {
    const path = { tenantId, proofRecordId: request.proofRecordId }
    return (await stage.call('tenantProofFormData', { caller, path })).body.state === 'done'
  })
  await stage.line.pause()
  await settle()

  await call('createInvitation', { caller, body: {} })
  const flows = { caller, connectionId, walletConnectionId }
  await storing('a message in each direction, and a wallet that connects and proves', () =>
    measureFlows({ ...flows, content: 'hello', request: requestBody }),
  )
  await measureFlows({ ...flows, content: wordsOf(LARGER.message), request: largerRequest }, larger)
  const issue = async () => {
    stage.line.run()
    const offered = await stage.call('createOffer', { caller, body: offerBody(connectionId, wallet.did) })
    const path = { credentialRecordId: offered.body.id }
    await waitFor('the credential to be issued', () =>
      consumed.aside(async () => (await stage.call('getCredentialById', { caller, path })).body.state === 'done'),
    )
    await stage.line.pause()
    await settle()
  }
  await storing('a credential that is issued', () => measure('a credential that is issued', issue))
  // Its invitation is there already.
  await storing('a wallet that connects', async () => {
    stage.line.run()
    const { body } = await stage.call('createInvitation', { caller, body: {} })
    await wallet.connect(body.invitationUrl)
    // The wallet finishes before the agent has its last message.
    await waitFor('the connection to be completed', async () => {
      const query = { outOfBandId: body.outOfBandRecord.id }
      return (await stage.call('getConnections', { caller, query })).body[0]?.state === 'completed'
    })
    await stage.line.pause()
    await settle()
  })

  const path = { orgId: tenantId }
  const { body } = await stage.call('registerWebhook', { path, body: { webhookUrl: `${receiver.url}/webhook` } })
  await settle()
  const endpoint = { orgId: tenantId, endpointId: body.data.id }
  // The first event to an endpoint also finds out how quick it is.
  await stage.call('testWebhookEndpoint', { path: endpoint })
  await settle()
  await call('testWebhookEndpoint', { path: endpoint })
  await measure('its event', settle)
  await wallet.agent.didcomm.connections.hangup({ connectionId: walletConnectionId })
  await measure('the event of a connection', settle)
})

test.each(
  Object.entries({
    ...{ sendMessage: LARGER.message, 'its delivery': LARGER.message, receiveDidcomm: LARGER.message },
    createRequest: LARGER.definition - definitionBytes,
    'a wallet that connects and proves': LARGER.definition - definitionBytes,
  }),
)('%s takes at most 4 write units more for each KB more of contents', (what, bytes) => {
  const more = (larger[what]?.write ?? Number.NaN) - (measured[what]?.write ?? Number.NaN)
  expect(more).toBeLessThanOrEqual(4 * Math.ceil(bytes / 1024))
})

test('what is measured has a row, or is an operation', () => {
  const operations = OPERATIONS.map(({ operationId }) => handlerOf(operationId))
  const flows = Object.keys(measured).filter((what) => !operations.includes(what))
  expect([...documented.keys()]).toEqual(expect.arrayContaining([...flows, ...ANONCREDS_FLOWS]))
})

test.each(
  [...documented].filter(([what]) => ![...ANONCREDS_FLOWS, OPENID_PRESENTATION, OPENID_ISSUANCE].includes(what)),
)('%s consumes what the document says', (what, row) => expectUnits(measured[what], row))

/** Calls of examples, with a separate wallet. */
const startScene = async () => {
  const guest = await stopAtEnd(Wallet.start({ acceptOffers: false, answerProofs: false }))
  stage.line.run()
  return CallScene.start(callInProcess(stage, issuer), guest)
}
let started: ReturnType<typeof startScene> | undefined

/** What the operation's example call consumes, and the names of its requests to DynamoDB. */
const measureExample = async ({ operationId, writes }: Contract) => {
  started ??= startScene()
  const scene = await started
  stage.line.run()
  const make = () => exampleOf(operationId, scene)
  // The first call makes what an agent makes once.
  const first = await make()
  await scene.call(operationId, { ...first.asked, caller: first.caller })
  const { asked, caller } = await make()
  // Messages that still wait to be delivered would be read too.
  if (writes) await stage.line.pause().then(settle)
  const { result, commands } = await watched.count(() =>
    consumed.of(() => scene.call(operationId, { ...asked, caller })),
  )
  expect(result.result.status, JSON.stringify(result.result.body)).toBeLessThan(300)
  return { units: result.units, commands }
}

// Lists first, before there is more in them.
const LISTS = OPERATIONS.filter(({ parameters }) => parameters?.query !== undefined)

test.each([...new Set([...LISTS, ...OPERATIONS])])(
  '$operationId stays within the budgets of docs/cost.md, by its example call',
  async (contract) => {
    const { units, commands } = await measureExample(contract)
    const handler = handlerOf(contract.operationId)
    // Those in the table of flows are measured there.
    if (!documented.has(handler)) {
      const budget = budgetOf(contract)
      if (budget === undefined) throw new Error('docs/cost.md has no table of kinds')
      expect(units.read, `read units of what ${budget.kind}`).toBeLessThanOrEqual(budget.read)
      expect(units.write, `write units of what ${budget.kind}`).toBeLessThanOrEqual(budget.write)
    }
    // Messages of wallets: test/faults/request-counts.test.ts.
    if (handler === 'receiveDidcomm') return
    const kind = contract.writes
      ? 'changes something'
      : needsRegistries(functionOf(contract.operationId))
        ? 'reads registries of AnonCreds'
        : 'reads'
    const most = requestBudgets.get(handler) ?? requestBudgets.get(kind) ?? Number.NaN
    expect(commands.length, commands.join(', ')).toBeLessThanOrEqual(most)
    if (!contract.writes) expect(commands.filter((command) => !/^(?:Get|BatchGet|Query)/.test(command))).toEqual([])
  },
)

test('the sums of the document are right', () => {
  expect(documented.get('a credential that is issued')?.write).toBe(CREDENTIAL_WRITES)
  for (const [what, row] of documented) expect(row.total, what).toBeCloseTo(priceOf(row), 1)
  for (const { kind, read, write, total } of budgets)
    expect(total, kind).toBeCloseTo(priceOf({ read, write, http: 1, background: 0, memory: 0, lambdaMs: 0 }), 1)
})

test('what stays in the table is what the document says', () => {
  for (const [what, bytes] of Object.entries(stored)) expectStored(what, bytes)
})

test('operations have the memory that the document says', () => {
  for (const [what, { memory }] of documented) {
    const key = Object.keys(functionsOfServiceFile()).find((name) => name === what)
    if (key !== undefined) expect([key, memory]).toEqual([key, functionsOfServiceFile()[key]?.memorySize])
  }
})
