/** Every operation that sends something to a connection does so where the wallet has no endpoint: it fetches its messages. */
import { setTimeout as delay } from 'node:timers/promises'
import type { DidCommConnectionRecord } from '@credo-ts/didcomm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { permissionsOfServiceFile } from '../../infra/access/service-file.ts'
import { OPERATIONS } from '../../lib/interface/operations.ts'
import { jobItem } from '../../lib/jobs/job.ts'
import { queueItem } from '../../lib/pickup/pickup-item.ts'
import type { Condition } from '../../lib/store/conditions.ts'
import { readItem } from '../../lib/store/item.ts'
import { removeIf } from '../../lib/store/write.ts'
import { useQuickKeys } from '../support/anoncreds/quick-keys.ts'
import { inTenant } from '../support/anoncreds/world.ts'
import { exampleOf, makerOf } from '../support/calls/all.ts'
import { CallScene } from '../support/calls/call-scene.ts'
import { callInProcess } from '../support/calls/in-process.ts'
import { createTenant } from '../support/scenes.ts'
import { handlerOf } from '../support/source/operation-functions.ts'
import { useStage, useWallet } from '../support/stage/use-stage.ts'
import { connectTenants, succeed } from '../support/tenants.ts'
import { trustIssuer } from '../support/webhooks/organization-endpoints.ts'
import { waitFor } from '../wallet/wait.ts'

let fetching = true

/** Fetches again and again, on every connection; the other agent may have deleted one. */
const fetchAll = async (): Promise<void> => {
  const { messagePickup } = wallet.agent.didcomm
  for (; fetching; await delay(20))
    for (const { id, isReady } of await wallet.connections())
      if (isReady)
        await messagePickup.pickupMessages({ connectionId: id, protocolVersion: 'v2' }).catch(() => undefined)
}

const issuer = await trustIssuer()
const stage = await useStage({ delivers: false })
await useQuickKeys()
stage.line.run()
const wallet = await useWallet({ endpoint: false })
const scene = await CallScene.start(callInProcess(stage, issuer), wallet)
const fetched = fetchAll()
afterAll(async () => {
  fetching = false
  await fetched
})

/** They send to the connection that an invitation reuses. */
const RECEIVING = ['ReceiveInvitation', 'ReceiveInvitationUrl', 'AcceptInvitation']

/** Those whose role lets them add to queues. */
const SENDING = OPERATIONS.map(({ operationId }) => operationId).filter(
  (operationId) =>
    makerOf(operationId) !== undefined &&
    operationId !== 'ReceiveDidcomm' &&
    permissionsOfServiceFile()[handlerOf(operationId)]?.includes('sending'),
)

/** As if no message had ever waited: the next one creates the queue of its connection, and the queue's job. */
const withoutQueues = async (caller: { tenantId: string }): Promise<void> => {
  const { body: connections } = await stage.call('getConnections', { caller })
  for (const { id: connectionId } of connections) await withoutQueue({ tenant: caller.tenantId, connectionId })
}

/** The agents that an example is about are tenants, which have endpoints: until `act` has run, the caller knows a DID without one of each. */
const withoutEndpoints = async <T>(tenant: string, act: (connectionIds: string[]) => Promise<T>): Promise<T> => {
  const { DidCommConnectionRepository, DidCommDocumentService } = await import('@credo-ts/didcomm')
  const setDids = (didOf: (connection: DidCommConnectionRecord) => string | undefined | Promise<string | undefined>) =>
    inTenant(tenant, async ({ context }) => {
      const connections = context.resolve(DidCommConnectionRepository)
      for (const connection of await connections.getAll(context)) {
        const did = await didOf(connection)
        if (did === undefined) continue
        connection.theirDid = did
        await connections.update(context, connection)
      }
    })
  const former = new Map<string, string>()
  await inTenant(tenant, async ({ context }) => {
    for (const { id, theirDid, isReady } of await context.resolve(DidCommConnectionRepository).getAll(context)) {
      if (theirDid === undefined || !isReady) continue
      const services = await context.resolve(DidCommDocumentService).resolveServicesFromDid(context, theirDid)
      if (services.some(({ serviceEndpoint }) => serviceEndpoint.startsWith('http'))) former.set(id, theirDid)
    }
  })
  await setDids(({ id }) => (former.has(id) ? wallet.did : undefined))
  try {
    return await act([...former.keys()])
  } finally {
    await setDids(({ id }) => former.get(id))
    for (const connectionId of former.keys()) {
      await removeIf(queueItem.addressOf({ tenant, connectionId }))
      await removeIf(jobItem.addressOf({ tenant, type: 'pickup-expiry', id: connectionId }))
    }
  }
}

