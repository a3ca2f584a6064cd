/** EnableWebhookEndpoint: an endpoint that was given up gets events again. */
import { assertManages } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { transactional } from '../lib/http/transactional.ts'
import { EnableWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { currentUnit } from '../lib/store/transaction.ts'
import { enableEndpoint } from '../lib/webhooks/endpoints.ts'

export const enableWebhookEndpoint = defineOperation(
  EnableWebhookEndpoint,
  transactional(async ({ principal, path }) => {
    assertManages(principal, path.orgId)
    return enableEndpoint(currentUnit(), path)
  }),
)
