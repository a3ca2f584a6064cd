/** A batch of the queue to webhook endpoints: each message is delivered by its plan. Clock and randomness are arguments. */
import type { SQSRecord } from 'aws-lambda'
import { deliverGroups, type GroupDelivery } from '../delivery/deliver-groups.ts'
import { deliverToEndpoint, type EndpointDelivery } from './deliver-to-endpoint.ts'

export type EventDelivery = Pick<GroupDelivery, 'hide' | 'startUntil'> &
  Pick<EndpointDelivery, 'clock' | 'random' | 'transport'>

/** After a fault of our own: 2 s, 4 s, ... 5 min. It counts as a receipt, not as an attempt. */
const LONGEST_WAIT_SECONDS = 300

/** Returns the ids of the messages that failed or were not reached. */
export const deliverEvents = (records: SQSRecord[], delivery: EventDelivery): Promise<string[]> =>
  deliverGroups(records, {
    ...delivery,
    deliver: ({ body }, receipt) => deliverToEndpoint({ ...delivery, body, receipt }),
    secondsAfterFault: (receipt) => Math.min(LONGEST_WAIT_SECONDS, 2 ** receipt),
  })
