/** The endpoints of an organization at a receiver, and their events: signatures are verified, and bodies checked against their schema. */
import { Webhook } from 'standardwebhooks'
import * as v from 'valibot'
import { EVENT_TYPES, eventBodies } from '../../../lib/interface/webhook-events.ts'
import { newIssuer, publicKeyOf, sign, type TestIssuer } from '../api/tokens.ts'
import type { InProcessStage, Json } from '../stage/in-process-stage.ts'
import type { FaultyReceiver } from './faulty-receiver.ts'

export const KINDS = ['webhook', 'notification'] as const
type Kind = (typeof KINDS)[number]

export interface Heard {
  /** `webhook-id` */
  id: string
  type: string
  recordId: string
  sequence: number
  previousState?: string
  body: Json
}

const Type = v.object({ type: v.picklist(EVENT_TYPES) })

/** Throws where the signature or the body is not valid. */
const read = (kind: Kind, secret: string, body: string, headers: Record<string, string>): Heard => {
  const json: Json = new Webhook(secret).verify(body, headers)
  const { type } = v.parse(Type, json)
  v.parse(eventBodies(type)[kind], json)
  const { sequence, previousState, record } = json.data
  return { id: headers['webhook-id'] ?? '', type, recordId: record.id, sequence, previousState, body: json }
}

/** Makes an issuer that the service trusts; to be called before the stage is started. */
export const trustIssuer = async (): Promise<TestIssuer> => {
  const issuer = await newIssuer('organizations', 'ES256')
  const { issuer: name, audience } = issuer
  process.env.TOKEN_ISSUERS = JSON.stringify([{ issuer: name, audience, jwks: { keys: [publicKeyOf(issuer)] } }])
  return issuer
}

export interface Registering {
  stage: InProcessStage
  receiver: FaultyReceiver
  /** Where the webhook endpoint is, if not beside the other one. */
  webhookReceiver?: FaultyReceiver
  issuer: TestIssuer
}

export class OrganizationEndpoints {
  readonly orgId: string
  readonly secrets: Record<Kind, string>
  readonly #receivers: Record<Kind, FaultyReceiver>

  private constructor(orgId: string, secrets: Record<Kind, string>, receivers: Record<Kind, FaultyReceiver>) {
    this.orgId = orgId
    this.secrets = secrets
    this.#receivers = receivers
  }

  /** Registers an endpoint of each kind. */
  static async register(
    { stage, issuer, receiver, webhookReceiver = receiver }: Registering,
    orgId: string,
  ): Promise<OrganizationEndpoints> {
    const receivers = { webhook: webhookReceiver, notification: receiver }
    const headers = { authorization: `Bearer ${await sign(issuer, { role: 'RestRootAgentWithTenants' })}` }
    const url = (kind: Kind) => `${receivers[kind].url}/${orgId}/${kind}`
    const replies = await Promise.all([
      stage.call('registerWebhook', { path: { orgId }, body: { webhookUrl: url('webhook') } }),
      stage.call('registerNotificationWebhook', { headers, body: { orgId, notificationWebhook: url('notification') } }),
    ])
    const [webhook, notification] = replies.map(({ body }) => body.data.secret)
    return new OrganizationEndpoints(orgId, { webhook, notification }, receivers)
  }

  /** The events that an endpoint has received so far, in order. */
  heard(kind: Kind): Heard[] {
    return this.#receivers[kind].received
      .filter(({ path }) => path === `/${this.orgId}/${kind}`)
      .map(({ body, headers }) => read(kind, this.secrets[kind], body, headers as Record<string, string>))
  }
}
