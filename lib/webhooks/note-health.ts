/** What an attempt says of its endpoint's health, written where it is news. */
import { describeOutcome, isTaken, type PostOutcome } from '../egress/post.ts'
import { updateIf } from '../store/write.ts'
import { type Endpoint, type EndpointHealth, endpointItem, HEALTH_FIELDS, readEndpoint } from './endpoint-item.ts'
import { type AttemptResult, isNews, nextHealth } from './health.ts'
import { logDisabled } from './log-disabled.ts'

/** Attempts at a busy endpoint get into each other's way: then its health is read and judged anew, so many times. */
const MAX_TRIES = 5

/** Returns the endpoint as it is then; undefined where there is none any more. `now` in ms since the epoch. Throws `store.unavailable`. */
export const noteHealth = async (
  endpoint: Endpoint,
  outcome: PostOutcome,
  now: number,
): Promise<Endpoint | undefined> => {
  const result = resultOf(outcome, now)
  let read: Endpoint | undefined = endpoint
  for (let tries = 0; tries < MAX_TRIES && read !== undefined; tries++) {
    const health = nextHealth(read, result)
    if (!isNews(read, health)) return read
    const written = await write(read, health)
    if (written !== undefined) {
      if (read.status !== 'disabled' && written.status === 'disabled') logDisabled(written, now)
      return written
    }
    read = await readEndpoint(endpoint.orgId, endpoint.kind, endpoint.id)
  }
  return read
}

const resultOf = (outcome: PostOutcome, now: number): AttemptResult => {
  const at = new Date(now).toISOString()
  if (isTaken(outcome)) return { kind: 'taken', at }
  return { kind: outcome.status === 410 ? 'gone' : 'refused', at, error: describeOutcome(outcome) }
}

/** On condition that it is the endpoint that was read. */
const write = async ({ orgId, kind, id, version }: Endpoint, health: EndpointHealth): Promise<Endpoint | undefined> => {
  const item = await updateIf(
    endpointItem.addressOf({ orgId, kind }),
    {
      set: endpointItem.attributes({ ...health, version: version + 1 }),
      remove: HEALTH_FIELDS.filter((name) => health[name] === undefined),
    },
    { equals: endpointItem.attributes({ id, version }) },
  )
  return item === undefined ? undefined : endpointItem.decode(item)
}
