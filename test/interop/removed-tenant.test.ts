/** What a removed tenant leaves in the table: nothing, of all that a tenant can have. */
import { randomBytes } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { dataKeyItem } from '../../lib/store/data-keys.ts'
import { putIfAbsent } from '../../lib/store/write.ts'
import { organizationPartition } from '../../lib/webhooks/endpoint-item.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { addConnections, addOpenId, runExamples } from '../support/full-tenants.ts'
import { allItems, removeTenant } from '../support/removal.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { stopAtEnd } from '../support/stop-at-end.ts'
import { checkTable } from '../support/table/table-checker.ts'
import { connectTenants, inviteToConnect, settled, succeed } from '../support/tenants.ts'
import { startFaultyReceiver } from '../support/webhooks/faulty-receiver.ts'
import { OrganizationEndpoints, trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'

const issuer = await trustIssuer()
const stage = await useStage()
const wallet = await useWallet()
const receiver = await stopAtEnd(startFaultyReceiver())
const call = callInProcess(stage, issuer)

afterAll(async () => expect(await checkTable(stage.client, stage.table)).toEqual([]))

/** Kinds that the tenants have, besides those of the library of AnonCreds (test/anoncreds/removed-tenant.test.ts). */
const EVERYTHING = [
  ...['context', 'data-key', 'definition-place', 'entry', 'event', 'idempotency', 'invitation', 'issuer-did', 'job'],
  ...['key', 'lane', 'mark', 'openid-id', 'openid4vci-claims', 'openid4vci-nonce', 'openid4vp-result', 'outbox'],
  ...['pickup-listed-queue', 'pickup-message', 'pickup-queue', 'pickup-usage', 'record', 'registration'],
  ...['status-index', 'status-list', 'status-piece', 'waiting-lane', 'web-document', 'webvh-log', 'webvh-resource'],
]

/** They belong to no tenant, or end with a delivery. */
const OF_THE_SERVICE = ['layout', 'destination', 'waiting-lane']

const kindsIn = (items: Iterable<Awaited<ReturnType<typeof allItems>> extends Map<string, infer I> ? I : never>) =>
  [...new Set([...items].map(({ kind }) => `${kind?.S}`))].toSorted()

/** Data keys, as KMS has made them: here they are derived. */
const addDataKeys = async (orgId: string, tenants: { tenantId: string }[]): Promise<void> => {
  for (const scope of [organizationPartition(orgId), ...tenants.map(({ tenantId }) => tenantId)])
    await putIfAbsent(dataKeyItem.encode({ scope, sealed: randomBytes(64) }))
}

/** A tenant of an organization. */
const tenantOf = async (orgId: string): Promise<{ tenantId: string }> => ({
  tenantId: (await succeed(stage, 'createTenant', {}, { body: { config: { label: 'Acme' }, orgId } })).id,
})

test('of a tenant with everything in it only the mark stays, and other tenants are what they were', async () => {
  const scene = await CallScene.start(call, wallet)
  await OrganizationEndpoints.register({ stage, issuer, receiver }, scene.tenantId)
  const other = await tenantOf('others')
  await runExamples(scene, call)
  await addConnections(stage, scene, wallet, other)
  await addOpenId(stage)
  const headers = { 'idempotency-key': 'once' }
  await stage.call('createInvitation', { caller: scene, body: {}, headers })
  await addDataKeys(scene.tenantId, [scene, other])
  await settled(stage)
  await stage.line.pause()

  const before = await allItems(stage)
  expect(kindsIn(before.values())).toEqual(expect.arrayContaining(EVERYTHING))
  await removeTenant(stage, scene.tenantId)
  expect(await checkTable(stage.client, stage.table)).toEqual([])
  const tenants = [...before].flatMap(([, { kind, id }]) => (kind?.S === 'tenant' ? [String(id?.S)] : []))
  const others = tenants.filter((id) => id !== scene.tenantId)
  expect(others.length).toBeGreaterThan(10)
  const after = await allItems(stage)
  for (const [name, item] of before)
    if (others.some((id) => name.startsWith(`${id}|`) || item.tenant?.S === id || name === `@tenant|${id} ~`))
      expect(after.get(name), name).toEqual(item)

  for (const tenantId of others) await removeTenant(stage, tenantId)
  stage.line.run()
  const left = [...(await allItems(stage)).values()].filter(({ kind }) => !OF_THE_SERVICE.includes(`${kind?.S}`))
  // Records: schemas without a definition.
  expect(kindsIn(left.filter(({ expiresAt }) => expiresAt === undefined))).toEqual([
    ...['entry', 'openid-id', 'record', 'webvh-resource'],
  ])
  expect(kindsIn(left.filter(({ expiresAt }) => expiresAt !== undefined))).toMatchInlineSnapshot(`
    [
      "count",
      "idempotency",
      "mark",
      "openid4vci-nonce",
      "record",
      "removed-tenant",
    ]
  `)
})

describe('an organization', () => {
  const endpointsIn = async (orgId: string) =>
    [...(await allItems(stage)).keys()].filter((name) => name.includes(`@org|${orgId}`))

  test('is kept while it has a tenant, and is removed with the last one', async () => {
    const [first, last] = [await tenantOf('shared'), await tenantOf('shared')]
    const endpoints = await OrganizationEndpoints.register({ stage, issuer, receiver }, 'shared')
    await addDataKeys('shared', [first, last])
    await connectTenants(stage, first, last)
    await waitFor('the events', async () => endpoints.heard('webhook').length >= 4)
    await settled(stage)
    receiver.behave({ status: 503 })
    await connectTenants(stage, last, first)
    await settled(stage)
    await removeTenant(stage, first.tenantId)
    expect((await endpointsIn('shared')).length).toBe(4)
    await removeTenant(stage, last.tenantId)
    expect(await endpointsIn('shared')).toEqual([])
  })
})

test.each([
  ['silent', { silent: 'true' }, 'completed'],
  ['by default', {}, 'abandoned'],
])('a wallet is told of the removal or not: %s', async (_, query, state) => {
  const caller = await tenantOf('told')
  const { invitationUrl } = await inviteToConnect(stage, caller)
  const { id } = await wallet.connect(invitationUrl)
  await settled(stage)
  await removeTenant(stage, caller.tenantId, query)
  const connection = await wallet.agent.didcomm.connections.getById(id)
  expect(connection.theirDid === undefined ? 'abandoned' : connection.state).toBe(state)
})
