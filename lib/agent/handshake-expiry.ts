/** Expiry of DIDs and keys that strangers' handshakes create: they expire unless the handshake is completed. */
import { type AgentContext, DidRecord } from '@credo-ts/core'
import { type DidCommConnectionRecord, DidCommConnectionRepository } from '@credo-ts/didcomm'
import * as v from 'valibot'
import { handshakePartExpiry, OF_UNFINISHED_HANDSHAKE } from '../records/connection.ts'
import { EXPIRES_WITH_HANDSHAKE } from '../records/record-json.ts'
import { conflict } from '../store/commit.ts'
import type { StoredRecord, Tags } from '../store/stored-record.ts'
import { currentUnit } from '../store/transaction.ts'
import { keys } from './platform.ts'
import { tenantOf } from './tenant-contexts.ts'

/** Ids of DID records and of keys. */
const Made = v.object({ dids: v.array(v.string()), keys: v.array(v.string()) })
type Made = v.InferOutput<typeof Made>

const madeFor = (connection: DidCommConnectionRecord): Made | undefined => {
  const made = v.safeParse(Made, connection.metadata.get(EXPIRES_WITH_HANDSHAKE))
  return made.success ? made.output : undefined
}

/** Whether DIDs of the connection expire if its handshake is not completed. */
export const expires = (connection: DidCommConnectionRecord): boolean => madeFor(connection) !== undefined

/** Sets the expiry of all DIDs and keys that the running unit of work has created for the handshake of this connection. */
export const expireUnlessCompleted = async (
  agentContext: AgentContext,
  connection: DidCommConnectionRecord,
): Promise<void> => {
  const made = currentUnit().inserted(DidRecord.type)
  for (const did of made) await update(did, { ...did.tags, [OF_UNFINISHED_HANDSHAKE]: true })
  const before = madeFor(connection) ?? { dids: [], keys: [] }
  const all: Made = {
    dids: [...new Set([...before.dids, ...made.map(({ id }) => id)])],
    keys: [...new Set([...before.keys, ...keys.expireNew(handshakePartExpiry(new Date()))])],
  }
  connection.metadata.set(EXPIRES_WITH_HANDSHAKE, all)
  await agentContext.resolve(DidCommConnectionRepository).update(agentContext, connection)
}

/** Removes the expiry after the handshake was completed. The caller stores the connection. */
export const keepForGood = async (agentContext: AgentContext, connection: DidCommConnectionRecord): Promise<void> => {
  const made = madeFor(connection)
  if (made === undefined) return
  const tenant = tenantOf(agentContext)
  await Promise.all(
    made.dids.map(async (id) => {
      const did = await currentUnit().read(tenant, DidRecord.type, id)
      // It expires after the connection, unless it was changed since it was read.
      if (did === undefined) throw conflict()
      const { [OF_UNFINISHED_HANDSHAKE]: _, ...tags } = did.tags
      await update(did, tags)
    }),
  )
  for (const keyId of made.keys) keys.keep(agentContext, keyId)
  connection.metadata.delete(EXPIRES_WITH_HANDSHAKE)
}

const update = ({ tenant, type, id, value }: StoredRecord, tags: Tags): Promise<boolean> =>
  currentUnit().update({ tenant, type, id, value, tags })
