/** What became of an event, marked on its item: on the condition that it is still the event that was read. */
import { ConditionalCheckFailedException, type Update, UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { settings } from '../settings.ts'
import { dynamodb } from '../store/client.ts'
import { toKey, translateFault } from '../store/table.ts'
import { type EventState, eventAddress, type StoredEvent } from './event-item.ts'

export interface EventMark {
  state: EventState
  /** Attempts so far. */
  attempts: number
  /** ISO 8601 UTC. */
  nextAttemptAt?: string | undefined
}

/**
 * The update of an event that was read. State and attempts together tell whether it was delivered, tried or replayed
 * since then; and no condition on them holds for an item that is gone, so nothing brings it back.
 */
export const eventUpdate = (read: StoredEvent, { state, attempts, nextAttemptAt }: EventMark): Update => {
  const next = state === 'pending' ? nextAttemptAt : undefined
  return {
    TableName: settings().TABLE_NAME,
    Key: toKey(eventAddress(read)),
    UpdateExpression: `SET #state = :state, attempts = :attempts${next === undefined ? ' REMOVE nextAttemptAt' : ', nextAttemptAt = :next'}`,
    ConditionExpression: '#state = :readState AND attempts = :readAttempts',
    ExpressionAttributeNames: { '#state': 'state' },
    ExpressionAttributeValues: {
      ':state': { S: state },
      ':attempts': { N: String(attempts) },
      ':readState': { S: read.state },
      ':readAttempts': { N: String(read.attempts) },
      ...(next === undefined ? {} : { ':next': { S: next } }),
    },
  }
}

/** Keeps an event for a replay, because its endpoint is disabled. One that has moved on meanwhile stays as it is. */
export const markHeld = async (event: StoredEvent): Promise<void> => {
  const { UpdateExpression, ...update } = eventUpdate(event, { state: 'held', attempts: event.attempts })
  try {
    await dynamodb().send(new UpdateItemCommand({ ...update, UpdateExpression }))
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw translateFault(error)
  }
}
