/** RotateWebhookSecret: a new signing secret, shown once; the one before it signs too for a day. */
import { managingAgent } from '../lib/auth/access.ts'
import { defineCommand } from '../lib/http/command.ts'
import { RotateWebhookSecret } from '../lib/interface/webhook-endpoints.ts'
import { sealedAnswers } from '../lib/store/sealed-answers.ts'
import { rotateSecret } from '../lib/webhooks/secret-rotation.ts'

export const rotateWebhookSecret = defineCommand(RotateWebhookSecret, {
  authorize: ({ principal, path }) => managingAgent(principal, path.orgId),
  act: ({ path, unit }) => rotateSecret(unit, path),
  answers: sealedAnswers,
})
