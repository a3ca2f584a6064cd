/** RotateWebhookSecret: a new signing secret, shown once; the one before it signs too for a day. */
import { actingAgent, assertManages } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { RotateWebhookSecret } from '../lib/interface/webhook-endpoints.ts'
import { transaction } from '../lib/store/transaction.ts'
import { rotateSecret } from '../lib/webhooks/secret-rotation.ts'

export const rotateWebhookSecret = defineOperation(RotateWebhookSecret, async ({ principal, path }) => {
  assertManages(principal, path.orgId)
  return transaction(actingAgent(principal), (unit) => rotateSecret(unit, path))
})
