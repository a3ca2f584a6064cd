/** RegisterWebhook: registers the endpoint for an organization's events. */
import { managingAgent } from '../lib/auth/access.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { RegisterWebhook } from '../lib/interface/webhooks.ts'
import { toRegistrationResult } from '../lib/records/registration.ts'
import { sealedAnswers } from '../lib/store/sealed-answers.ts'
import { registerEndpoint } from '../lib/webhooks/registrations.ts'

export const registerWebhook = defineOperation(RegisterWebhook, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: async ({ path, body, unit }) => {
    const endpoint = { orgId: path.orgId, kind: 'webhook', url: body.webhookUrl } as const
    const { registration, secret } = await registerEndpoint(unit, endpoint)
    return toRegistrationResult(registration, secret)
  },
  inTransaction,
  answers: sealedAnswers,
})
