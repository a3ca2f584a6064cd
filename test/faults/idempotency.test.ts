/** One rule for every operation that changes something: the same request with the same key is done once, for whoever may do it. */
import { randomUUID } from 'node:crypto'
import { paginateScan } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { addIssuedExchange, revocableAt } from '../support/anoncreds/issued-exchange.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { sign, type TestIssuer } from '../support/api/tokens.ts'
import { connect, createTenant, offerBody, requestBody } from '../support/scenes.ts'
import {
  type Call,
  type Caller,
  type InProcessStage,
  type OperationName,
  startInProcessStage,
} from '../support/stage/in-process-stage.ts'
import { StoreFaults } from '../support/table/store-fault.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { Wallet } from '../wallet/wallet.ts'

let stage: InProcessStage
let issuer: TestIssuer
let watched: StoreFaults
let wallet: Wallet
let tenantId: string
let connectionIds: string[]
let orgId: string

beforeAll(async () => {
  issuer = await trustIssuer()
  stage = await startInProcessStage()
  watched = new StoreFaults(stage.serviceClient)
  await useQuickKeys()
  stage.line.run()
  wallet = await Wallet.start()
  tenantId = (await createTenant(stage)).tenantId
  orgId = tenantId
  const connected = [await connect(stage, wallet, { tenantId }), await connect(stage, wallet, { tenantId })]
  connectionIds = connected.map(({ connectionId }) => connectionId)
})
afterAll(async () => {
  await wallet.stop()
  await stage.stop()
})

interface Example {
  /** A request that somebody may make, and another one. */
  asked: Pick<Call, 'path' | 'body'>
  other: Pick<Call, 'path' | 'body'>
  caller: Caller
  /** A caller with a valid token who may not; none where every token may, in its own agent. */
  stranger?: Caller
}

const owner = (): Caller => ({ tenantId, organizations: { [orgId]: ['owner'] } })
const member = (): Caller => ({ tenantId, organizations: { [orgId]: ['member'] } })
const managed = (asked: Example['asked'], other: Example['other']): Example => ({
  asked,
  other,
  caller: owner(),
  stranger: member(),
})

const schemaBody = { name: 'degree', version: '1.0', attributes: ['degree'] }

/** An agent makes two definitions at a time. */
const newTenant = async (): Promise<string> => (await createTenant(stage)).tenantId

const HOOKS = ['https://hooks.example.org/one', 'https://hooks.example.org/two'] as const

/** An endpoint of the organization, and a test event that it had. */
const registered = async () => {
  const body = { webhookUrl: `${HOOKS[0]}/${randomUUID()}` }
  const { body: answer } = await stage.call('registerWebhook', { caller: owner(), path: { orgId }, body })
  const path = { orgId, endpointId: answer.data.id }
  const { body: tested } = await stage.call('testWebhookEndpoint', { caller: owner(), path })
  return { path, eventId: tested.eventId }
}
const ofEndpoint = async (): Promise<Example> => {
  const { path } = await registered()
  return managed({ path }, { path: { ...path, endpointId: 'another' } })
}

/** An exchange whose credential was issued, and can be revoked. */
const revocable = (): Promise<string> => addIssuedExchange(tenantId, revocableAt(`registry-${randomUUID()}`, 1))

/** By operationId. */
const EXAMPLES: Record<string, () => Promise<Example>> = {
  SendMessage: async () => ({
    asked: { path: { connectionId: connectionIds[0] ?? '' }, body: { content: 'hello' } },
    other: { path: { connectionId: connectionIds[1] ?? '' }, body: { content: 'hello' } },
    caller: { tenantId },
  }),
  CreateRequest: async () => ({
    asked: { body: requestBody },
    other: { body: { ...requestBody, comment: 'another' } },
    caller: { tenantId },
  }),
  CreateOffer: async () => ({
    asked: { body: offerBody(connectionIds[0] ?? '', wallet.did) },
    other: { body: offerBody(connectionIds[1] ?? '', wallet.did) },
    caller: { tenantId },
  }),
  CreateOfferOob: async () => {
    const { protocolVersion, credentialFormats } = offerBody('', wallet.did)
    const body = { protocolVersion, credentialFormats }
    return { asked: { body }, other: { body: { ...body, comment: 'another' } }, caller: { tenantId } }
  },
  RevokeCredential: async () => ({
    asked: { path: { credentialRecordId: await revocable() } },
    other: { path: { credentialRecordId: 'another' } },
    caller: { tenantId },
  }),
  CreateSchema: async () => ({
    asked: { body: schemaBody },
    other: { body: { ...schemaBody, name: 'another' } },
    caller: { tenantId },
  }),
  CreateCredentialDefinition: async () => {
    const { body } = await stage.call('createSchema', { caller: { tenantId }, body: schemaBody })
    const asked = { schemaId: body.schemaId, tag: randomUUID() }
    return {
      asked: { body: asked },
      other: { body: { ...asked, tag: 'another' } },
      caller: { tenantId: await newTenant() },
    }
  },
  CreateTenant: async () => ({
    asked: { body: { config: { label: 'one' } } },
    other: { body: { config: { label: 'two' } } },
    caller: {},
    stranger: { tenantId },
  }),
  RegisterNotificationWebhook: async () =>
    managed({ body: { orgId, notificationWebhook: HOOKS[0] } }, { body: { orgId, notificationWebhook: HOOKS[1] } }),
  RegisterWebhook: async () =>
    managed({ path: { orgId }, body: { webhookUrl: HOOKS[0] } }, { path: { orgId }, body: { webhookUrl: HOOKS[1] } }),
  DeleteWebhookEndpoint: ofEndpoint,
  RotateWebhookSecret: ofEndpoint,
  TestWebhookEndpoint: ofEndpoint,
  EnableWebhookEndpoint: ofEndpoint,
  ReplayWebhookEvents: async () => {
    const { path, eventId } = await registered()
    return managed({ path, body: { eventId } }, { path, body: { since: '2026-01-01T00:00:00.000Z' } })
  },
}

