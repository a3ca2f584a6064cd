/** ReplayWebhookEvents: sends events to an endpoint again, with the same ids. */
import { managingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { ReplayWebhookEvents } from '../lib/interface/webhook-endpoints.ts'
import { requireEnabledEndpoint } from '../lib/webhooks/endpoints.ts'
import { replayEvent, replaySince } from '../lib/webhooks/replays.ts'

export const replayWebhookEvents = defineOperation(ReplayWebhookEvents, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: async ({ path, body, unit }) => {
    const { id } = await requireEnabledEndpoint(unit, path)
    const { since = '', state, eventId, cursor } = body
    return eventId === undefined ? replaySince(unit, id, { since, state, cursor }) : replayEvent(unit, id, eventId)
  },
  inTransaction,
})
