/** The endpoints of an organization, as their owner sees and manages them: listed, deleted, enabled. */
import { AgentError } from '../errors.ts'
import type { WebhookEndpoint } from '../records/webhook-endpoint.ts'
import { organizationPartition } from '../store/address.ts'
import { epochSeconds, type Item, queryAll } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type Endpoint, fromEndpointItem } from './endpoint-item.ts'

/** Names an endpoint. Another organization's is one that does not exist. */
export interface EndpointPath {
  orgId: string
  endpointId: string
}

/** What of an endpoint's health is shown. */
const HEALTH = ['failingSince', 'lastSuccessAt', 'lastFailureAt', 'lastError', 'disabledAt', 'disabledReason'] as const

/** What an endpoint is without its health. */
const LASTING = [
  ...['pk', 'sk', 'kind', 'id', 'orgId', 'url', 'createdAt', 'updatedAt', 'version'],
  ...['secret', 'previousSecret', 'previousUntil'],
]

/** Of each kind the active one first, then those that wait for a token, the newest first. */
export const listEndpoints = async (orgId: string): Promise<WebhookEndpoint[]> =>
  (await queryAll(organizationPartition(orgId))).sort(byKindAndAge).map(toWebhookEndpoint)

/** Throws `resource.not_found`. */
export const assertEndpointExists = async (path: EndpointPath): Promise<void> => {
  registrationAmong(await queryAll(organizationPartition(path.orgId)), path)
}

/** An endpoint that something may be sent to. Throws `resource.not_found`, `endpoint.not_active`. */
export const requireEnabledEndpoint = async (unit: UnitOfWork, path: EndpointPath): Promise<Endpoint> => {
  const endpoint = endpointOf(await readRegistration(unit, path))
  if (endpoint.status === 'disabled')
    throw new AgentError('endpoint.not_active', 'the endpoint is disabled: enable it first')
  return endpoint
}

/** Deletes an endpoint or a pending registration; what is on its way to it ends. Returns it as it was. */
export const deleteEndpoint = async (unit: UnitOfWork, path: EndpointPath): Promise<WebhookEndpoint> => {
  const item = await readRegistration(unit, path)
  unit.delete(item, Number(item.version?.N))
  return toWebhookEndpoint(item)
}

/** Makes a disabled endpoint active, as if it were new; what it has missed waits for a replay. Another one stays as it is. */
export const enableEndpoint = async (
  unit: UnitOfWork,
  path: EndpointPath,
  now: number = Date.now(),
): Promise<WebhookEndpoint> => {
  const item = await readRegistration(unit, path)
  if (endpointOf(item).status !== 'disabled') return toWebhookEndpoint(item)
  const lasting = Object.fromEntries(Object.entries(item).filter(([name]) => LASTING.includes(name)))
  return toWebhookEndpoint(replaceRegistration(unit, { ...lasting, status: { S: 'active' } }, now))
}

/** The item of a registration, pending or not. Throws `resource.not_found`. */
export const readRegistration = async (unit: UnitOfWork, path: EndpointPath): Promise<Item> =>
  registrationAmong(await unit.attempt(() => queryAll(organizationPartition(path.orgId))), path)

const registrationAmong = (items: Item[], { endpointId }: EndpointPath): Item => {
  const item = items.find(({ id }) => id?.S === endpointId)
  if (item === undefined) throw new AgentError('resource.not_found', 'there is no such endpoint')
  return item
}

/** Throws `endpoint.not_active` for a registration that is pending. */
export const endpointOf = (item: Item): Endpoint => {
  const endpoint = fromEndpointItem(item)
  if (endpoint === undefined)
    throw new AgentError('endpoint.not_active', 'the registration is pending: register it with a token first')
  return endpoint
}

/** Puts a registration in its own place, if nobody else has changed it meanwhile. Returns it as it is then. */
export const replaceRegistration = (unit: UnitOfWork, item: Item, now: number): Item => {
  const version = Number(item.version?.N)
  const changed = { ...item, version: { N: String(version + 1) }, updatedAt: { S: new Date(now).toISOString() } }
  unit.replace(changed, version)
  return changed
}

export const toWebhookEndpoint = (item: Item): WebhookEndpoint => {
  const endpoint = fromEndpointItem(item)
  if (endpoint === undefined) return toPending(item)
  const { id, orgId, kind, url, status, createdAt, updatedAt, previousUntil = 0 } = endpoint
  const health = HEALTH.flatMap((name) => (endpoint[name] === undefined ? [] : [[name, endpoint[name]]]))
  return {
    ...{ id, orgId, kind, url, status, createdAt, updatedAt },
    ...Object.fromEntries(health),
    ...(previousUntil > epochSeconds() && { previousSecretUntil: timestamp(previousUntil) }),
  }
}

const toPending = ({ id, orgId, sk, url, createdAt, updatedAt, expiresAt }: Item): WebhookEndpoint => ({
  id: id?.S ?? '',
  orgId: orgId?.S ?? '',
  kind: sk?.S?.startsWith('notification') ? 'notification' : 'webhook',
  url: url?.S ?? '',
  status: 'pending',
  createdAt: createdAt?.S ?? '',
  updatedAt: updatedAt?.S ?? '',
  expiresAt: timestamp(Number(expiresAt?.N)),
})

const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** The sort key of a pending one begins with that of the active one, so it comes after it. */
const byKindAndAge = (a: Item, b: Item): number => {
  const [kindOfA = '', pendingA = ''] = a.sk?.S?.split('#') ?? []
  const [kindOfB = '', pendingB = ''] = b.sk?.S?.split('#') ?? []
  return compare(kindOfA, kindOfB) || compare(pendingA, pendingB) || compare(b.updatedAt?.S ?? '', a.updatedAt?.S ?? '')
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
