/** The headers of an attempt: id, time and signature by Standard Webhooks 1.0.0, and who is calling. */
import { Webhook } from 'standardwebhooks'
import packageJson from '../../package.json' with { type: 'json' }

export interface Signed {
  /** `webhook-id`: the event's, the same for every attempt. */
  id: string
  /** The very text that is posted. */
  body: string
  /** Ms since the epoch: when the attempt is made. Receivers refuse what is minutes off. */
  now: number
  /** `whsec_...`, newest first: each signs, so that a receiver may verify with either amid a rotation. */
  secrets: string[]
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#webhook-headers-sending-metadata-to-consumers */
export const webhookHeaders = ({ id, body, now, secrets }: Signed): Record<string, string> => ({
  'content-type': 'application/json',
  'user-agent': `serverless-agent/${packageJson.version}`,
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(now / 1000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(now), body)).join(' '),
})
