/** Webhook registrations of organizations: one active endpoint of each kind, and requests that wait for a token. */
import { randomUUID } from 'node:crypto'
import type { Registration, RegistrationKind } from '../records/registration.ts'
import { organizationPartition } from '../store/address.ts'
import { epochSeconds, type Item, queryAll, toKey } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { newSecret, sealSecret } from './secrets.ts'

export interface Endpoint {
  orgId: string
  kind: RegistrationKind
  url: string
}

export interface Registered {
  registration: Registration
  /** The signing secret, only where it was made just now. */
  secret?: string
}

/** A pending registration waits this long for a token. */
const PENDING_SECONDS = 7 * 24 * 60 * 60
/** Pending registrations of an organization; the oldest gives way. */
const MOST_PENDING = 5

/**
 * Makes the endpoint the organization's active one of its kind. The same URL keeps its id and secret; another one replaces
 * it and gets a new secret. A pending registration of the URL becomes this one.
 */
export const registerEndpoint = async (unit: UnitOfWork, endpoint: Endpoint): Promise<Registered> => {
  const items = await unit.attempt(() => queryAll(organizationPartition(endpoint.orgId)))
  const active = items.find((item) => item.sk?.S === endpoint.kind)
  const same = active?.url?.S === endpoint.url ? active : undefined
  const pending = items.find((item) => isPending(item, endpoint.kind) && item.url?.S === endpoint.url)
  const now = new Date().toISOString()
  const registration: Registration = {
    ...endpoint,
    id: same?.id?.S ?? pending?.id?.S ?? randomUUID(),
    status: 'active',
    createdAt: same?.createdAt?.S ?? pending?.createdAt?.S ?? now,
    updatedAt: now,
  }
  const address = { pk: organizationPartition(endpoint.orgId), sk: endpoint.kind }
  const { secret, attributes } = same === undefined ? await sealNew(unit, endpoint) : { attributes: secretsOf(same) }
  const item = { ...toItem(registration, address), ...attributes }
  if (active === undefined) unit.create({ ...item, version: { N: '1' } })
  else unit.replace({ ...item, version: next(active) }, Number(active.version?.N))
  if (pending !== undefined) unit.delete(pending, Number(pending.version?.N))
  return secret === undefined ? { registration } : { registration, secret }
}

/** Notes that somebody without a token asked for this endpoint. Touches no active one; the newest five are kept. */
export const registerPending = async (unit: UnitOfWork, endpoint: Endpoint): Promise<Registered> => {
  const partition = organizationPartition(endpoint.orgId)
  const items = await unit.attempt(() => queryAll(partition))
  const pending = items.filter((item) => isPending(item, endpoint.kind)).sort(byAge)
  const same = pending.find((item) => item.url?.S === endpoint.url)
  const now = new Date().toISOString()
  const registration: Registration = {
    ...endpoint,
    id: same?.id?.S ?? randomUUID(),
    status: 'pending',
    createdAt: same?.createdAt?.S ?? now,
    updatedAt: now,
  }
  const replaced = same ?? (pending.length < MOST_PENDING ? undefined : pending[0])
  const address = { pk: partition, sk: replaced?.sk?.S ?? freePlace(endpoint.kind, pending) }
  const expiresAt = { N: String(epochSeconds() + PENDING_SECONDS) }
  const item = { ...toItem(registration, address), expiresAt }
  if (replaced === undefined) unit.create({ ...item, version: { N: '1' } })
  else unit.replace({ ...item, version: next(replaced) }, Number(replaced.version?.N))
  return { registration }
}

/** Pending registrations have numbered places: two requests at once want the same one, so one of them runs again and sees the other. */
const freePlace = (kind: RegistrationKind, pending: Item[]): string => {
  const taken = new Set(pending.map(({ sk }) => sk?.S))
  for (let place = 0; ; place++) {
    const sk = `${kind}#pending#${place}`
    if (!taken.has(sk)) return sk
  }
}

const isPending = (item: Item, kind: RegistrationKind): boolean => item.sk?.S?.startsWith(`${kind}#pending#`) ?? false

const byAge = (a: Item, b: Item): number => ((a.updatedAt?.S ?? '') < (b.updatedAt?.S ?? '') ? -1 : 1)

const next = (item: Item) => ({ N: String(Number(item.version?.N) + 1) })

const sealNew = async (unit: UnitOfWork, { orgId, kind }: Endpoint): Promise<{ secret: string; attributes: Item }> => {
  const secret = newSecret()
  const sealed = await unit.attempt(() => sealSecret(orgId, kind, secret))
  return { secret, attributes: { secret: { B: sealed } } }
}

/** Registering again amid a rotation leaves the secret before it as it is: it goes on to sign until its time is over. */
const secretsOf = ({ secret, previousSecret, previousUntil }: Item): Item => ({
  ...(secret && { secret }),
  ...(previousSecret && { previousSecret }),
  ...(previousUntil && { previousUntil }),
})

const toItem = (registration: Registration, address: { pk: string; sk: string }): Item => ({
  ...toKey(address),
  kind: { S: 'registration' },
  id: { S: registration.id },
  orgId: { S: registration.orgId },
  url: { S: registration.url },
  status: { S: registration.status },
  createdAt: { S: registration.createdAt },
  updatedAt: { S: registration.updatedAt },
})
