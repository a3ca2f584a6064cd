/** RegisterWebhook: the address that an organization's events go to. */
import { actingAgent, assertManages } from '../lib/auth/access.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { RegisterWebhook } from '../lib/interface/webhooks.ts'
import { toRegistrationResult } from '../lib/records/registration.ts'
import { transaction } from '../lib/store/transaction.ts'
import { registerEndpoint } from '../lib/webhooks/registrations.ts'

export const registerWebhook = defineOperation(RegisterWebhook, async ({ principal, path, body }) => {
  const { orgId } = path
  assertManages(principal, orgId)
  const { registration, secret } = await transaction(actingAgent(principal), (unit) =>
    registerEndpoint(unit, { orgId, kind: 'webhook', url: body.webhookUrl }),
  )
  return toRegistrationResult(registration, secret)
})
