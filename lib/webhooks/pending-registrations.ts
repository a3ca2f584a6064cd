/** Registrations that wait for a token: somebody without one has asked for them. */
import { randomInt, randomUUID } from 'node:crypto'
import { PutItemCommand, TransactionConflictException } from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import type { Registration } from '../records/registration.ts'
import { settings } from '../settings.ts'
import { type Address, organizationPartition } from '../store/address.ts'
import { dynamodb } from '../store/client.ts'
import { epochSeconds, type Item, queryAll, translateFault } from '../store/table.ts'
import { hasTenants } from '../store/tenants.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type Registered, toRegistrationItem, type WantedEndpoint } from './registrations.ts'

/** A pending registration waits this long for a token. */
const PENDING_SECONDS = 7 * 24 * 60 * 60

/** The places of an organization's pending registrations. When all are taken, the oldest gives way. */
const PLACES = ['0', '1', '2', '3', '4'].map((place) => `notification#pending#${place}`)

/** Places of items that stand for nothing. Several, so that they are no hot partition. */
const DECOYS = 256
const DECOY_KIND = 'decoy'

/**
 * Notes that somebody without a token asked for this endpoint; the newest five of an organization are kept, and of one that does not exist
 * none. Nobody is told which it is: every answer has a fresh id and time, and every call makes the same requests to the table, a decoy
 * being written in the place of what is not kept.
 */
export const registerPending = async (unit: UnitOfWork, { orgId, url }: WantedEndpoint): Promise<Registered> => {
  const pk = organizationPartition(orgId)
  const [items, inhabited] = await unit.attempt(() => Promise.all([queryAll(pk), hasTenants(orgId)]))
  const isActive = ({ status }: Item) => status?.S !== 'pending'
  const exists = inhabited || orgId === settings().BASE_ORG_ID || items.some(isActive)
  const now = new Date().toISOString()
  const registration: Registration = {
    id: randomUUID(),
    orgId,
    kind: 'notification',
    url,
    status: 'pending',
    createdAt: now,
    updatedAt: now,
  }
  const item = exists ? toItem(registration, { pk, sk: placeFor(url, items) }) : decoyOf(registration)
  await unit.attempt(() => put(item))
  return { registration }
}

const toItem = (registration: Registration, address: Address): Item => ({
  ...toRegistrationItem(registration, address),
  version: { N: '1' },
  expiresAt: { N: String(epochSeconds() + PENDING_SECONDS) },
})

/** An item of the same size, with nothing of the request in it. */
const decoyOf = (registration: Registration): Item => {
  const blank = (text: string): string => '-'.repeat(Buffer.byteLength(text))
  const blanked = { ...registration, orgId: blank(registration.orgId), url: blank(registration.url) }
  return { ...toItem(blanked, { pk: `@decoy|${randomInt(DECOYS)}`, sk: '-' }), kind: { S: DECOY_KIND } }
}

/** The place of the same URL, else a free one, else that of the oldest. A free one by chance: two at once mostly take different ones. */
const placeFor = (url: string, items: Item[]): string => {
  const pending = items.filter(({ sk }) => PLACES.includes(sk?.S ?? '')).sort(byAge)
  const replaced =
    pending.find((item) => item.url?.S === url) ?? (pending.length < PLACES.length ? undefined : pending[0])
  const free = PLACES.filter((place) => !pending.some(({ sk }) => sk?.S === place))
  return replaced?.sk?.S ?? free[randomInt(free.length)] ?? ''
}

const byAge = (a: Item, b: Item): number => ((a.updatedAt?.S ?? '') < (b.updatedAt?.S ?? '') ? -1 : 1)

/**
 * Whatever lies there by now is replaced, and outside of a transaction: callers without a token conflict neither with each other, which
 * would tell that there is something, nor with the organization's own people.
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
 */
const put = async (item: Item): Promise<void> => {
  try {
    await dynamodb().send(new PutItemCommand({ TableName: settings().TABLE_NAME, Item: item }))
  } catch (error) {
    if (!(error instanceof TransactionConflictException)) throw translateFault(error)
    throw new AgentError('store.conflict', 'the registration changed at the same time', { cause: error })
  }
}
