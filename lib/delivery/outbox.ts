/** The outbox: items read where a queue message points to, and marked with what became of them. */
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb'
import * as v from 'valibot'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import { text } from '../store/attributes.ts'
import { dynamodb } from '../store/client.ts'
import type { Address } from '../store/keys.ts'
import { getItem, toKey } from '../store/table.ts'
import { OutboxMessage } from './outbox-item.ts'

export { newOutboxId } from './outbox-id.ts'
export { OutboxMessage, outboxItem } from './outbox-item.ts'

const count = v.pipe(
  v.object({ N: v.pipe(v.string(), v.transform(Number), v.integer(), v.minValue(0)) }),
  v.transform(({ N }) => N),
)

const StoredOutboxItem = v.object({
  pk: text,
  sk: text,
  tenant: text,
  connectionId: text,
  messages: v.pipe(text, v.parseJson(), v.array(OutboxMessage)),
  state: v.pipe(text, v.picklist(['pending', 'delivered', 'failed'])),
  /** Finished attempts, the successful one included. */
  attempts: count,
  /** How many of the messages the wallet has already taken. */
  taken: count,
})

export type OutboxItem = v.InferOutput<typeof StoredOutboxItem>

/**
 * The item as it is now; undefined where there is none or it has expired. Throws `internal` when it is not an outbox
 * item.
 */
export const readOutbox = async (address: Address): Promise<OutboxItem | undefined> => {
  const item = await getItem(address)
  if (item === undefined) return undefined
  const result = v.safeParse(StoredOutboxItem, item)
  if (result.success) return result.output
  // The schema's own message would quote the content.
  throw new AgentError('internal', `outbox item can't be read at ${v.getDotPath(result.issues[0])}`)
}

type Change = Pick<UpdateItemCommandInput, 'UpdateExpression' | 'ConditionExpression'> & {
  values: Record<string, AttributeValue>
}

/**
 * Applies a change to an item that is not delivered; one that no longer applies was made already, here or by a twin.
 * Every condition compares a number of the item, so none holds for an item that is gone, and nothing brings it back.
 */
const update = async ({ pk, sk }: Address, { values, ...change }: Change): Promise<void> => {
  try {
    await dynamodb().send(
      new UpdateItemCommand({
        TableName: settings().TABLE_NAME,
        Key: toKey({ pk, sk }),
        UpdateExpression: change.UpdateExpression,
        ConditionExpression: `#state <> :delivered AND ${change.ConditionExpression}`,
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':delivered': { S: 'delivered' }, ...values },
      }),
    )
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error
  }
}

/**
 * Remembers that the wallet has taken the first `taken` messages; with the last one the item is delivered. `now` is ISO
 * 8601.
 */
export const markTaken = (item: OutboxItem, taken: number, now: string): Promise<void> =>
  taken < item.messages.length
    ? update(item, {
        UpdateExpression: 'SET taken = :taken',
        ConditionExpression: 'taken < :taken',
        values: { ':taken': { N: String(taken) } },
      })
    : update(item, {
        UpdateExpression:
          'SET #state = :delivered, taken = :taken, attempts = :attempts, deliveredAt = :now REMOVE lastError, failedAt',
        ConditionExpression: 'taken <= :taken',
        values: {
          ':taken': { N: String(taken) },
          ':attempts': { N: String(item.attempts + 1) },
          ':now': { S: now },
        },
      })

/**
 * Remembers a failed attempt: `failed` is for good, `pending` is to be tried again (a message that comes back out of
 * the dead-letter queue is pending anew). Counted once, however often it is marked: the count moves on from what was
 * read. `now` is ISO 8601.
 */
export const markAttemptFailed = (
  item: OutboxItem,
  state: 'pending' | 'failed',
  lastError: string,
  now: string = new Date().toISOString(),
): Promise<void> =>
  update(item, {
    UpdateExpression: 'SET #state = :state, attempts = :attempts, lastError = :error, failedAt = :now',
    ConditionExpression: 'attempts = :read',
    values: {
      ':state': { S: state },
      ':attempts': { N: String(item.attempts + 1) },
      ':read': { N: String(item.attempts) },
      ':error': { S: lastError },
      ':now': { S: now },
    },
  })
