/** Webhook registrations of organizations: one active endpoint of each kind. */
import { randomUUID } from 'node:crypto'
import type { Registration, RegistrationKind } from '../records/registration.ts'
import { type Address, organizationPartition } from '../store/address.ts'
import { type Item, queryAll, toKey } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { newSecret, sealSecret } from './secrets.ts'

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
 * Makes the endpoint the organization's active one of its kind. The same URL keeps its id and secret; another one replaces
 * it and gets a new secret. A pending registration of the URL becomes this one.
 */
export const registerEndpoint = async (unit: UnitOfWork, endpoint: WantedEndpoint): Promise<Registered> => {
  const { orgId, kind, url } = endpoint
  const items = await unit.attempt(() => queryAll(organizationPartition(orgId)))
  const active = items.find((item) => item.sk?.S === kind)
  const same = active?.url?.S === url ? active : undefined
  const pending = items.filter((item) => item.sk?.S?.startsWith(`${kind}#pending#`) && item.url?.S === url)
  const first = same ?? pending[0]
  const now = new Date().toISOString()
  const registration: Registration = {
    ...endpoint,
    id: first?.id?.S ?? randomUUID(),
    status: 'active',
    createdAt: first?.createdAt?.S ?? now,
    updatedAt: now,
  }
  const { secret, attributes } = same === undefined ? await sealNew(unit, endpoint) : { attributes: secretsOf(same) }
  const item = { ...toRegistrationItem(registration, { pk: organizationPartition(orgId), sk: kind }), ...attributes }
  if (active === undefined) unit.create({ ...item, version: { N: '1' } })
  else unit.replace({ ...item, version: next(active) }, Number(active.version?.N))
  // Whatever lies there by now: callers without a token can't make this fail.
  for (const waiting of pending) unit.delete(waiting)
  return secret === undefined ? { registration } : { registration, secret }
}

const next = (item: Item) => ({ N: String(Number(item.version?.N) + 1) })

const sealNew = async (
  unit: UnitOfWork,
  { orgId, kind }: WantedEndpoint,
): Promise<{ secret: string; attributes: Item }> => {
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

/** What every registration has, pending or not. */
export const toRegistrationItem = (registration: Registration, address: Address): Item => ({
  ...toKey(address),
  kind: { S: 'registration' },
  id: { S: registration.id },
  orgId: { S: registration.orgId },
  url: { S: registration.url },
  status: { S: registration.status },
  createdAt: { S: registration.createdAt },
  updatedAt: { S: registration.updatedAt },
})
