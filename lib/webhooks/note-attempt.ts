/** What an attempt leaves in the table, all or nothing: the attempt, the event's state, the endpoint's health. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb'
import { AgentError } from '../errors.ts'
import { settings } from '../settings.ts'
import { dynamodb } from '../store/client.ts'
import { organizationPartition } from '../store/keys.ts'
import { type Item, toKey, translateFault } from '../store/table.ts'
import { type Attempt, toAttemptItem } from './attempts.ts'
import { type Endpoint, type EndpointHealth, readEndpoint } from './endpoint-item.ts'
import type { EventState, StoredEvent } from './event-item.ts'
import { eventUpdate } from './event-marks.ts'
import { type AttemptResult, isNews, nextHealth } from './health.ts'
import { logDisabled } from './log-disabled.ts'

export interface NewAttempt {
  /** As they were read before the attempt. */
  event: StoredEvent
  endpoint: Endpoint
  attempt: Attempt
  result: AttemptResult
  /** ISO 8601 UTC; undefined when the plan is used up. */
  nextAttemptAt: string | undefined
}

/** Attempts at a busy endpoint get into each other's way where they write its health: then it is read and judged anew. */
const MOST_ROUNDS = 5
/** Longest pause before the second round, in ms; it doubles with each. */
const LONGEST_PAUSE = 25

/**
 * Notes an attempt and returns the state that the event has now; undefined when the event had moved on: a twin of this
 * delivery was faster, or it was replayed. Throws `store.unavailable`, `store.conflict`.
 */
export const noteAttempt = async (made: NewAttempt, random: () => number): Promise<EventState | undefined> => {
  const { event, attempt } = made
  let endpoint: Endpoint | undefined = made.endpoint
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    // What became of the event counts more: in the last round the health is left to the attempts that crowd it.
    const judged = endpoint === undefined || round === MOST_ROUNDS ? undefined : judge(endpoint, made.result)
    const state = stateAfter(made, judged?.health)
    const mark = { state, attempts: attempt.attempt, nextAttemptAt: made.nextAttemptAt }
    const health = judged?.news === true ? [healthUpdate(judged.endpoint, judged.health)] : []
    const outcome = await write([{ Update: eventUpdate(event, mark) }, putAttempt(attempt), ...health])
    if (outcome === 'written') {
      if (judged?.disables === true) logDisabled({ ...judged.endpoint, ...judged.health }, Date.parse(made.result.at))
      return state
    }
    if (outcome === 'moved on') {
      await write([putAttempt(attempt)])
      return undefined
    }
    await delay(random() * LONGEST_PAUSE * 2 ** (round - 1))
    endpoint = await readEndpoint(event.orgId, event.endpointKind, event.endpointId)
  }
  throw new AgentError('store.conflict', 'the event changed at the same time')
}

const judge = (endpoint: Endpoint, result: AttemptResult) => {
  const health = nextHealth(endpoint, result)
  const news = isNews(endpoint, health)
  return { endpoint, health, news, disables: endpoint.status !== 'disabled' && health.status === 'disabled' }
}

const stateAfter = ({ result, nextAttemptAt }: NewAttempt, health: EndpointHealth | undefined): EventState => {
  if (result.kind === 'taken') return 'delivered'
  if (health?.status === 'disabled') return 'held'
  return nextAttemptAt === undefined ? 'failed' : 'pending'
}

const putAttempt = (attempt: Attempt): TransactWriteItem => ({
  Put: { TableName: settings().TABLE_NAME, Item: toAttemptItem(attempt) },
})

/** The order of `noteAttempt`'s writes: the event's condition is the first. */
const write = async (TransactItems: TransactWriteItem[]): Promise<'written' | 'moved on' | 'crowded'> => {
  try {
    await dynamodb().send(new TransactWriteItemsCommand({ TransactItems }))
    return 'written'
  } catch (error) {
    if (error instanceof Error && error.name === 'TransactionInProgressException') return 'crowded'
    if (!(error instanceof TransactionCanceledException)) throw translateFault(error)
    const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code)
    if (codes[0] === 'ConditionalCheckFailed') return 'moved on'
    if (codes.some((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict')) return 'crowded'
    throw new AgentError('store.unavailable', 'the table takes no attempt', { cause: error })
  }
}

const HEALTH = [
  'status',
  'failingSince',
  'lastSuccessAt',
  'lastFailureAt',
  'lastError',
  'stalling',
  'disabledAt',
  'disabledReason',
] as const satisfies (keyof EndpointHealth)[]

/** Sets or removes each attribute of the health of the very endpoint that was read. */
const healthUpdate = ({ orgId, kind, id, version }: Endpoint, health: EndpointHealth): TransactWriteItem => {
  const present = HEALTH.filter((name) => health[name] !== undefined)
  const absent = HEALTH.filter((name) => health[name] === undefined)
  const set = [...present.map((name) => `#${name} = :${name}`), '#version = :next']
  const remove = absent.length === 0 ? '' : ` REMOVE ${absent.map((name) => `#${name}`).join(', ')}`
  const values = present.map((name): [string, Item[string]] => {
    const value = health[name]
    return [`:${name}`, value === true ? { BOOL: true } : { S: String(value) }]
  })
  return {
    Update: {
      TableName: settings().TABLE_NAME,
      Key: toKey({ pk: organizationPartition(orgId), sk: kind }),
      UpdateExpression: `SET ${set.join(', ')}${remove}`,
      ConditionExpression: '#id = :id AND #version = :version',
      ExpressionAttributeNames: Object.fromEntries([...HEALTH, 'id', 'version'].map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(values),
        ':id': { S: id },
        ':version': { N: String(version) },
        ':next': { N: String(version + 1) },
      },
    },
  }
}
