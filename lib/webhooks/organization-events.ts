/** What an organization's endpoints hear of a fact: an event for each of them, with an id that is always the same. */
import { type Endpoint, type ShownEndpoint, showEndpoint } from './endpoint-item.ts'
import { eventBody } from './event-bodies.ts'
import { eventIdOf } from './event-id.ts'
import type { EventState, NewEvent } from './event-item.ts'
import type { Fact } from './fact.ts'

/** What of an endpoint decides what it hears. */
export type Listener = Pick<Endpoint, 'id' | 'orgId' | 'kind' | 'status'>

/** Events of a record have the ids of this: relaying a change twice makes no second one. */
const idOf = ({ type, of, recordId, sequence, occurredAt }: Fact, endpointId: string): string =>
  eventIdOf(occurredAt, type, 'tenant' in of ? of.tenant : of.orgId, recordId, String(sequence), endpointId)

const eventFor = (fact: Fact, { id, orgId, kind }: Listener): NewEvent => ({
  id: idOf(fact, id),
  type: fact.type,
  orgId,
  endpointId: id,
  endpointKind: kind,
  recordId: fact.recordId,
  sequence: fact.sequence,
  occurredAt: fact.occurredAt,
  body: eventBody(fact, orgId, kind),
})

export interface EventToWrite {
  event: NewEvent
  /** What happens while an endpoint is disabled is held back for a replay. */
  state: Extract<EventState, 'pending' | 'held'>
}

/** The events of a fact, one for each endpoint of the organization; an endpoint is not told of itself. */
export const eventsFor = (fact: Fact, endpoints: Listener[]): EventToWrite[] =>
  endpoints
    .filter(({ id }) => !('endpointId' in fact.of) || fact.of.endpointId !== id)
    .map((endpoint) => ({
      event: eventFor(fact, endpoint),
      state: endpoint.status === 'disabled' ? 'held' : 'pending',
    }))

/** An event that says nothing but that events arrive; another one each ms. `occurredAt`: ISO 8601 UTC with milliseconds. */
export const testEvent = (endpoint: ShownEndpoint & Pick<Endpoint, 'version'>, occurredAt: string): NewEvent => {
  const { id, orgId, version } = endpoint
  const of = { orgId, endpointId: id }
  const record = showEndpoint(endpoint)
  return eventFor({ type: 'endpoint.test', of, recordId: id, sequence: version, occurredAt, record }, endpoint)
}
