/** Registrations that wait for a token: somebody without one has asked for them. */
import { randomInt, randomUUID } from 'node:crypto'
import type { Registration } from '../records/registration.ts'
import { settings } from '../settings.ts'
import { type Address, decoyAddress, pendingAddress } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import { hasTenants } from '../store/tenants.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { putIf } from '../store/write.ts'
import { decoyItem, isPending, type PendingRegistration, pendingItem } from './endpoint-item.ts'
import { readRegistrations } from './endpoints.ts'
import type { Registered, WantedEndpoint } from './registrations.ts'

/** A pending registration waits this long for a token. */
const PENDING_SECONDS = 7 * 24 * 60 * 60

/** The slots of an organization's pending registrations. When all are taken, the oldest gives way. */
const SLOTS = [0, 1, 2, 3, 4]

/** Addresses of items that stand for nothing. Several, so that they are no hot partition. */
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

/** A decoy has the size of what it stands for, and nothing of the request in it. */
const blank = (text: string): string => '-'.repeat(Buffer.byteLength(text))

/** The slot of the same URL, else a free one, else that of the oldest. A free one by chance: two at once mostly take different ones. */
const slotFor = (orgId: string, url: string, pending: PendingRegistration[]): Address => {
  const [oldest] = pending.toSorted((a, b) => (a.updatedAt < b.updatedAt ? -1 : 1))
  const replaced = pending.find((one) => one.url === url) ?? (pending.length < SLOTS.length ? undefined : oldest)
  if (replaced !== undefined) return pendingItem.addressOf(replaced)
  const slots = SLOTS.map((slot) => pendingAddress(orgId, slot))
  const free = slots.filter(({ sk }) => !pending.some((one) => one.sk === sk))
  return free[randomInt(free.length)] ?? pendingAddress(orgId, 0)
}
