/**
 * Bounds unsolicited handshakes (docs/adr/0028-handshakes-of-strangers-are-bounded.md): their number, and the lifetime
 * of their DIDs and keys.
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
import { recordConflict } from '../../store/commit.ts'
import { tagPartition } from '../../store/index-entries.ts'
import { recordKeyOf } from '../../store/keys.ts'
import { consumeRateLimit } from '../../store/limits.ts'
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
 * Maximum number of requests that wait to be accepted, and of unanswered responses, each for an invitation or a DID.
 */
export const MAX_UNFINISHED = 500

/** Unsolicited requests to a tenant per second, averaged over a minute, if `TENANT_RATE` is not set. */
const DEFAULT_RATE = 10

/**
 * Maximum number of requests per day for a single-use invitation, which only the first successful request uses up. /
 */
const MAX_SINGLE_USE_REQUESTS = 20

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/**
 * Admits a request for an invitation, before any document that it names is read. Throws `quota.exceeded` if there were
 * too many, or too many wait to be accepted. If too many responses are unanswered, the oldest connection is deleted.
 */
export const admitRequest = async (invitation: DidCommOutOfBandRecord): Promise<void> => {
  const unit = currentUnit()
  const { tenant } = unit
  const count = invitation.reusable
    ? { of: 'strangers', seconds: MINUTE, max: (settings().TENANT_RATE || DEFAULT_RATE) * MINUTE }
    : { of: `tries-${invitation.id}`, seconds: DAY, max: MAX_SINGLE_USE_REQUESTS }
  const message = 'this agent receives too many connection requests'
  expireVersions(unit)
  await unit.runRead(() => unit.operationState(REQUEST_COUNT, () => consumeRateLimit({ tenant, message, ...count })))
  if (!invitation.reusable) return
  shareDids()
  await boundUnfinished(invitation)
}

const REQUEST_COUNT = Symbol('the count of the request')

const boundUnfinished = async ({ id, autoAcceptConnection }: DidCommOutOfBandRecord) => {
  const unit = currentUnit()
  // The agent accepts by itself, unless an invitation says otherwise.
  const mustBeAccepted = autoAcceptConnection === false
  const list = unfinishedList(id, mustBeAccepted ? 'request-received' : 'response-sent')
  const partition = tagPartition(unit.tenant, connectionRecords, 'unfinished', list)
  // Newest first, because expired entries may still be there.
  const { items } = await unit.query(partition, { limit: MAX_UNFINISHED, descending: true })
  const oldest = items.at(-1)
  if (oldest === undefined || items.length < MAX_UNFINISHED) return
  if (mustBeAccepted) throw new AgentError('quota.exceeded', 'too many connection requests wait to be accepted')
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
    .writtenRecords()
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
      // The DID expires after the connection, so it is missing only if the connection was changed since it was read.
      if (did === undefined) throw recordConflict()
      const { [OF_UNFINISHED_HANDSHAKE]: expiring, ...tags } = did.tags
      if (expiring === true) await update(did, tags)
    }),
  )
  for (const keyId of parts.keys) sealedKeys.removeExpiry(agentContext, keyId)
  connection.metadata.delete(EXPIRES_WITH_HANDSHAKE)
}

const update = ({ tenant, type, id, value }: StoredRecord, tags: Tags): Promise<boolean> =>
  currentUnit().update({ tenant, type, id, value, tags })
