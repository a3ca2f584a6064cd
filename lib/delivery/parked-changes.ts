/**
 * Changes that cannot be dispatched: the stored number of tries, which survives a crash of the process, and the parked
 * changes for an operator.
 */
import { gunzipSync, gzipSync } from 'node:zlib'
import type { DynamoDBRecord } from 'aws-lambda'
import { errorName, isAgentError } from '../errors.ts'
import { log } from '../log.ts'
import { defineItem } from '../store/item.ts'
import { bytes, integer, text } from '../store/item-fields.ts'
import { address } from '../store/keys.ts'
import { epochSeconds, queryPages } from '../store/table.ts'
import { putIfAbsent, removeIf, updateIf } from '../store/write.ts'

/** How often the dispatch of a change began without an end: a crash of the process leaves no other trace. */
export const triesItem = defineItem(
  'dispatch-tries',
  ({ sequence }: { sequence: string }) => address(`@dispatch|${sequence}`),
  { sequence: text(), tries: integer(), expiresAt: integer() },
  'service',
)

/** The stream holds a change for a day. In seconds. */
const TRIES_EXPIRY_SECONDS = 2 * 24 * 60 * 60

/**
 * A change that arrives alone and this late (ms) was tried before: Lambda bisects a failed batch until it finds the bad
 * change.
 */
const LATE_MS = 10_000

/**
 * The sequence number of the change whose tries are counted, if any. Changes that arrive in time, nearly all, cost
 * nothing.
 */
export const countedChange = (records: DynamoDBRecord[], now: number): string | undefined => {
  const [{ dynamodb } = {}, ...others] = records
  const changedAt = (dynamodb?.ApproximateCreationDateTime ?? Number.NaN) * 1000
  return others.length === 0 && now - changedAt > LATE_MS ? dynamodb?.SequenceNumber : undefined
}

/** Counts a try. Returns the number of tries without an end, including this one; 0 if DynamoDB is unavailable. */
export const beginTry = async (sequence: string): Promise<number> => {
  try {
    const item = await updateIf(triesItem.addressOf({ sequence }), {
      set: {
        kind: { S: triesItem.kind },
        ...triesItem.attributes({ sequence, expiresAt: epochSeconds() + TRIES_EXPIRY_SECONDS }),
      },
      add: { tries: 1 },
    })
    return item === undefined ? 0 : triesItem.decode(item).tries
  } catch (error) {
    if (isAgentError(error)) return 0
    throw error
  }
}

/** Resets the count: an outage has ended the try, and the change is not the cause. */
export const endTry = async (sequence: string): Promise<void> => {
  try {
    await updateIf(triesItem.addressOf({ sequence }), { set: triesItem.attributes({ tries: 0 }) }, { present: ['pk'] })
  } catch (error) {
    if (!isAgentError(error)) throw error
  }
}

/** In seconds. */
const PARKED_EXPIRY_SECONDS = 30 * 24 * 60 * 60

/** Two images of 400 KB can exceed the size of an item, even compressed: then the change is stored as several items. */
const PART_BYTES = 350 * 1024

/** Partition of parked changes, by sequence number. */
export const PARKED_CHANGES = '@parked'

/** Sorted in the order of the stream: sequence numbers are padded to their maximum length. */
export const parkedItem = defineItem(
  'parked-change',
  ({ sequence, part }: { sequence: string; part: number }) =>
    address(PARKED_CHANGES, `${sequence.padStart(40, '0')}#${String(part).padStart(2, '0')}`),
  {
    sequence: text(),
    /** From 0, and how many there are. */
    part: integer(),
    parts: integer(),
    /** A part of the stream's record: JSON, compressed. */
    change: bytes(),
    parkedAt: text(),
    expiresAt: integer(),
  },
  'expiry',
)

/** Stores a change, unless it is stored already. Returns false if DynamoDB is unavailable. */
export const park = async (record: DynamoDBRecord): Promise<boolean> => {
  const sequence = record.dynamodb?.SequenceNumber ?? ''
  const change = gzipSync(JSON.stringify(record))
  const parts = Math.ceil(change.length / PART_BYTES)
  const shared = {
    sequence,
    parts,
    parkedAt: new Date().toISOString(),
    expiresAt: epochSeconds() + PARKED_EXPIRY_SECONDS,
  }
  try {
    for (let part = 0; part < parts; part++) {
      const piece = change.subarray(part * PART_BYTES, (part + 1) * PART_BYTES)
      await putIfAbsent(parkedItem.encode({ ...shared, part, change: piece }))
    }
    return true
  } catch (error) {
    log('error', 'change not parked', {
      event: 'dispatcher.not_parked',
      sequence,
      error: errorName(error),
    })
    return false
  }
}

export interface ParkedChange {
  sequence: string
  record: DynamoDBRecord
  /** Deletes it, after it was dispatched. */
  remove(): Promise<void>
}

/** Number of parts in one read. */
const READ = 20

/** All complete parked changes, in the order of the stream. Throws `store.unavailable`. */
export async function* parkedChanges(): AsyncGenerator<ParkedChange> {
  let pieces: Uint8Array[] = []
  let current: string | undefined
  for await (const page of queryPages(PARKED_CHANGES, READ))
    for (const item of page) {
      const { sequence, part, parts, change } = parkedItem.decode(item)
      pieces = sequence === current ? [...pieces, change] : [change]
      current = sequence
      if (part < parts - 1) continue
      if (pieces.length === parts) yield { sequence, record: toRecord(pieces), remove: remove(sequence, parts) }
      else log('error', 'parked change incomplete', { event: 'dispatcher.parked_incomplete', sequence })
    }
}

const toRecord = (pieces: Uint8Array[]): DynamoDBRecord => JSON.parse(gunzipSync(Buffer.concat(pieces)).toString())

/** The last part first: if this is interrupted, the rest does not look like a complete change. */
const remove = (sequence: string, parts: number) => async (): Promise<void> => {
  for (let part = parts - 1; part >= 0; part--) await removeIf(parkedItem.addressOf({ sequence, part }))
}
