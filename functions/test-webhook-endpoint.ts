/** TestWebhookEndpoint: an event that says nothing but that events arrive. */
import { assertManages } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { transactional } from '../lib/http/transactional.ts'
import { TestWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { currentUnit } from '../lib/store/transaction.ts'
import { sendTestEvent } from '../lib/webhooks/test-event.ts'

export const testWebhookEndpoint = defineOperation(
  TestWebhookEndpoint,
  transactional(async ({ principal, path }) => {
    assertManages(principal, path.orgId)
    return sendTestEvent(currentUnit(), path)
  }),
)
