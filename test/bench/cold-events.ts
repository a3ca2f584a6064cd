/** An event for each function, real and repeatable: those with which a scene has called them. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { folderOnThisMachine } from '../../infra/anoncreds/library-file.ts'
import type { Issuer } from '../../infra/local/issuer.ts'
import type { BundledStage } from '../support/bench/bundled-stage.ts'
import { gatewayEvent } from '../support/bench/gateway-event.ts'
import { playScene, startCapturingWallet } from '../support/bench/scene.ts'
import { waitFor } from '../wallet/wait.ts'
import { prepareAnonCreds, type Variant } from './cold-anoncreds.ts'

/** Makes the next event of a function. */
export type NextEvent = () => Promise<unknown> | unknown

const METHOD_ARN = 'arn:aws:execute-api:eu-west-1:123456789012:abcdefghij/dev/GET/connections'

/** A wake-up of a job that has ended. */
const endedJob = (type: string) => ({
  Records: [{ messageId: 'm1', body: JSON.stringify({ job: `acme|job|${type}|ended` }) }],
})

/** Path of a new endpoint of an organization. */
const register = async ({ call }: BundledStage, orgId: string, webhookUrl: string) => {
  const { body } = await call('register-webhook', { path: { orgId }, body: { webhookUrl } })
  return { orgId, endpointId: body.data.id }
}

/** Registers an endpoint that accepts everything, has an event delivered to it, and calls every operation on it. */
const manageWebhooks = async (stage: BundledStage, token: string): Promise<void> => {
  const { call, events } = stage
  const receiver = createServer((_, response) => response.writeHead(204).end()).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const webhookUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  await call('delete-webhook-endpoint', { path: await register(stage, 'gone', webhookUrl) })
  const path = await register(stage, 'acme', webhookUrl)
  const notification = { orgId: 'acme', notificationWebhook: webhookUrl }
  await call('register-notification-webhook', { body: notification, headers: { Authorization: `Bearer ${token}` } })
  const { body: tested } = await call('test-webhook-endpoint', { path })
  await waitFor('the webhook to be delivered', () => events.has('deliver'))
  for (const name of [
    'get-webhook-deliveries',
    'get-webhook-endpoints',
    'rotate-webhook-secret',
    'enable-webhook-endpoint',
  ])
    await call(name, { path })
  await call('replay-webhook-events', { path, body: { eventId: tested.eventId } })
  receiver.close()
  receiver.closeAllConnections()
}

export interface PreparedEvents {
  /** By the name of the function. */
  events: Map<string, NextEvent>
  /** Further events of some functions; none without AnonCreds' library. */
  variants: Variant[]
  stop(): Promise<void>
}

/**
 * Calls every function and blocks all requests that leave. An inbound message and an endpoint to be deleted are new for
 * each start; the other events can be repeated; `starts`: for how many. Wake-ups are of lanes that have nothing more
 * to do, so that no start waits for a receiver.
 */
export const prepareEvents = async (stage: BundledStage, issuer: Issuer, starts: number): Promise<PreparedEvents> => {
  // Before the others, which call some functions by simpler events.
  const folder = folderOnThisMachine()
  if (folder !== undefined) process.env.LIB_ANONCREDS_PATH = folder
  const variants = folder === undefined ? [] : await prepareAnonCreds(stage, starts)
  const { wallet, capture } = await startCapturingWallet()
  await stage.call('health')
  await stage.call('openapi')
  await manageWebhooks(stage, await issuer.sign({ role: 'RestRootAgentWithTenants' }))
  const scene = await playScene(stage.call, wallet)
  // A tenant's token: the authorizer must look up the tenant.
  const authorizationToken = `Bearer ${await issuer.sign({ role: 'RestTenantAgent', ...scene.caller })}`
  await stage.invoke('authorizer', { type: 'TOKEN', authorizationToken, methodArn: METHOD_ARN })
  await stage.stopDeliveries()
  await wallet.pause()

  const events = new Map<string, NextEvent>([...stage.events].map(([name, event]) => [name, () => event]))
  const wakeUp = stage.events.get('deliver')
  for (const name of ['deliver-slowly', 'wake']) events.set(name, () => wakeUp)
  for (const name of ['sweep-outbox', 'confirm-issuer-keys']) events.set(name, () => ({}))
  events.set('run-jobs', () => endedJob('credential-definition'))
  events.set('remove-owned', () => endedJob('tenant-removal'))
  events.set('receive-didcomm', async () =>
    gatewayEvent({ path: scene.caller, body: await capture(scene.walletConnectionId) }),
  )
  events.set('delete-webhook-endpoint', async () =>
    gatewayEvent({ method: 'DELETE', path: await register(stage, randomUUID(), 'https://hooks.example.org/') }),
  )
  return { events, variants, stop: () => wallet.stop() }
}
