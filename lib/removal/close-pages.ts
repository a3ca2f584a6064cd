/** Ends what is served for a tenant without a token: pages of invitations, and the addresses of OpenID4VC. */
import { releaseRemovedId } from '../openid/public-ids.ts'
import { outOfBandRecords } from '../records/kinds.ts'
import { issuerRecords, verifierRecords } from '../records/openid-kinds.ts'
import { allRecordsPartition } from '../store/index-entries.ts'
import { tryDecode } from '../store/item.ts'
import { recordOfEntry } from '../store/keys.ts'
import { pointerTo } from '../store/pointers.ts'
import { fromRecordItem, type StoredRecord } from '../store/stored-record.ts'
import { addressOf, getItems, queryPage } from '../store/table.ts'
import { removeIf } from '../store/write.ts'

const PUBLIC_IDS: string[] = [verifierRecords.type, issuerRecords.type]

/** Records that are read at once; a tenant has at most 50 verifiers, and 50 issuers. */
const PAGE = 50

/** Removes the pointer to a record, or detaches its public id, which is never reused. */
export const closePage = async (record: StoredRecord): Promise<void> => {
  const pointer = pointerTo(record)
  if (pointer !== undefined) await removeIf(addressOf(pointer))
  if (PUBLIC_IDS.includes(record.type)) await releaseRemovedId(record.tenant, record.id)
}

const closeAll = async (tenant: string, type: string, after?: string): Promise<string | undefined> => {
  const { items, next } = await queryPage(allRecordsPartition(tenant, type), { limit: PAGE, after })
  const stored = await getItems(items.map((entry) => recordOfEntry(addressOf(entry))))
  // What cannot be decoded serves nothing.
  const records = stored.flatMap((item) => tryDecode({ decode: fromRecordItem }, item) ?? [])
  await Promise.all(records.map(closePage))
  return next
}

/** Closes the pages of invitations after a place, and at first all addresses. Returns the next place, if there is one. */
export const closePages = async (
  tenant: string,
  kept: ReadonlySet<string>,
  after: string | undefined,
): Promise<string | undefined> => {
  if (after === undefined) for (const type of PUBLIC_IDS.filter((type) => !kept.has(type))) await closeAll(tenant, type)
  return closeAll(tenant, outOfBandRecords.type, after)
}