const COMMANDS = OPERATIONS.filter(({ idempotent }) => idempotent)

/** Name of the handler's export. */
const handlerOf = (operationId: string): OperationName =>
  operationId.replace(/^./, (letter) => letter.toLowerCase()) as OperationName

/** Both ways in which an operation learns of its caller. */
const authorization = ({ role = 'RestRootAgentWithTenants', tenantId, organizations = {} }: Caller): Promise<string> =>
  sign(issuer, {
    role: tenantId === undefined ? role : 'RestTenantAgent',
    tenantId,
    sub: 'test',
    resource_access: Object.fromEntries(Object.entries(organizations).map(([id, roles]) => [id, { roles }])),
  })

const ask = async (operationId: string, asked: Example['asked'], caller: Caller, key: string) => {
  const headers = { 'idempotency-key': key, authorization: await authorization(caller) }
  return stage.call(handlerOf(operationId), { ...asked, caller, headers })
}

const MISMATCH = 'this Idempotency-Key was used with another request'

describe.each(COMMANDS)('$operationId', ({ operationId }) => {
  const exampleOf = async (): Promise<Example> => {
    const make = EXAMPLES[operationId]
    if (make === undefined) throw new Error(`${operationId} has no example here`)
    return make()
  }

  test('with the same key is done once, and answered alike', async () => {
    const { asked, caller } = await exampleOf()
    const key = randomUUID()
    const first = await watched.count(() => ask(operationId, asked, caller, key))
    expect(first.result.status).toBeLessThan(300)
    expect(first.commands.filter((command) => command.startsWith('TransactWriteItems'))).toHaveLength(1)
    for (let time = 0; time < 2; time++) {
      const again = await watched.count(() => ask(operationId, asked, caller, key))
      expect([again.result.status, again.result.body]).toEqual([first.result.status, first.result.body])
      expect(again.commands.filter((command) => !command.startsWith('Get'))).toEqual([])
    }
  })

  test('with the same key and another request is a 409', async () => {
    const { asked, other, caller } = await exampleOf()
    const key = randomUUID()
    expect((await ask(operationId, asked, caller, key)).status).toBeLessThan(300)
    const { status, body } = await ask(operationId, other, caller, key)
    expect([status, body.message]).toEqual([409, MISMATCH])
  })

  test.each(['', ' ', 'a b', 'ä', 'x'.repeat(256)])('with a key that is none is a 400: %j', async (key) => {
    const { asked, caller } = await exampleOf()
    expect((await ask(operationId, asked, caller, key)).status).toBe(400)
  })

  test('shows nobody else the answer: who may not is refused, who may has a request of their own', async () => {
    const { asked, caller, stranger } = await exampleOf()
    const key = randomUUID()
    const first = await ask(operationId, asked, caller, key)
    expect(first.status).toBeLessThan(300)
    if (stranger !== undefined) {
      const refused = await watched.count(() => ask(operationId, asked, stranger, key))
      expect(refused.result.body).toEqual({ statusCode: 403, error: 'Forbidden' })
      expect(refused.commands.filter((command) => !command.startsWith('GetItem'))).toEqual([])
    }
    const { tenantId: another } = await createTenant(stage)
    const theirs = await ask(operationId, asked, { tenantId: another }, key)
    expect(theirs.body).not.toEqual(first.body)
  })
})

test('of a secret that was shown, nothing can be read in the table', async () => {
  const { body } = await ask('RotateWebhookSecret', { path: (await registered()).path }, owner(), randomUUID())
  const secret = body.secret.slice('whsec_'.length)
  let items = 0
  for await (const { Items = [] } of paginateScan({ client: stage.client }, { TableName: stage.table })) {
    items += Items.length
    for (const value of Items.flatMap((item) => Object.values(item))) {
      const text = value.S ?? Buffer.from(value.B ?? []).toString('latin1')
      expect(text.includes(secret) || text.includes('whsec_')).toBe(false)
    }
  }
  expect(items).toBeGreaterThan(10)
})
