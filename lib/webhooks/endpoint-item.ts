/** Stored registrations: endpoints with their health and sealed secrets, and pending registrations. */
import { ENDPOINT_KINDS, type EndpointKind } from '../records/webhook-event.ts'
import { defineItem, type Image, readItem, type Stored } from '../store/item.ts'
import { bytes, inKey, integer, optional, picklist, text } from '../store/item-fields.ts'
import { type Address, address } from '../store/keys.ts'
import { queryAll } from '../store/table.ts'

/** The health of an endpoint that its organization sees. Times are ISO 8601 UTC. */
const SHOWN_HEALTH = {
  status: picklist(['active', 'failing', 'disabled']),
  /** Time of the first failure since the last success. */
  failingSince: optional(text()),
  lastSuccessAt: optional(text()),
  lastFailureAt: optional(text()),
  lastError: optional(text()),
  disabledAt: optional(text()),
  disabledReason: optional(text()),
}

export const HEALTH_FIELDS = Object.keys(SHOWN_HEALTH) as (keyof EndpointHealth)[]

const { status, ...history } = SHOWN_HEALTH

/** Fields of an endpoint that its organization sees, in this order. */
const SHOWN = {
  id: text(),
  orgId: text(),
  kind: inKey('sk', picklist(ENDPOINT_KINDS)),
  url: text(),
  status,
  createdAt: text(),
  updatedAt: text(),
  ...history,
}

/** Number of writes of the item. */
const VERSION = { version: integer() }

/** Partition of an organization's registrations, and the scope of its data key. */
export const organizationPartition = (orgId: string): string => `@org|${orgId}`

/** The stream's filter and the dispatcher recognize registrations by this `kind`. */
const REGISTRATION_KIND = 'registration'

export const endpointItem = defineItem(
  REGISTRATION_KIND,
  ({ orgId, kind }: { orgId: string; kind: EndpointKind }) => address(organizationPartition(orgId), kind),
  {
    ...SHOWN,
    ...VERSION,
    /** Sealed with the organization's data key for the endpoint's `secretAddress`. */
    secret: bytes(),
    /** The previous secret, which also signs until `previousUntil` (epoch seconds). */
    previousSecret: optional(bytes()),
    previousUntil: optional(integer()),
  },
  'parts',
)

/** An organization's endpoint, not pending. */
export type Endpoint = Stored<typeof endpointItem>
export type EndpointHealth = Pick<Endpoint, keyof typeof SHOWN_HEALTH>

const PENDING = {
  id: SHOWN.id,
  orgId: SHOWN.orgId,
  url: SHOWN.url,
  createdAt: SHOWN.createdAt,
  updatedAt: SHOWN.updatedAt,
  ...VERSION,
  pk: inKey('pk', text()),
  sk: inKey('sk', text()),
  status: picklist(['pending']),
  /** Epoch seconds. */
  expiresAt: integer(),
}

/** One of a few slots for pending registrations. */
export const pendingAddress = (orgId: string, slot: number): Address =>
  address(organizationPartition(orgId), `notification#pending#${slot}`)

/** A notification endpoint that was registered without a token. */
export const pendingItem = defineItem(REGISTRATION_KIND, (of: Address) => of, PENDING, 'parts')
export type PendingRegistration = Stored<typeof pendingItem>

/** Has the fields of a pending registration, but is not one (see `registerPending`). */
export const decoyItem = defineItem(
  'decoy',
  ({ number }: { number: number }) => address(`@decoy|${number}`),
  PENDING,
  'service',
)

export type StoredRegistration = Endpoint | PendingRegistration

export const isPending = (registration: StoredRegistration): registration is PendingRegistration =>
  registration.status === 'pending'

export const decodeRegistration = (item: Image): StoredRegistration =>
  item.status?.S === 'pending' ? pendingItem.decode(item) : endpointItem.decode(item)

type ShownName = keyof typeof SHOWN
export type ShownEndpoint = Pick<Endpoint, ShownName>

const SHOWN_NAMES = Object.keys(SHOWN) as ShownName[]

/** The fields for the organization, without undefined ones. */
export const showEndpoint = (endpoint: ShownEndpoint): ShownEndpoint =>
  Object.fromEntries(
    SHOWN_NAMES.filter((name) => endpoint[name] !== undefined).map((name) => [name, endpoint[name]]),
  ) as ShownEndpoint

/** The same fields from a stream image, without its secrets. */
export const shownInImage = (image: Image): ShownEndpoint & Pick<Endpoint, 'version'> =>
  endpointItem.decodePart(image, [...SHOWN_NAMES, 'version'])

/** The endpoint with the health of a new one. */
export const withNewHealth = (endpoint: Endpoint): Endpoint => {
  const lasting = Object.fromEntries(Object.entries(endpoint).filter(([name]) => !(name in SHOWN_HEALTH)))
  return { ...(lasting as Omit<Endpoint, keyof EndpointHealth>), status: 'active' }
}

/** An organization's endpoint of a kind; undefined if there is none, or if it was replaced. */
export const readEndpoint = async (orgId: string, kind: EndpointKind, id: string): Promise<Endpoint | undefined> => {
  const endpoint = await readItem(endpointItem, { orgId, kind })
  return endpoint?.id === id ? endpoint : undefined
}

/** The endpoints of an organization: at most one of each kind. */
export const readEndpoints = async (orgId: string): Promise<Endpoint[]> =>
  (await queryAll(organizationPartition(orgId)))
    .map(decodeRegistration)
    .filter((registration) => !isPending(registration))
