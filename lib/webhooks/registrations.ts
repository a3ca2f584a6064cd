/** Webhook registrations of organizations: one active endpoint of each kind. */
import { randomUUID } from 'node:crypto'
import type { Registration, RegistrationKind } from '../records/registration.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type Endpoint, endpointItem, isPending, pendingItem } from './endpoint-item.ts'
import { readRegistrations } from './endpoints.ts'
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
  // Whatever is there by now: callers without a token can't make this fail.
  for (const waiting of pending) unit.delete(pendingItem.addressOf(waiting))
  return secret === undefined ? { registration } : { registration, secret }
}

const sealNew = async (unit: UnitOfWork, wanted: WantedEndpoint) => {
  const secret = newSecret()
  return { secret, sealed: { secret: await sealSecret(unit, wanted, secret) } }
}

/** Registering again amid a rotation leaves the secret before it as it is: it goes on to sign until its time is over. */
const secretsOf = ({ secret, previousSecret, previousUntil }: Endpoint) => ({ secret, previousSecret, previousUntil })
