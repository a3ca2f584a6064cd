/** RegisterNotificationWebhook: the address for notifications; without a token it waits for one. */
import { actingAgent, assertManages } from '../lib/auth/access.ts'
import { authenticate } from '../lib/auth/authenticate.ts'
import { defineOperation } from '../lib/http/operation.ts'
import { RegisterNotificationWebhook } from '../lib/interface/webhooks.ts'
import { toRegistrationResult } from '../lib/records/registration.ts'
import { BASE_AGENT } from '../lib/records/tenant.ts'
import { transaction } from '../lib/store/transaction.ts'
import { registerPending } from '../lib/webhooks/pending-registrations.ts'
import { registerEndpoint } from '../lib/webhooks/registrations.ts'

export const registerNotificationWebhook = defineOperation(
  RegisterNotificationWebhook,
  async ({ principal, body }) => {
    const endpoint = { orgId: body.orgId, kind: 'notification', url: body.notificationWebhook } as const
    if (principal !== undefined) assertManages(principal, endpoint.orgId)
    const tenant = principal === undefined ? BASE_AGENT : actingAgent(principal)
    const register = principal === undefined ? registerPending : registerEndpoint
    const { registration, secret } = await transaction(tenant, (unit) => register(unit, endpoint))
    return toRegistrationResult(registration, secret)
  },
  { verify: authenticate },
)
