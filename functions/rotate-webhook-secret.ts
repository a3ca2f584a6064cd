/** RotateWebhookSecret: creates a new signing secret and shows it once. The previous one also signs for a day. */
import { managingAgent } from '../lib/auth/access.ts'
import { command } from '../lib/http/command.ts'
import { RotateWebhookSecret } from '../lib/interface/webhook-endpoints.ts'
import { sealedResponses } from '../lib/store/sealed-responses.ts'
import { rotateSecret } from '../lib/webhooks/registrations.ts'

export const rotateWebhookSecret = command(RotateWebhookSecret, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path, unit }) => rotateSecret(unit, path),
  codec: sealedResponses,
})
