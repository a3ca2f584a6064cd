/** ReplayWebhookEvents: sends events to an endpoint again, with the same ids. */
import { managingAgent } from '../lib/auth/access.ts'
import { command } from '../lib/http/command.ts'
import { ReplayWebhookEvents } from '../lib/interface/webhook-endpoints.ts'
import { requireEnabledEndpoint } from '../lib/webhooks/endpoints.ts'
import { replayEvent, replaySince } from '../lib/webhooks/replays.ts'

export const replayWebhookEvents = command(ReplayWebhookEvents, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: async ({ path, body, unit }) => {
    const { id } = await requireEnabledEndpoint(unit, path)
    return body.eventId === undefined ? replaySince(unit, id, body) : replayEvent(unit, path, body.eventId)
  },
})