/** Once it is empty: what waits has a queue. */
const withoutQueue = async (key: { tenant: string; connectionId: string }): Promise<void> => {
  await waitFor('what waits to be fetched', async () => {
    const empty: Condition = { anyOf: [{ absent: ['pk'] }, { equals: queueItem.attributes({ messages: 0 }) }] }
    return removeIf(queueItem.addressOf(key), empty)
  })
  await removeIf(jobItem.addressOf({ tenant: key.tenant, type: 'pickup-expiry', id: key.connectionId }))
}

const CALLS = SENDING.filter((operationId) => !RECEIVING.includes(operationId)).map((operationId, at) => ({
  operationId,
  // All of them use the same queue.
  firsts: at % 5 === 0 ? [true, false] : [true],
}))

describe.each(CALLS)('$operationId', ({ operationId, firsts }) => {
  test.each(firsts)('to a wallet for which no message has ever waited: %s', async (first) => {
    const { asked, caller } = await exampleOf(operationId, scene)
    if (first) await withoutQueues(scene)
    const tenantId = caller?.tenantId ?? scene.tenantId
    await withoutEndpoints(tenantId, async (connectionIds) => {
      for (const connectionId of first ? [] : connectionIds)
        await succeed(stage, 'sendMessage', { tenantId }, { path: { connectionId }, body: { content: 'before' } })
      const { status, body } = await scene.call(operationId, { ...asked, caller })
      expect({ status, message: body?.message }).toEqual({ status: expect.toBeOneOf([200, 204]), message: undefined })
    })
  })
})

test('AcceptConnectionRequest is a 409: no wallet can fetch the response on a connection that the response is yet to complete', async () => {
  const { asked } = await exampleOf('AcceptConnectionRequest', scene)
  const { status, body } = await scene.call('AcceptConnectionRequest', asked)
  expect({ status, message: body.message }).toEqual({ status: 409, message: expect.stringContaining('endpoint') })
})

describe('an invitation that reuses a connection', () => {
  let acme: { tenantId: string }
  let globex: { tenantId: string }
  let invitationDid: string
  let connectionId: string

  /** Of Globex, with Acme, whose DID names no endpoint any more. */
  beforeAll(async () => {
    acme = await createTenant(stage, 'Acme')
    globex = await createTenant(stage, 'Globex')
    const { invited, invitees } = await connectTenants(stage, acme, globex)
    ;({ invitationDid } = invited)
    connectionId = invitees.id
    const { DidCommConnectionRepository } = await import('@credo-ts/didcomm')
    await inTenant(globex.tenantId, async ({ context }) => {
      const connections = context.resolve(DidCommConnectionRepository)
      const connection = await connections.getById(context, connectionId)
      connection.theirDid = wallet.did
      await connections.update(context, connection)
    })
  })

  test.each(RECEIVING)('%s', async (operationId) => {
    const { invitation, invitationUrl } = await succeed(stage, 'createInvitation', acme, { body: { invitationDid } })
    const { tenantId: tenant } = globex
    await removeIf(queueItem.addressOf({ tenant, connectionId }))
    await removeIf(jobItem.addressOf({ tenant, type: 'pickup-expiry', id: connectionId }))
    const body = { reuseConnection: true }
    const answer =
      operationId === 'AcceptInvitation'
        ? await succeed(stage, 'acceptInvitation', globex, {
            body,
            path: {
              outOfBandId: (
                await succeed(stage, 'receiveInvitation', globex, {
                  body: { invitation, autoAcceptInvitation: false },
                })
              ).outOfBandRecord.id,
            },
          })
        : operationId === 'ReceiveInvitation'
          ? await succeed(stage, 'receiveInvitation', globex, { body: { ...body, invitation } })
          : await succeed(stage, 'receiveInvitationUrl', globex, { body: { ...body, invitationUrl } })
    expect(answer.connectionRecord.id).toBe(connectionId)
    expect(await readItem(queueItem, { tenant, connectionId })).toMatchObject({ messages: 1 })
  })
})
