/** Lists, deletes and enables the endpoints of an organization. */
import { AgentError, errorName } from '../errors.ts'
import { log } from '../log.ts'
import { openDestination } from '../outbox/destination.ts'
import type { WebhookEndpoint } from '../records/webhook-endpoint.ts'
import { type Address, endpointDestination, organizationPartition } from '../store/keys.ts'
import { epochSeconds, queryAll } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import {
  decodeRegistration,
  type Endpoint,
  endpointItem,
  isPending,
  type PendingRegistration,
  pendingItem,
  type StoredRegistration,
  showEndpoint,
  withNewHealth,
} from './endpoint-item.ts'

/** Identifies an endpoint. Another organization's counts as missing. */
export interface EndpointPath {
  orgId: string
  endpointId: string
}

/** For each kind the active endpoint first, then pending registrations, newest first. */
export const listEndpoints = async (orgId: string): Promise<WebhookEndpoint[]> =>
  (await queryAll(organizationPartition(orgId))).map(decodeRegistration).sort(byKindAndAge).map(toWebhookEndpoint)

/** Throws `resource.not_found`. */
export const assertEndpointExists = async (path: EndpointPath): Promise<void> => {
  registrationAmong((await queryAll(organizationPartition(path.orgId))).map(decodeRegistration), path)
}

/** An endpoint that is not disabled. Throws `resource.not_found`, `endpoint.not_active`. */
export const requireEnabledEndpoint = async (unit: UnitOfWork, path: EndpointPath): Promise<Endpoint> => {
  const endpoint = await requireEndpoint(unit, path)
  if (endpoint.status === 'disabled')
    throw new AgentError('endpoint.not_active', 'the endpoint is disabled: enable it first')
  return endpoint
}

/** Deletes an endpoint or a pending registration. Its pending events are not sent any more. Returns its last state. */
export const deleteEndpoint = async (unit: UnitOfWork, path: EndpointPath): Promise<WebhookEndpoint> => {
  const registration = await requireRegistration(unit, path)
  unit.delete(addressOf(registration), registration.version)
  unit.afterCommit(() => releaseEndpoint(path.endpointId))
  return toWebhookEndpoint(registration)
}

/** Makes a disabled endpoint active again, with new health. Missed events wait for a replay. Any other endpoint stays unchanged. */
export const enableEndpoint = async (
  unit: UnitOfWork,
  path: EndpointPath,
  now: number = Date.now(),
): Promise<WebhookEndpoint> => {
  const endpoint = await requireEndpoint(unit, path)
  if (endpoint.status !== 'disabled') return toWebhookEndpoint(endpoint)
  unit.afterCommit(() => releaseEndpoint(path.endpointId))
  return toWebhookEndpoint(replaceEndpoint(unit, withNewHealth(endpoint), now))
}

/** Wakes the waiting lanes of an endpoint after it was enabled or deleted. If this fails, its next probe does the same. */
const releaseEndpoint = async (endpointId: string): Promise<void> => {
  try {
    await openDestination(endpointDestination(endpointId), { lane: '', took: 0, now: Date.now() })
  } catch (error) {
    log('warn', 'an endpoint was not released', { event: 'webhook.not_released', endpointId, error: errorName(error) })
  }
}

/** The registrations of an organization, pending or not. */
export const readRegistrations = async (unit: UnitOfWork, orgId: string): Promise<StoredRegistration[]> =>
  (await unit.queryAll(organizationPartition(orgId))).map(decodeRegistration)

/** Throws `resource.not_found`, and `endpoint.not_active` for a registration that is pending. */
export const requireEndpoint = async (unit: UnitOfWork, path: EndpointPath): Promise<Endpoint> => {
  const registration = await requireRegistration(unit, path)
  if (isPending(registration))
    throw new AgentError('endpoint.not_active', 'the registration is pending: register it with a token first')
  return registration
}

const requireRegistration = async (unit: UnitOfWork, path: EndpointPath): Promise<StoredRegistration> =>
  registrationAmong(await readRegistrations(unit, path.orgId), path)

const registrationAmong = (registrations: StoredRegistration[], { endpointId }: EndpointPath): StoredRegistration => {
  const registration = registrations.find(({ id }) => id === endpointId)
  if (registration === undefined) throw new AgentError('resource.not_found', 'there is no such endpoint')
  return registration
}

/** Updates an endpoint, unless it was changed concurrently. Returns the new one. */
export const replaceEndpoint = (unit: UnitOfWork, endpoint: Endpoint, now: number): Endpoint => {
  const changed = { ...endpoint, version: endpoint.version + 1, updatedAt: new Date(now).toISOString() }
  unit.replace(endpointItem.encode(changed), endpoint.version)
  return changed
}

const addressOf = (registration: StoredRegistration): Address =>
  isPending(registration) ? pendingItem.addressOf(registration) : endpointItem.addressOf(registration)

export const toWebhookEndpoint = (registration: StoredRegistration): WebhookEndpoint => {
  if (isPending(registration)) return toPending(registration)
  const { previousUntil = 0 } = registration
  return {
    ...showEndpoint(registration),
    ...(previousUntil > epochSeconds() && { previousSecretUntil: timestamp(previousUntil) }),
  }
}

const toPending = ({ id, orgId, url, status, createdAt, updatedAt, expiresAt }: PendingRegistration) => ({
  ...{ id, orgId, kind: 'notification' as const, url, status, createdAt, updatedAt },
  expiresAt: timestamp(expiresAt),
})

const timestamp = (seconds: number): string => new Date(seconds * 1000).toISOString()

const byKindAndAge = (a: StoredRegistration, b: StoredRegistration): number =>
  compare(kindOf(a), kindOf(b)) || Number(isPending(a)) - Number(isPending(b)) || compare(b.updatedAt, a.updatedAt)

const kindOf = (registration: StoredRegistration): string =>
  isPending(registration) ? 'notification' : registration.kind

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
