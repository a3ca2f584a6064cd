/** Bounds the connection requests of strangers: those for a multi-use invitation or to a public DID. */
import { DidCommConnectionRecord, type DidCommOutOfBandRecord } from '@credo-ts/didcomm'
import { AgentError } from '../errors.ts'
import { unfinishedList } from '../records/connection.ts'
import { settings } from '../settings.ts'
import { tagPartition } from '../store/index-entries.ts'
import { defineItem } from '../store/item.ts'
import { integer } from '../store/item-fields.ts'
import { recordKeyOf, recordOfEntry, strangersAddress } from '../store/keys.ts'
import { addressOf, epochSeconds } from '../store/table.ts'
import { currentUnit } from '../store/transaction.ts'

/** Maximum number for an invitation or a DID: of requests that wait to be accepted, and of responses that were not answered. */
export const MAX_UNFINISHED = 500

/** Requests of strangers to a tenant per second, on the average of a minute, if `TENANT_RATE` is not set. */
const DEFAULT_RATE = 10

/** The count of a minute is spread over this many items, because strangers come at the same time. */
const SHARDS = 8

const MINUTE = 60

interface Shard {
  tenant: string
  minute: number
  shard: number
}

const countItem = defineItem(
  'stranger-count',
  ({ tenant, minute, shard }: Shard) => strangersAddress(tenant, minute, shard),
  { count: integer(), version: integer(), expiresAt: integer() },
)

/**
 * Admits a request for an invitation in the running unit of work. Throws `quota.exceeded` if the tenant's rate is used up, or too many requests wait
 * to be accepted. If too many responses were not answered, the oldest connection is given up.
 */
export const admitStranger = async (invitation: DidCommOutOfBandRecord): Promise<void> => {
  if (!invitation.reusable) return
  await countStranger()
  await boundUnfinished(invitation)
}

const countStranger = async (now = epochSeconds()): Promise<void> => {
  const unit = currentUnit()
  const minute = Math.floor(now / MINUTE)
  const of = { tenant: unit.tenant, minute, shard: Math.floor(Math.random() * SHARDS) }
  const held = await unit.load(countItem, of)
  const count = (held?.count ?? 0) + 1
  const rate = settings().TENANT_RATE || DEFAULT_RATE
  if (count > Math.max(1, (rate * MINUTE) / SHARDS))
    throw new AgentError('quota.exceeded', 'too many requests for a connection come to this agent')
  const item = countItem.encode({ ...of, count, version: count, expiresAt: (minute + 2) * MINUTE })
  if (held === undefined) unit.create(item)
  else unit.replace(item, held.version)
}

const boundUnfinished = async ({ id, autoAcceptConnection }: DidCommOutOfBandRecord) => {
  const unit = currentUnit()
  // The agent accepts by itself, unless an invitation says otherwise.
  const waits = autoAcceptConnection === false
  const list = unfinishedList(id, waits ? 'request-received' : 'response-sent')
  const partition = tagPartition(unit.tenant, DidCommConnectionRecord.type, 'unfinished', list)
  // The newest first: what has expired may still be there.
  const { items } = await unit.query(partition, { limit: MAX_UNFINISHED, descending: true })
  const oldest = items.at(-1)
  if (oldest === undefined || items.length < MAX_UNFINISHED) return
  if (waits) throw new AgentError('quota.exceeded', 'too many requests for a connection wait to be accepted')
  const { type, id: connectionId } = recordKeyOf(recordOfEntry(addressOf(oldest)).pk)
  await unit.remove(unit.tenant, type, connectionId)
}
