/** Counts how often the dispatch of a change was started and did not end: a crash of the process leaves no other trace. */
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

/** A change that arrives alone and this late (ms) was tried before: Lambda bisects a failed batch until it finds the bad change. */
const LATE_MS = 10_000

/** The sequence number of the change whose tries are counted, if any. Changes that arrive in time, nearly all, cost nothing. */
export const suspectIn = (records: DynamoDBRecord[], now: number): string | undefined => {
  const [{ dynamodb } = {}, ...others] = records
  const noted = (dynamodb?.ApproximateCreationDateTime ?? Number.NaN) * 1000
  return others.length === 0 && now - noted > LATE_MS ? dynamodb?.SequenceNumber : undefined
}

/** Counts a try. Returns the number of tries that did not end, including this one; 0 where the table does not answer. */
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

/** Resets the count: an outage has ended the try, not the change. */
export const endTry = async (sequence: string): Promise<void> => {
  try {
    await updateIf(dispatchTriesAddress({ sequence }), { set: triesItem.attributes({ tries: 0 }) }, { present: ['pk'] })
  } catch (error) {
    if (!isAgentError(error)) throw error
  }
}
