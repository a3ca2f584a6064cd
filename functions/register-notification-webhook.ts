/** RegisterNotificationWebhook: registers the endpoint for notifications. Without a token it is pending. */
import { managingAgent } from '../lib/auth/access.ts'
import { authenticate } from '../lib/auth/authenticate.ts'
import { command } from '../lib/http/command.ts'
import { RegisterNotificationWebhook } from '../lib/interface/webhooks.ts'
import { toRegistrationResult } from '../lib/records/registration.ts'
import { BASE_AGENT } from '../lib/records/tenant.ts'
import { sealedResponses } from '../lib/store/sealed-responses.ts'
import { registerEndpoint, registerPending } from '../lib/webhooks/registrations.ts'

export const registerNotificationWebhook = command(RegisterNotificationWebhook, {
  authorize: ({ principal, body }) => (principal === undefined ? BASE_AGENT : managingAgent(principal, body.orgId)),
  handle: async ({ principal, body: { orgId, notificationWebhook: url }, unit }) => {
    const register = principal === undefined ? registerPending : registerEndpoint
    return toRegistrationResult(await register(unit, { orgId, kind: 'notification', url }))
  },
  codec: sealedResponses,
  verify: authenticate,
})
