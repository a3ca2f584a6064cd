/** The registration item of an endpoint, with its health and its secrets as they lie in the table (sealed). */
import * as v from 'valibot'
import type { RegistrationKind } from '../records/registration.ts'
import { organizationPartition } from '../store/address.ts'
import { number, text } from '../store/attributes.ts'
import { getItem, type Item, queryAll } from '../store/table.ts'

const ENDPOINT_STATUSES = ['active', 'failing', 'disabled'] as const
type EndpointStatus = (typeof ENDPOINT_STATUSES)[number]

/** How an endpoint has been doing. Times are ISO 8601 UTC. */
export interface EndpointHealth {
  status: EndpointStatus
  /** The first failure since the last success. */
  failingSince?: string | undefined
  lastSuccessAt?: string | undefined
  lastFailureAt?: string | undefined
  lastError?: string | undefined
  /** Its last failure has let us wait: few attempts at once are made (waiting-places.ts). */
  stalling?: true | undefined
  disabledAt?: string | undefined
  disabledReason?: string | undefined
}

/** An organization's endpoint that is not pending. */
export interface Endpoint extends EndpointHealth {
  id: string
  orgId: string
  kind: RegistrationKind
  url: string
  createdAt: string
  updatedAt: string
  /** Counts the writes of the item. */
  version: number
  /** Sealed with the organization's data key, at the address of the item. */
  secret: Uint8Array
  /** The secret before the last rotation; signs too until `previousUntil` (epoch seconds). */
  previousSecret?: Uint8Array | undefined
  previousUntil?: number | undefined
}

const bytes = v.pipe(
  v.object({ B: v.instance(Uint8Array) }),
  v.transform(({ B }) => B),
)

const yes = v.pipe(
  v.object({ BOOL: v.literal(true) }),
  v.transform(({ BOOL }) => BOOL),
)

const EndpointItem = v.object({
  id: text,
  orgId: text,
  sk: v.pipe(text, v.picklist(['notification', 'webhook'])),
  url: text,
  status: v.pipe(text, v.picklist(ENDPOINT_STATUSES)),
  createdAt: text,
  updatedAt: text,
  version: number,
  secret: bytes,
  previousSecret: v.optional(bytes),
  previousUntil: v.optional(number),
  failingSince: v.optional(text),
  lastSuccessAt: v.optional(text),
  lastFailureAt: v.optional(text),
  lastError: v.optional(text),
  stalling: v.optional(yes),
  disabledAt: v.optional(text),
  disabledReason: v.optional(text),
})

/** Undefined for an item that is no endpoint: a pending registration. */
export const fromEndpointItem = (item: Item): Endpoint | undefined => {
  const result = v.safeParse(EndpointItem, item)
  if (!result.success) return undefined
  const { sk, ...endpoint } = result.output
  return { ...endpoint, kind: sk }
}

/** An organization's endpoint of a kind; undefined where there is none, or another one by now. */
export const readEndpoint = async (
  orgId: string,
  kind: RegistrationKind,
  id: string,
): Promise<Endpoint | undefined> => {
  const item = await getItem({ pk: organizationPartition(orgId), sk: kind })
  const endpoint = item === undefined ? undefined : fromEndpointItem(item)
  return endpoint?.id === id ? endpoint : undefined
}

/** The endpoints of an organization: at most one of each kind. */
export const readEndpoints = async (orgId: string): Promise<Endpoint[]> =>
  (await queryAll(organizationPartition(orgId))).map(fromEndpointItem).filter((endpoint) => endpoint !== undefined)
