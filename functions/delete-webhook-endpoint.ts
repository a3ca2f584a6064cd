/** DeleteWebhookEndpoint: an organization hears no more at this address. */
import { managingAgent } from '../lib/auth/access.ts'
import { defineCommand } from '../lib/http/command.ts'
import { DeleteWebhookEndpoint } from '../lib/interface/webhook-endpoints.ts'
import { deleteEndpoint } from '../lib/webhooks/endpoints.ts'

export const deleteWebhookEndpoint = defineCommand(DeleteWebhookEndpoint, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  act: ({ path, unit }) => deleteEndpoint(unit, path),
})
