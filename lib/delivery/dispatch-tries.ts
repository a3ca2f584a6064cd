/** Counts how often the dispatch of a change was begun and never ended: what kills the process leaves no other trace. */
import type { DynamoDBRecord } from 'aws-lambda'
import { isAgentError } from '../errors.ts'
import { defineItem } from '../store/item.ts'
import { integer, text } from '../store/item-fields.ts'
import { dispatchTriesAddress } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import { updateIf } from '../store/write.ts'

const triesItem = defineItem('dispatch-tries', dispatchTriesAddress, {
  sequence: text(),
  tries: integer(),
  expiresAt: integer(),
})

/** The stream holds a change for a day. In seconds. */
const SECONDS_KEPT = 2 * 24 * 60 * 60

/** A change that comes alone and this late (ms) has come before: Lambda halves a batch that failed until it finds what is to blame. */
const LATE_MS = 10_000

/** Whether tries of this batch are counted. Changes that come at once, which is nearly all of them, cost nothing. */
export const suspectIn = (records: DynamoDBRecord[], now: number): string | undefined => {
  const [{ dynamodb } = {}, ...others] = records
  const noted = (dynamodb?.ApproximateCreationDateTime ?? Number.NaN) * 1000
  return others.length === 0 && now - noted > LATE_MS ? dynamodb?.SequenceNumber : undefined
}

/** Counts a try. Returns how many of them were not ended, this one included; 0 where the table does not answer. */
export const beginTry = async (sequence: string): Promise<number> => {
  try {
    const item = await updateIf(dispatchTriesAddress({ sequence }), {
      set: {
        kind: { S: triesItem.kind },
        ...triesItem.attributes({ sequence, expiresAt: epochSeconds() + SECONDS_KEPT }),
      },
      add: { tries: 1 },
    })
    return item === undefined ? 0 : triesItem.decode(item).tries
  } catch (error) {
    if (isAgentError(error)) return 0
    throw error
  }
}

/** An outage has ended the try: it is no fault of the change. */
export const endTry = async (sequence: string): Promise<void> => {
  try {
    await updateIf(dispatchTriesAddress({ sequence }), { set: triesItem.attributes({ tries: 0 }) }, { present: ['pk'] })
  } catch (error) {
    if (!isAgentError(error)) throw error
  }
}
