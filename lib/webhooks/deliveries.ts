/** Lists the attempts at an endpoint for its organization, newest first. */
import type { WebhookDelivery } from '../records/webhook-delivery.ts'
import { type ListedPage, listItems } from '../store/item-list.ts'
import { attemptPartitions } from '../store/keys.ts'
import { queryMerged } from '../store/merged-pages.ts'
import type { Item } from '../store/table.ts'
import { type AttemptOutcome, attemptItem } from './attempts.ts'

export interface DeliveriesQuery {
  /** Filter by outcome; none: both. */
  status?: AttemptOutcome | undefined
  limit: number
  cursor?: string | undefined
}

/** A page of attempts. Throws `request.malformed` for a cursor without a position of a list. */
export const listDeliveries = (
  endpointId: string,
  { status, limit, cursor }: DeliveriesQuery,
): Promise<ListedPage<WebhookDelivery>> => {
  const show = (item: Item): WebhookDelivery | undefined => {
    const delivery = toDelivery(item)
    return status === undefined || delivery.status === status ? delivery : undefined
  }
  return listItems(
    (range) => queryMerged(attemptPartitions(endpointId), range),
    { limit, cursor, order: 'desc' },
    { show, filtered: status !== undefined },
  )
}

const toDelivery = (item: Item): WebhookDelivery => {
  const { eventId, type, attempt, startedAt, outcome, status, failure, milliseconds, response } =
    attemptItem.decode(item)
  return {
    ...{ eventId, type, attempt, startedAt, status: outcome },
    ...(status !== undefined && { responseStatus: status }),
    ...(failure !== undefined && { failure }),
    milliseconds,
    response,
  }
}
