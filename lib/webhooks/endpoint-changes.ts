/** Enables and deletes webhook endpoints for their organization, and releases the lanes that wait for them. */

import { errorName } from '../errors.ts'
import { log } from '../log.ts'
import { reportToDestination } from '../outbox/destinations/index.ts'
import { endpointDestination } from '../outbox/wake-ups/index.ts'
import type { WebhookEndpoint } from '../records/webhook-endpoint.ts'
import type { Address } from '../store/keys.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { endpointItem, isPending, pendingItem, type StoredRegistration, withNewHealth } from './endpoint-item.ts'
import {
  type EndpointPath,
  replaceEndpoint,
  requireEndpoint,
  requireRegistration,
  toWebhookEndpoint,
} from './endpoints.ts'

/** Deletes an endpoint or a pending registration. Its pending events are no longer sent. Returns its last state. */
export const deleteEndpoint = async (unit: UnitOfWork, path: EndpointPath): Promise<WebhookEndpoint> => {
  const registration = await requireRegistration(unit, path)
  unit.delete(addressOf(registration), registration.version)
  unit.afterCommit(() => releaseEndpoint(path.endpointId))
  return toWebhookEndpoint(registration)
}

/**
 * Makes a disabled endpoint active again, with new health. Held events wait for a replay. An endpoint in another state
 * stays unchanged.
 */
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

/**
 * Wakes the waiting lanes of an endpoint after it was enabled or deleted. If this fails, its next probe does the same.
 */
const releaseEndpoint = async (endpointId: string): Promise<void> => {
  try {
    await reportToDestination(endpointDestination(endpointId), { kind: 'reached', lane: '' }, Date.now())
  } catch (error) {
    log('warn', 'endpoint not released', { event: 'webhook.not_released', endpointId, error: errorName(error) })
  }
}

const addressOf = (registration: StoredRegistration): Address =>
  isPending(registration) ? pendingItem.addressOf(registration) : endpointItem.addressOf(registration)
