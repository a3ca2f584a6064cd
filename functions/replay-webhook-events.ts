/** ReplayWebhookEvents: events go to an endpoint again, with the ids that they had. */
import { assertManages } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { transactional } from '../lib/http/transactional.ts'
import { ReplayWebhookEvents } from '../lib/interface/webhook-endpoints.ts'
import { currentUnit } from '../lib/store/transaction.ts'
import { requireEnabledEndpoint } from '../lib/webhooks/endpoints.ts'
import { replayEvent, replaySince } from '../lib/webhooks/replays.ts'

export const replayWebhookEvents = defineOperation(
  ReplayWebhookEvents,
  transactional(async ({ principal, path, body }) => {
    assertManages(principal, path.orgId)
    const { id } = await requireEnabledEndpoint(currentUnit(), path)
    const { since = '', state, eventId, cursor } = body
    return eventId === undefined
      ? replaySince(currentUnit(), id, { since, state, cursor })
      : replayEvent(currentUnit(), id, eventId)
  }),
)
