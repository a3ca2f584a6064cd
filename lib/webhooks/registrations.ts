/** Registers the webhook endpoints of organizations, active and pending ones, and rotates their signing secrets. */
import { randomInt, randomUUID } from 'node:crypto'
import type { Registration, RegistrationWithSecret } from '../records/registration.ts'
import type { RotatedWebhookEndpoint } from '../records/webhook-endpoint.ts'
import { settings } from '../settings.ts'
import type { Address } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { putIf } from '../store/write.ts'
import { hasTenants } from '../tenants/tenants.ts'
import {
  decoyItem,
  type Endpoint,
  endpointItem,
  isPending,
  type PendingRegistration,
  pendingAddress,
  pendingItem,
} from './endpoint-item.ts'
import {
  type EndpointPath,
  readRegistrations,
  replaceEndpoint,
  requireEndpoint,
  toWebhookEndpoint,
} from './endpoints.ts'
import { newSecret, PREVIOUS_SECONDS, sealSecret } from './secrets.ts'

export type NewEndpoint = Pick<Endpoint, 'orgId' | 'kind' | 'url'>

/**
 * Registers the organization's active endpoint of a kind. The same URL keeps its id and secret; another URL replaces
 * the endpoint and gets a new secret. A pending registration of the same URL becomes active.
 */
export const registerEndpoint = async (unit: UnitOfWork, endpoint: NewEndpoint): Promise<RegistrationWithSecret> => {
  const { orgId, kind, url } = endpoint
  const registrations = await readRegistrations(unit, orgId)
  const active = registrations.filter((one) => !isPending(one)).find((one) => one.kind === kind)
  const same = active?.url === url ? active : undefined
  const pending = kind === 'notification' ? registrations.filter(isPending).filter((one) => one.url === url) : []
  const first = same ?? pending[0]
  const now = new Date().toISOString()
  const registration: Registration = {
    ...endpoint,
    id: first?.id ?? randomUUID(),
    status: 'active',
    createdAt: first?.createdAt ?? now,
    updatedAt: now,
  }
  const { secret, sealed } = same === undefined ? await sealNew(unit, endpoint) : { sealed: secretsOf(same) }
  const version = (active?.version ?? 0) + 1
  const item = endpointItem.encode({ ...registration, ...sealed, status: 'active', version })
  if (active === undefined) unit.create(item)
  else unit.replace(item, active.version)
  // Without a condition, so that callers without a token cannot make this fail.
  for (const waiting of pending) unit.delete(pendingItem.addressOf(waiting))
  return secret === undefined ? { registration } : { registration, secret }
}

const sealNew = async (unit: UnitOfWork, endpoint: NewEndpoint) => {
  const secret = newSecret()
  return { secret, sealed: { secret: await sealSecret(unit, endpoint, secret) } }
}

/** A repeated registration during a rotation keeps the previous secret until it expires. */
const secretsOf = ({ secret, previousSecret, previousUntil }: Endpoint) => ({ secret, previousSecret, previousUntil })

/**
 * Gives an endpoint a new secret. The previous one also signs for 24 h; with several rotations in that time, only the
 * last one. Throws `resource.not_found`, `endpoint.not_active`. `now` in ms since the epoch.
 */
export const rotateSecret = async (
  unit: UnitOfWork,
  path: EndpointPath,
  now: number = Date.now(),
): Promise<RotatedWebhookEndpoint> => {
  const endpoint = await requireEndpoint(unit, path)
  const secret = newSecret()
  const rotated = {
    ...endpoint,
    secret: await sealSecret(unit, endpoint, secret),
    previousSecret: endpoint.secret,
    previousUntil: epochSeconds(now) + PREVIOUS_SECONDS,
  }
  return { ...toWebhookEndpoint(replaceEndpoint(unit, rotated, now)), secret }
}

/** Lifetime of a pending registration. */
const PENDING_SECONDS = 7 * 24 * 60 * 60

/** Slots of an organization's pending registrations. If all are used, the oldest is replaced. */
const SLOTS = [0, 1, 2, 3, 4]

/** Number of addresses for decoys: several, to avoid a hot partition. */
const DECOYS = 256

/**
 * Stores a registration without a token. For an existing organization the newest five are stored, for an unknown one
 * none. The caller can't see the difference: every response has a new id and time, and every call makes the same
 * requests to the table, writing a decoy instead of a registration that is not stored.
 *
 * The slot is overwritten outside of a transaction, so that callers without a token conflict neither with each other,
 * which would reveal that the organization exists, nor with the organization's own users.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
 */
export const registerPending = async (
  unit: UnitOfWork,
  { orgId, url }: NewEndpoint,
): Promise<RegistrationWithSecret> => {
  const [registrations, isKnown] = await Promise.all([readRegistrations(unit, orgId), hasTenants(orgId)])
  const pending = registrations.filter(isPending)
  const exists = isKnown || orgId === settings().BASE_ORG_ID || pending.length < registrations.length
  const now = new Date().toISOString()
  const registration: Registration & { status: 'pending' } = {
    id: randomUUID(),
    orgId,
    kind: 'notification',
    url,
    status: 'pending',
    createdAt: now,
    updatedAt: now,
  }
  const stored = { ...registration, version: 1, expiresAt: epochSeconds() + PENDING_SECONDS }
  await putIf(
    exists
      ? pendingItem.encode({ ...stored, ...slotFor(orgId, url, pending) })
      : decoyItem.encode({ ...stored, orgId: blank(orgId), url: blank(url), number: randomInt(DECOYS) }),
  )
  return { registration }
}

/** A decoy has the size of a pending registration but no data of the request. */
const blank = (text: string): string => '-'.repeat(Buffer.byteLength(text))

/**
 * The slot of the same URL, else a random free one, so that concurrent requests usually use different ones, else the
 * oldest.
 */
const slotFor = (orgId: string, url: string, pending: PendingRegistration[]): Address => {
  const [oldest] = pending.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1))
  const replaced = pending.find((one) => one.url === url) ?? (pending.length < SLOTS.length ? undefined : oldest)
  if (replaced !== undefined) return pendingItem.addressOf(replaced)
  const slots = SLOTS.map((slot) => pendingAddress(orgId, slot))
  const free = slots.filter(({ sk }) => !pending.some((one) => one.sk === sk))
  return free[randomInt(free.length)] ?? pendingAddress(orgId, 0)
}
