/** Places at an endpoint that lets us wait: few attempts at once, so that it holds up nobody else's events. */
import { ConditionalCheckFailedException, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { hidingSeconds } from '../delivery/retry-plan.ts'
import { settings } from '../settings.ts'
import { dynamodb } from '../store/client.ts'
import type { Address } from '../store/keys.ts'
import { epochSeconds, queryPage, toKey, translateFault } from '../store/table.ts'

const PLACE_KIND = 'place'

/** Attempts at once at an endpoint that stalls. Fifty such endpoints take half of deliverWebhook's concurrency. */
const PLACES = 3

/** An attempt's 15 s and what is around it, in ms. Nobody gives a place back: it is free when its time is over. */
const TAKEN_MS = 20_000

const SHORTEST_WAIT_MS = 15_000

const placesPartition = (endpointId: string): string => `@endpoint|${endpointId}|places`

/** Takes one of the endpoint's places; false where none is free at `now` (ms since the epoch). */
export const takePlace = async (endpointId: string, now: number): Promise<boolean> => {
  const pk = placesPartition(endpointId)
  const { items } = await queryPage(pk)
  const taken = new Set(items.filter(({ until }) => Number(until?.N) > now).map(({ sk }) => sk?.S))
  const free = Array.from({ length: PLACES }, (_, place) => String(place)).filter((place) => !taken.has(place))
  for (const sk of free) if (await take({ pk, sk }, now)) return true
  return false
}

/** False where somebody was faster. */
const take = async (address: Address, now: number): Promise<boolean> => {
  const until = now + TAKEN_MS
  try {
    await dynamodb().send(
      new PutItemCommand({
        TableName: settings().TABLE_NAME,
        Item: {
          ...toKey(address),
          kind: { S: PLACE_KIND },
          until: { N: String(until) },
          expiresAt: { N: String(epochSeconds(until) + 1) },
        },
        ConditionExpression: 'attribute_not_exists(pk) OR #until <= :now',
        ExpressionAttributeNames: { '#until': 'until' },
        ExpressionAttributeValues: { ':now': { N: String(now) } },
      }),
    )
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw translateFault(error)
  }
}

/**
 * Seconds until an event that found no place is to look again: the longer the endpoint has been failing, the longer, so
 * that its receipts stay few; an eighth to three eighths of that time, or what a queue can hide. `random` is in [0, 1).
 */
export const secondsWithoutPlace = (failingSince: string, now: number, random: number): number => {
  const failingFor = now - Date.parse(failingSince)
  return hidingSeconds(now + Math.max(SHORTEST_WAIT_MS, (failingFor / 4) * (0.5 + random)), now)
}
