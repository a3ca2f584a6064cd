/** RegisterWebhook: registers the endpoint for an organization's events. */
import { managingAgent } from '../lib/auth/access.ts'
import { command } from '../lib/http/command.ts'
import { RegisterWebhook } from '../lib/interface/webhooks.ts'
import { toRegistrationResult } from '../lib/records/registration.ts'
import { sealedResponses } from '../lib/store/sealed-responses.ts'
import { registerEndpoint } from '../lib/webhooks/registrations.ts'

export const registerWebhook = command(RegisterWebhook, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: async ({ path, body, unit }) =>
    toRegistrationResult(await registerEndpoint(unit, { ...path, kind: 'webhook', url: body.webhookUrl })),
  codec: sealedResponses,
})
