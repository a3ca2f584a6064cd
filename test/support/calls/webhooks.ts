/** Example calls on the webhook endpoints of an organization. */
import { randomUUID } from 'node:crypto'
import type { Asked, CallExample, CallScene, Examples, MakeExample } from './call-scene.ts'

/** No server listens there. */
const newHook = () => `http://127.0.0.1:1024/${randomUUID()}`

/** A separate organization, so that no call finds another one's endpoints; with an authorized caller and an unauthorized one. */
const newOrganization = ({ tenantId }: CallScene) => {
  const orgId = `org-${randomUUID()}`
  return {
    orgId,
    caller: { tenantId, organizations: { [orgId]: ['owner'] } },
    unauthorized: { tenantId, organizations: { [orgId]: ['member'] } },
  }
}

/** A new organization with an endpoint. */
const registered = async (scene: CallScene) => {
  const { orgId, ...callers } = newOrganization(scene)
  const body = { webhookUrl: newHook() }
  const { data } = await scene.done('RegisterWebhook', { caller: callers.caller, path: { orgId }, body })
  return { path: { orgId, endpointId: data.id as string }, ...callers }
}

/** A call on an endpoint; `rest` is made for it. */
const onEndpoint =
  (rest: Asked = {}): MakeExample =>
  async (scene): Promise<CallExample> => {
    const { path, ...callers } = await registered(scene)
    return { asked: { ...rest, path }, other: { ...rest, path: { ...path, endpointId: 'another' } }, ...callers }
  }

export const webhooks: Examples = {
  RegisterNotificationWebhook: async (scene) => {
    const { orgId, ...callers } = newOrganization(scene)
    const asked = () => ({ body: { orgId, notificationWebhook: newHook() } })
    return { asked: asked(), other: asked(), ...callers }
  },
  RegisterWebhook: async (scene) => {
    const { orgId, ...callers } = newOrganization(scene)
    const asked = () => ({ path: { orgId }, body: { webhookUrl: newHook() } })
    return { asked: asked(), other: asked(), ...callers }
  },
  GetWebhookEndpoints: async (scene) => {
    const { path, ...callers } = await registered(scene)
    return { asked: { path: { orgId: path.orgId } }, ...callers }
  },
  DeleteWebhookEndpoint: onEndpoint(),
  RotateWebhookSecret: onEndpoint(),
  TestWebhookEndpoint: onEndpoint(),
  EnableWebhookEndpoint: onEndpoint(),
  GetWebhookDeliveries: onEndpoint({ query: { status: 'failed', limit: '2' } }),
  ReplayWebhookEvents: async (scene) => {
    const { path, ...callers } = await registered(scene)
    const { eventId } = await scene.done('TestWebhookEndpoint', { caller: callers.caller, path })
    return {
      asked: { path, body: { eventId } },
      other: { path, body: { since: '2026-01-01T00:00:00.000Z' } },
      ...callers,
    }
  },
}
