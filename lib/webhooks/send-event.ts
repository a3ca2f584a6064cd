/** Sends an event to its endpoint with the guarded client, signed by Standard Webhooks 1.0.0. */

import { Webhook } from 'standardwebhooks'
import packageJson from '../../package.json' with { type: 'json' }
import { describeOutcome, isSuccess, type PostOutcome, post } from '../egress/post.ts'
import { log } from '../log.ts'
import type { Transport } from '../outbox/message-lane.ts'
import { settings } from '../settings.ts'
import type { Endpoint } from './endpoint-item.ts'
import type { NewEvent } from './event-item.ts'
import { decryptSecrets } from './secrets.ts'

/**
 * One attempt. `now` in ms since the epoch. Errors of the receiver are an outcome; throws `store.unavailable` without
 * the data key.
 */
export const sendEvent = async (
  { id, body }: Pick<NewEvent, 'id' | 'body'>,
  endpoint: Endpoint,
  now: number,
  transport: Transport,
): Promise<PostOutcome> => {
  const outcome = await post({
    url: endpoint.url,
    headers: webhookHeaders({ id, body, now, secrets: await decryptSecrets(endpoint, now) }),
    body,
    policy: { local: settings().LOCAL_STAGE, ipLiterals: false },
    ...transport,
  })
  if (!isSuccess(outcome))
    log('debug', 'event not accepted by its endpoint', {
      event: 'webhook.delivery_failed',
      webhookId: id,
      lastError: describeOutcome(outcome),
    })
  return outcome
}

interface Signed {
  /** `webhook-id`: the event's id, the same for every attempt. */
  id: string
  /** The exact text of the POST. */
  body: string
  /** Time of the attempt in ms since the epoch. Receivers reject a time that differs by minutes. */
  now: number
  /** `whsec_...`, newest first. Each signs, so that a receiver can verify with any of them during a rotation. */
  secrets: string[]
}

/**
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#webhook-headers-sending-metadata-to-consumers
 */
export const webhookHeaders = ({ id, body, now, secrets }: Signed): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': `serverless-agent/${packageJson.version}`,
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(now / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(now), body)).join(' '),
})
