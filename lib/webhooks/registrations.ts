/** Webhook registrations of organizations: one active endpoint of each kind with its secret, and notification endpoints that wait for a token. */
import { randomInt, randomUUID } from 'node:crypto'
import type { Registration, RegistrationKind } from '../records/registration.ts'
import type { RotatedWebhookEndpoint } from '../records/webhook-endpoint.ts'
import { settings } from '../settings.ts'
import { type Address, decoyAddress, pendingAddress } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import { hasTenants } from '../store/tenants.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { putIf } from '../store/write.ts'
import {
  decoyItem,
  type Endpoint,
  endpointItem,
  isPending,
  type PendingRegistration,
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

export interface WantedEndpoint {
  orgId: string
  kind: RegistrationKind
  url: string
}

export interface Registered {
  registration: Registration
  /** The signing secret, only where it was made just now. */
  secret?: string
}

/**
 * Registers the organization's active endpoint of a kind. The same URL keeps its id and secret; another URL replaces it and gets a new
 * secret. A pending registration of the same URL becomes the active one.
 */
export const registerEndpoint = async (unit: UnitOfWork, wanted: WantedEndpoint): Promise<Registered> => {
  const { orgId, kind, url } = wanted
  const registrations = await readRegistrations(unit, orgId)
  const active = registrations.filter((one) => !isPending(one)).find((one) => one.kind === kind)
  const same = active?.url === url ? active : undefined
  const pending = kind === 'notification' ? registrations.filter(isPending).filter((one) => one.url === url) : []
  const first = same ?? pending[0]
  const now = new Date().toISOString()
  const registration: Registration = {
    ...wanted,
    id: first?.id ?? randomUUID(),
    status: 'active',
    createdAt: first?.createdAt ?? now,
    updatedAt: now,
  }
  const { secret, sealed } = same === undefined ? await sealNew(unit, wanted) : { sealed: secretsOf(same) }
  const version = (active?.version ?? 0) + 1
  const item = endpointItem.encode({ ...registration, ...sealed, status: 'active', version })
  if (active === undefined) unit.create(item)
  else unit.replace(item, active.version)
  // Without a condition, so that callers without a token cannot make this fail.
  for (const waiting of pending) unit.delete(pendingItem.addressOf(waiting))
  return secret === undefined ? { registration } : { registration, secret }
}

const sealNew = async (unit: UnitOfWork, wanted: WantedEndpoint) => {
  const secret = newSecret()
  return { secret, sealed: { secret: await sealSecret(unit, wanted, secret) } }
}

/** Registering again during a rotation keeps the previous secret: it signs until its time is over. */
const secretsOf = ({ secret, previousSecret, previousUntil }: Endpoint) => ({ secret, previousSecret, previousUntil })

/**
 * Gives an endpoint a new secret. The one before it signs too for 24 h; of several rotations within that time only the last one's. Throws
 * `resource.not_found`, `endpoint.not_active`. `now` in ms since the epoch.
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

/** A pending registration waits this long for a token. */
const PENDING_SECONDS = 7 * 24 * 60 * 60

/** The slots of an organization's pending registrations. When all are taken, the oldest is replaced. */
const SLOTS = [0, 1, 2, 3, 4]

/** The number of addresses for decoys: several, so that none becomes a hot partition. */
const DECOYS = 256

/**
 * Notes that somebody without a token asked for this endpoint; the newest five of an organization are kept, and of one that does not exist
 * none. Nobody is told which it is: every answer has a fresh id and time, and every call makes the same requests to the table, a decoy
 * being written in the place of what is not kept.
 *
 * Whatever is in the slot by now is replaced, and outside of a transaction: callers without a token conflict neither with each other, which
 * would tell that there is something, nor with the organization's own people.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
 */
export const registerPending = async (unit: UnitOfWork, { orgId, url }: WantedEndpoint): Promise<Registered> => {
  const [registrations, inhabited] = await Promise.all([readRegistrations(unit, orgId), hasTenants(orgId)])
  const pending = registrations.filter(isPending)
  const exists = inhabited || orgId === settings().BASE_ORG_ID || pending.length < registrations.length
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
      : decoyItem.encode({ ...stored, orgId: blank(orgId), url: blank(url), ...decoyAddress(randomInt(DECOYS)) }),
  )
  return { registration }
}

/** A decoy has the size of a pending registration, and no data of the request. */
const blank = (text: string): string => '-'.repeat(Buffer.byteLength(text))

/** The slot of the same URL, else a free one, else the oldest. A free one is chosen at random: concurrent requests mostly take different ones. */
const slotFor = (orgId: string, url: string, pending: PendingRegistration[]): Address => {
  const [oldest] = pending.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1))
  const replaced = pending.find((one) => one.url === url) ?? (pending.length < SLOTS.length ? undefined : oldest)
  if (replaced !== undefined) return pendingItem.addressOf(replaced)
  const slots = SLOTS.map((slot) => pendingAddress(orgId, slot))
  const free = slots.filter(({ sk }) => !pending.some((one) => one.sk === sk))
  return free[randomInt(free.length)] ?? pendingAddress(orgId, 0)
}
