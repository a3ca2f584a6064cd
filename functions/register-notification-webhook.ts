/** RegisterNotificationWebhook: registers the endpoint for notifications. Without a token the registration is pending. */
import { managingAgent } from '../lib/auth/access.ts'
import { authenticate } from '../lib/auth/authenticate.ts'
import { inTransaction } from '../lib/http/in-transaction.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { RegisterNotificationWebhook } from '../lib/interface/webhooks.ts'
import { toRegistrationResult } from '../lib/records/registration.ts'
import { BASE_AGENT } from '../lib/records/tenant.ts'
import { sealedAnswers } from '../lib/store/sealed-answers.ts'
import { registerEndpoint, registerPending } from '../lib/webhooks/registrations.ts'

export const registerNotificationWebhook = defineOperation(RegisterNotificationWebhook, {
  authorize: ({ principal, body }) => (principal === undefined ? BASE_AGENT : managingAgent(principal, body.orgId)),
  handle: async ({ principal, body, unit }) => {
    const endpoint = { orgId: body.orgId, kind: 'notification', url: body.notificationWebhook } as const
    const register = principal === undefined ? registerPending : registerEndpoint
    const { registration, secret } = await register(unit, endpoint)
    return toRegistrationResult(registration, secret)
  },
  inTransaction,
  answers: sealedAnswers,
  verify: authenticate,
})
