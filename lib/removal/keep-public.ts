/** What stays of a tenant whose credentials others must still be able to verify. */
import { isAgentError } from '../errors.ts'
import { certificateRecords, issuerRecords } from '../records/openid-kinds.ts'
import type { StoredIssuer } from '../records/openid4vci.ts'
import { listsOf } from '../status-list/lists.ts'
import { storeSigned } from '../status-list/token.ts'
import { allRecordsPartition } from '../store/index-entries.ts'
import { recordKeyOf } from '../store/keys.ts'
import { addressOf, queryAll } from '../store/table.ts'
import { transaction } from '../store/transaction.ts'
import type { Run } from './run.ts'

const { type } = issuerRecords

/** Kinds of items and types of records. */
export const KEPT: ReadonlySet<string> = new Set([
  ...['web-document', 'webvh-log', 'webvh-resource', 'tails-piece', 'signed-status-list'],
  ...[type, certificateRecords.type],
])

/** The oldest first. */
const issuersOf = async (tenant: string): Promise<string[]> =>
  (await queryAll(allRecordsPartition(tenant, type))).map((entry) => recordKeyOf(addressOf(entry)).id)

/** Adds fields to an issuer, if it does not have them. */
const add = (tenant: string, id: string, fields: Partial<StoredIssuer>): Promise<unknown> =>
  transaction(tenant, async (unit) => {
    const stored = await unit.read(tenant, type, id)
    if (stored === undefined || Object.keys(fields).every((name) => name in stored.value)) return
    await unit.update({ ...stored, value: { ...fields, ...stored.value } })
  })

/**
 * Ends the tenant's issuers: offers, tokens, and what wallets read of them. `withLists`: also their status lists, which
 * would be signed without the bits that are removed.
 */
export const endIssuers = async (tenant: string, withLists: boolean): Promise<void> => {
  const publicOnlySince = new Date().toISOString()
  for (const id of await issuersOf(tenant))
    await add(tenant, id, { publicOnlySince, ...(withLists && { listsEnded: true }) }).catch((error) => {
      // One that cannot be decoded serves nothing.
      if (!isAgentError(error, 'internal')) throw error
    })
}

/**
 * Signs the status lists of the tenant's issuers for the last time, after a place and to the end of the run. Returns
 * the next place; undefined after the last one. Keys and bits must still be there.
 */
export const signLists = async (tenant: string, run: Run, after = ''): Promise<string | undefined> => {
  for (const [index, id] of (await issuersOf(tenant)).entries()) {
    for (const head of await listsOf(tenant, id)) {
      const place = `${String(index).padStart(3, '0')} ${head.place}`
      if (place <= after) continue
      await storeSigned(tenant, id, head)
      if (run.isOver()) return place
    }
    await add(tenant, id, { publicOnlySince: new Date().toISOString(), listsEnded: true })
  }
  return undefined
}
