/** Tells the connections of a removed tenant, page by page. */
import '../agent/compose-sending.ts'
import { hangUpOnce } from '../agent/connections/index.ts'
import { connectionRecords } from '../records/kinds.ts'
import { allRecordsPartition } from '../store/index-entries.ts'
import { recordKeyOf } from '../store/keys.ts'
import { addressOf, queryPage } from '../store/table.ts'

/** Connections that are told at once. */
const PAGE = 50

/** Tells the connections after a place. Returns the next place; undefined after the last one. */
export const tellPage = async (tenant: string, after: string | undefined): Promise<string | undefined> => {
  const { items, next } = await queryPage(allRecordsPartition(tenant, connectionRecords.type), { limit: PAGE, after })
  await Promise.all(items.map((item) => hangUpOnce(tenant, recordKeyOf(addressOf(item)).id)))
  return next
}
