/**
 * The status list indexes of credentials: random, each with a mark, so that an index does not reveal order, number or
 * time, and concurrent issuances do not conflict at a counter.
 */
import { randomInt } from 'node:crypto'
import { AgentError } from '../errors.ts'
import type { StatusReference } from '../records/openid4vci.ts'
import type { Owner } from '../records/owners.ts'
import { defineItem } from '../store/item.ts'
import { address } from '../store/keys.ts'
import { addressOf } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { beginNextList, ENTRIES, extendNamedList, extendUntil, newestList } from './lists.ts'

/** Indexes of one draw: what one BatchGetItem reads. */
const MIN_DRAWN = 8
const MAX_DRAWN = 100
/** The next list is begun if fewer indexes of a large draw are free. */
const MIN_FREE = 50
/** Lists that one request may find full. */
const MAX_FULL = 3

const markPartition = (tenant: string, listId: string, index: number): string =>
  `${tenant}|status-index|${listId}|${index}`

/** Of an issuance session. An index is never given again, so marks stay when a session is deleted. */
const marksOf = ({ tenant, value: { issuedCredentials } }: Owner): string[] =>
  [issuedCredentials ?? []].flat().flatMap((issued) => {
    const { status } = Object(issued) as { status?: StatusReference }
    return (status?.indexes ?? []).map((index) => markPartition(tenant, String(status?.listId), index))
  })

export const markItem = defineItem(
  'status-index',
  ({ tenant, listId, index }: { tenant: string; listId: string; index: number }) =>
    address(markPartition(tenant, listId, index)),
  {},
  { shared: { OpenId4VcIssuanceSessionRecord: marksOf } },
)

/** Random indexes that no credential has yet. */
const drawFree = async (unit: UnitOfWork, listId: string, count: number, entries: number): Promise<number[]> => {
  const drawn = new Set<number>()
  while (drawn.size < Math.min(count, entries)) drawn.add(randomInt(entries))
  const addresses = new Map([...drawn].map((index) => [addressFor(unit, listId, index).pk, index]))
  const marks = await unit.getAll([...drawn].map((index) => addressFor(unit, listId, index)))
  for (const item of marks) addresses.delete(addressOf(item).pk)
  return [...addresses.values()]
}

const addressFor = ({ tenant }: UnitOfWork, listId: string, index: number) =>
  markItem.addressOf({ tenant, listId, index })

/** Enough free indexes; undefined where the list is too full for the largest request. */
const findFree = async (unit: UnitOfWork, listId: string, count: number, entries: number) => {
  const first = await drawFree(unit, listId, Math.min(MAX_DRAWN, Math.max(MIN_DRAWN, 2 * count)), entries)
  if (first.length >= count) return first.slice(0, count)
  const second = await drawFree(unit, listId, MAX_DRAWN, entries)
  return second.length < Math.max(MIN_FREE, count) ? undefined : second.slice(0, count)
}

/**
 * Takes free indexes of one list of an issuer for `count` credentials (at most 50) that end at `until`. The marks are
 * written with the unit of work; if another one takes an index first, the commit is a conflict, and the repetition
 * draws other ones. `entries`: of a list.
 */
export const drawIndexes = async (
  unit: UnitOfWork,
  { count, ...of }: { issuerId: string; count: number; until: Date },
  entries = ENTRIES,
): Promise<StatusReference> => {
  let list = (await newestList(unit, of.issuerId)) ?? (await beginNextList(unit, of, undefined))
  for (let full = 0; full < MAX_FULL; full++) {
    const { listId } = list
    const indexes = await findFree(unit, listId, count, entries)
    if (indexes !== undefined) {
      await extendUntil(unit, of, list)
      for (const index of indexes) unit.create(markItem.encode({ tenant: unit.tenant, listId, index }))
      return { listId, indexes }
    }
    list = await beginNextList(unit, of, list)
  }
  throw new AgentError('store.unavailable', 'no status list has enough free indexes')
}

/** Takes an index that the tenant has chosen. Throws `status.index_taken`, or the commit does. */
export const takeIndex = async (
  unit: UnitOfWork,
  { listId, index, ...of }: { issuerId: string; listId: string; index: number; until: Date },
): Promise<void> => {
  const indexTaken = (reason: string) =>
    new AgentError('status.index_taken', `index ${index} of the status list ${reason}`)
  if (index >= ENTRIES) throw indexTaken(`is not one of ${ENTRIES}`)
  unit.create(markItem.encode({ tenant: unit.tenant, listId, index }), () => indexTaken('is taken'))
  await extendNamedList(unit, of, listId)
}
