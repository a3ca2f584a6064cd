/**
 * Bounds the handshakes of other agents (docs/adr/0028-handshakes-of-strangers-are-bounded.md): their number, and how
 * long their DIDs and keys last.
 */

import { type AgentContext, DidRecord } from '@credo-ts/core'
import {
  type DidCommConnectionRecord,
  DidCommConnectionRepository,
  DidCommConnectionRequestMessage,
  DidCommDidExchangeRequestMessage,
  type DidCommInboundMessageContext,
  type DidCommOutOfBandRecord,
} from '@credo-ts/didcomm'
import * as v from 'valibot'
import { AgentError } from '../../errors.ts'
import { handshakePartExpiry, OF_UNFINISHED_HANDSHAKE, unfinishedList } from '../../records/handshake-expiry.ts'
import { connectionRecords } from '../../records/kinds.ts'
import { EXPIRES_WITH_HANDSHAKE } from '../../records/record-json.ts'
import { settings } from '../../settings.ts'
import { conflict } from '../../store/commit.ts'
import { countOne } from '../../store/count.ts'
import { tagPartition } from '../../store/index-entries.ts'
import { recordKeyOf } from '../../store/keys.ts'
import type { StoredRecord, Tags } from '../../store/stored-record.ts'
import { addressOf } from '../../store/table.ts'
import { currentUnit } from '../../store/transaction.ts'
import { expireVersions, removeExpiry as removeExpiryOfVersions } from '../../webvh/seen-versions.ts'
import { tenantOf } from '../credo/index.ts'
import { shareDids } from '../dids/index.ts'
import { sealedKeys } from '../keys/index.ts'

/** Whether a message requests a connection. */
export const isHandshakeRequest = ({ message }: DidCommInboundMessageContext): boolean =>
  message instanceof DidCommDidExchangeRequestMessage || message instanceof DidCommConnectionRequestMessage

/**
 * Maximum number for an invitation or a DID: of requests that wait to be accepted, and of responses that were not
 * answered.
 */
export const MAX_UNFINISHED = 500

/** Unsolicited requests to a tenant per second, on the average of a minute, if `TENANT_RATE` is not set. */
const DEFAULT_RATE = 10

/**
 * Requests for an invitation for one connection in a day: some come to nothing, and only the first one that does not
 * uses it up.
 */
const MAX_TRIES = 20

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/**
 * Admits a request for an invitation, before anything that it names is read. Throws `quota.exceeded` if there were too
 * many, or too many wait to be accepted. If too many responses were not answered, the oldest connection is deleted.
 */
export const admitRequest = async (invitation: DidCommOutOfBandRecord): Promise<void> => {
  const unit = currentUnit()
  const { tenant } = unit
  const count = invitation.reusable
    ? { of: 'strangers', seconds: MINUTE, max: (settings().TENANT_RATE || DEFAULT_RATE) * MINUTE }
    : { of: `tries-${invitation.id}`, seconds: DAY, max: MAX_TRIES }
  const message = 'too many requests for a connection come to this agent'
  expireVersions(unit)
  await unit.recordFailure(() => unit.operationSlot(COUNTED, () => countOne({ tenant, message, ...count })))
  if (!invitation.reusable) return
  shareDids()
  await boundUnfinished(invitation)
}

const COUNTED = Symbol('the count of the request')

const boundUnfinished = async ({ id, autoAcceptConnection }: DidCommOutOfBandRecord) => {
  const unit = currentUnit()
  // The agent accepts by itself, unless an invitation says otherwise.
  const waits = autoAcceptConnection === false
  const list = unfinishedList(id, waits ? 'request-received' : 'response-sent')
  const partition = tagPartition(unit.tenant, connectionRecords, 'unfinished', list)
  // Newest first, because expired entries may still be there.
  const { items } = await unit.query(partition, { limit: MAX_UNFINISHED, descending: true })
  const oldest = items.at(-1)
  if (oldest === undefined || items.length < MAX_UNFINISHED) return
  if (waits) throw new AgentError('quota.exceeded', 'too many requests for a connection wait to be accepted')
  const { type, id: connectionId } = recordKeyOf(addressOf(oldest))
  await unit.remove(unit.tenant, type, connectionId)
}

/** Ids of DID records and of keys. */
const ExpiringParts = v.object({ dids: v.array(v.string()), keys: v.array(v.string()) })
type ExpiringParts = v.InferOutput<typeof ExpiringParts>

const expiringPartsOf = (connection: DidCommConnectionRecord): ExpiringParts | undefined => {
  const parts = v.safeParse(ExpiringParts, connection.metadata.get(EXPIRES_WITH_HANDSHAKE))
  return parts.success ? parts.output : undefined
}

/** Whether DIDs of the connection expire if its handshake is not completed. */
export const expires = (connection: DidCommConnectionRecord): boolean => expiringPartsOf(connection) !== undefined

/**
 * Sets the expiry of all DIDs and keys that the running unit of work has created for the handshake of this connection.
 */
export const expireUnlessCompleted = async (
  agentContext: AgentContext,
  connection: DidCommConnectionRecord,
): Promise<void> => {
  const created = currentUnit()
    .written()
    .filter(({ type, version }) => type === DidRecord.type && version === 1)
  for (const did of created) await update(did, { ...did.tags, [OF_UNFINISHED_HANDSHAKE]: true })
  const before = expiringPartsOf(connection) ?? { dids: [], keys: [] }
  const all: ExpiringParts = {
    dids: [...new Set([...before.dids, ...created.map(({ id }) => id), ...shareDids()])],
    keys: [...new Set([...before.keys, ...sealedKeys.expireNew(handshakePartExpiry(new Date()))])],
  }
  connection.metadata.set(EXPIRES_WITH_HANDSHAKE, all)
  await agentContext.resolve(DidCommConnectionRepository).update(agentContext, connection)
}

/** Removes the expiry after the handshake was completed. The caller stores the connection. */
export const removeExpiry = async (agentContext: AgentContext, connection: DidCommConnectionRecord): Promise<void> => {
  const { theirDid } = connection
  if (theirDid?.startsWith('did:webvh:')) await removeExpiryOfVersions(currentUnit(), theirDid)
  const parts = expiringPartsOf(connection)
  if (parts === undefined) return
  const tenant = tenantOf(agentContext)
  await Promise.all(
    parts.dids.map(async (id) => {
      const did = await currentUnit().read(tenant, DidRecord.type, id)
      // It expires after the connection, unless it was changed since it was read.
      if (did === undefined) throw conflict()
      const { [OF_UNFINISHED_HANDSHAKE]: expiring, ...tags } = did.tags
      if (expiring === true) await update(did, tags)
    }),
  )
  for (const keyId of parts.keys) sealedKeys.removeExpiry(agentContext, keyId)
  connection.metadata.delete(EXPIRES_WITH_HANDSHAKE)
}

const update = ({ tenant, type, id, value }: StoredRecord, tags: Tags): Promise<boolean> =>
  currentUnit().update({ tenant, type, id, value, tags })
