/** Which events leave for their endpoints because of a change: pointers to new event items, and to those that are replayed. */
import type { DynamoDBRecord } from 'aws-lambda'
import * as v from 'valibot'
import { queueId, writePointer } from '../delivery/pointer.ts'
import type { QueueMessage } from '../delivery/queue.ts'
import { EVENT_KIND } from './event-item.ts'
import { Text } from './fact.ts'
import { fromReplayItem, REPLAY_KIND, type ReplayedEvent } from './replay-item.ts'

const EventImage = v.object({ pk: Text, sk: Text, endpointId: Text, recordId: Text, state: Text })
const ReplayImage = v.object({ sk: Text, endpointId: Text, events: Text })

/**
 * A pointer to an event. Events of one endpoint and record are one group of the queue, so they go out in order. A replay
 * tells the message from an earlier one, which the queue would take it for within five minutes.
 */
const leave = (
  queueUrl: string,
  endpointId: string,
  { pk, sk, recordId }: ReplayedEvent,
  ...replay: string[]
): QueueMessage => ({
  queueUrl,
  group: queueId(endpointId, recordId),
  id: queueId(pk, sk, ...replay),
  body: writePointer({ pk, sk }),
})

/** What leaves because of a change, in order. Throws where an image is not what its kind says. */
export const leavingEvents = ({ eventName, dynamodb }: DynamoDBRecord, queueUrl: string): QueueMessage[] => {
  const image = dynamodb?.NewImage
  if (eventName !== 'INSERT' || image === undefined) return []
  if (image.kind?.S === EVENT_KIND) {
    const { pk, sk, endpointId, recordId, state } = v.parse(EventImage, image)
    const event = { pk: pk.S, sk: sk.S, recordId: recordId.S }
    return state.S === 'pending' ? [leave(queueUrl, endpointId.S, event)] : []
  }
  if (image.kind?.S !== REPLAY_KIND) return []
  const { id, endpointId, events } = fromReplayItem(v.parse(ReplayImage, image))
  return events.map((event) => leave(queueUrl, endpointId, event, id))
}
