/** Finds, shows and replaces the endpoints of an organization, and lists the attempts at them. */
import { AgentError } from '../errors.ts'
import type { WebhookDelivery } from '../records/webhook-delivery.ts'
import type { WebhookEndpoint } from '../records/webhook-endpoint.ts'
import { type ListedPage, listItems } from '../store/item-list.ts'
import { queryMerged } from '../store/merged-pages.ts'
import { epochSeconds, type Item, queryAll } from '../store/table.ts'
import {
  decodeRegistration,
  type Endpoint,
  endpointItem,
  isPending,
  organizationPartition,
  type PendingRegistration,
  type StoredRegistration,
  showEndpoint,
} from './endpoint-item.ts'
import { type AttemptOutcome, eventPartitions, type ListedAttempt, listedAttempt } from './event-item.ts'

/** Identifies an endpoint. An endpoint of another organization counts as missing. */
export interface EndpointPath {
  orgId: string
  endpointId: string
}

/** Reads items: the table, or a unit of work. */
interface Reader {
  queryAll(partition: string): Promise<Item[]>
}

/** The registrations of an organization, pending or not. */
export const readRegistrations = async (reader: Reader, orgId: string): Promise<StoredRegistration[]> =>
  (await reader.queryAll(organizationPartition(orgId))).map(decodeRegistration)

/** For each kind the active endpoint first, then pending registrations, newest first. */
export const listEndpoints = async (orgId: string): Promise<WebhookEndpoint[]> =>
  (await readRegistrations({ queryAll }, orgId)).sort(byKindAndAge).map(toWebhookEndpoint)

/** Throws `resource.not_found`. */
export const requireRegistration = async (
  reader: Reader,
  { orgId, endpointId }: EndpointPath,
): Promise<StoredRegistration> => {
  const registration = (await readRegistrations(reader, orgId)).find(({ id }) => id === endpointId)
  if (registration === undefined) throw new AgentError('resource.not_found', 'there is no such endpoint')
  return registration
}

/** Throws `resource.not_found`. */
export const assertEndpointExists = async (path: EndpointPath): Promise<void> => {
  await requireRegistration({ queryAll }, path)
}

/** Throws `resource.not_found`, and `endpoint.not_active` for a registration that is pending. */
export const requireEndpoint = async (reader: Reader, path: EndpointPath): Promise<Endpoint> => {
  const registration = await requireRegistration(reader, path)
  if (isPending(registration))
    throw new AgentError('endpoint.not_active', 'the registration is pending: register it with a token first')
  return registration
}

/** An endpoint that is not disabled. Throws `resource.not_found`, `endpoint.not_active`. */
export const requireEnabledEndpoint = async (reader: Reader, path: EndpointPath): Promise<Endpoint> => {
  const endpoint = await requireEndpoint(reader, path)
  if (endpoint.status === 'disabled')
    throw new AgentError('endpoint.not_active', 'the endpoint is disabled: enable it first')
  return endpoint
}

/** The part of a unit of work that replaces an item. */
interface Writer {
  replace(item: Item, version: number): void
}

/** Updates an endpoint, unless it was changed concurrently. Returns the new one. */
export const replaceEndpoint = (unit: Writer, endpoint: Endpoint, now: number): Endpoint => {
  const changed = { ...endpoint, version: endpoint.version + 1, updatedAt: new Date(now).toISOString() }
  unit.replace(endpointItem.encode(changed), endpoint.version)
  return changed
}

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

interface DeliveriesQuery {
  /** Filter by outcome; undefined: both. */
  status?: AttemptOutcome | undefined
  limit: number
  cursor?: string | undefined
}

/** A page of attempts. Throws `request.malformed` for a cursor without a position of a list. */
export const listDeliveries = (
  endpointId: string,
  { status, limit, cursor }: DeliveriesQuery,
): Promise<ListedPage<WebhookDelivery>> => {
  const show = (item: Item): WebhookDelivery | undefined => {
    const attempt = listedAttempt(item)
    return attempt === undefined || (status !== undefined && attempt.outcome !== status)
      ? undefined
      : toDelivery(attempt)
  }
  return listItems(
    // Attempts with separate items are beside the items of their events.
    ({ limit, ...range }) => queryMerged(eventPartitions(endpointId), { ...range, limit: 2 * limit }),
    { limit, cursor, order: 'desc' },
    { show, filtered: status !== undefined },
  )
}

const toDelivery = ({ outcome, status, failure, ...attempt }: ListedAttempt): WebhookDelivery => {
  const { eventId, type, attempt: number, startedAt, milliseconds, response } = attempt
  return {
    ...{ eventId, type, attempt: number, startedAt, status: outcome, responseStatus: status },
    ...{ failure, milliseconds, response },
  }
}
