/** DeleteWebhookEndpoint: deletes an endpoint of an organization. */
import { managingAgent } from '../lib/auth/access.ts'
import { command } from '../lib/http/command.ts'
import { DeleteWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { deleteEndpoint } from '../lib/webhooks/endpoint-changes.ts'

export const deleteWebhookEndpoint = command(DeleteWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  handle: ({ path, unit }) => deleteEndpoint(unit, path),
})
