/** The demo's steps about webhooks: an organization registers its endpoints, and hears of all that the story is. */
import { waitFor } from '../wallet/wait.ts'
import type { Step } from './step.ts'
import type { Arrived, WebhookReceiver } from './webhook-receiver.ts'

/** States that records of a type came to, in the order of the events. */
const statesOf = (events: Arrived[], type: string): (string | undefined)[] =>
  events.filter((event) => event.type === type).map(({ data }) => data.record.state)

/** Each record's events have to come in its order. */
const assertInOrder = (events: Arrived[]): void => {
  for (const [id, ofOne] of Map.groupBy(events, ({ data }) => data.record.id)) {
    const sequences = ofOne.map(({ data }) => data.sequence)
    if (sequences.some((sequence, index) => sequence <= (sequences[index - 1] ?? 0)))
      throw new Error(`events of ${id} came in the order ${sequences}`)
  }
}

/** All that the story did, as the webhook endpoint is to hear of it. */
const isWhole = (events: Arrived[]): boolean =>
  ['connection.state_changed', 'credential.state_changed', 'proof.state_changed'].every((type) =>
    /^(completed|done)$/.test(statesOf(events, type).at(-1) ?? ''),
  ) && ['sent', 'delivered', 'received'].every((what) => events.some(({ type }) => type === `basic_message.${what}`))

const wholeStory = (receiver: WebhookReceiver, path: string, secret: string): Promise<Arrived[]> =>
  waitFor('the events of the story', () => {
    const events = receiver.arrived(path, secret)
    return isWhole(events) && events
  })

export const REGISTRATION_STEPS: Step[] = [
  {
    title: 'Register organization webhook endpoint for notification: without a token it is pending',
    request: 'POST /notification/register/webhook-endpoint',
    body: { orgId: '{orgId}', notificationWebhook: '{receiverUrl}/notifications' },
    status: 201,
    holds: { success: true, data: { orgId: '{orgId}', status: 'pending' } },
  },
  {
    title: 'Register organization webhook endpoint for notification: with the token of an owner it is active',
    request: 'POST /notification/register/webhook-endpoint',
    token: 'tenant',
    body: { orgId: '{orgId}', notificationWebhook: '{receiverUrl}/notifications' },
    status: 201,
    holds: { success: true, data: { orgId: '{orgId}', status: 'active' } },
    note: { notificationSecret: 'data.secret' },
  },
  {
    title: 'Register Webhook: the secret that signs is shown once',
    request: 'POST /webhooks/orgs/{orgId}/register',
    token: 'tenant',
    body: { webhookUrl: '{receiverUrl}/webhooks' },
    status: 201,
    holds: { statusCode: 201, success: true, data: { orgId: '{orgId}', status: 'active' } },
    note: { webhookSecret: 'data.secret', webhookId: 'data.id' },
  },
  {
    title: 'A test of the webhook',
    request: 'POST /webhooks/orgs/{orgId}/{webhookId}/test',
    token: 'tenant',
    status: 202,
    note: { testId: 'eventId' },
  },
  {
    title: 'It arrives, and its signature verifies',
    receiver: async (receiver, noted) => {
      const [event] = await waitFor('the test', () => {
        const events = receiver.arrived('/webhooks', noted('webhookSecret'))
        return events.length > 0 && events
      })
      if (event?.id !== noted('testId')) throw new Error(`expected ${noted('testId')}, got ${event?.id}`)
      return { 'webhook-id': event.id, type: event.type }
    },
  },
]

export const EVENT_STEPS: Step[] = [
  {
    title: 'The webhook has heard of all of it, signed, in the order of each record',
    receiver: async (receiver, noted) => {
      const events = await wholeStory(receiver, '/webhooks', noted('webhookSecret'))
      assertInOrder(events)
      return {
        events: events.length,
        connection: statesOf(events, 'connection.state_changed').join(' → '),
        credential: statesOf(events, 'credential.state_changed').join(' → '),
        proof: statesOf(events, 'proof.state_changed').join(' → '),
        messages: events.flatMap(({ type }) => type.match(/^basic_message\.(\w+)$/)?.[1] ?? []).join(', '),
      }
    },
  },
  {
    title: 'So has the notification endpoint: ids and states, nothing of the contents',
    receiver: async (receiver, noted) => {
      const events = await wholeStory(receiver, '/notifications', noted('notificationSecret'))
      const text = JSON.stringify(events)
      for (const content of ['Congratulations', 'Bachelor', 'Alice'])
        if (text.includes(content)) throw new Error(`a notification tells "${content}"`)
      const last = events.at(-1)
      return { events: events.length, last: { type: last?.type, ...last?.data.record } }
    },
  },
  {
    title: 'The secret is rotated: for a day the one before it signs too',
    request: 'POST /webhooks/orgs/{orgId}/{webhookId}/rotate-secret',
    token: 'tenant',
    status: 200,
    holds: { id: '{webhookId}', status: 'active' },
    note: { rotatedSecret: 'secret' },
  },
  {
    title: 'An event is replayed',
    request: 'POST /webhooks/orgs/{orgId}/{webhookId}/replay',
    token: 'tenant',
    body: { eventId: '{testId}' },
    status: 202,
    holds: { replayed: 1 },
  },
  {
    title: 'It arrives again with the same id, and both secrets verify it',
    receiver: async (receiver, noted) => {
      const [replayed] = await waitFor('the replay', () => {
        const events = receiver.arrived('/webhooks', noted('rotatedSecret'), noted('webhookSecret'))
        return events.length > 0 && events
      })
      if (replayed?.id !== noted('testId')) throw new Error(`expected ${noted('testId')}, got ${replayed?.id}`)
      return { 'webhook-id': replayed.id, type: replayed.type }
    },
  },
  {
    title: 'The organization looks at its endpoints',
    request: 'GET /webhooks/orgs/{orgId}',
    token: 'tenant',
    status: 200,
    holds: [
      { kind: 'notification', status: 'active' },
      { kind: 'webhook', status: 'active', id: '{webhookId}' },
    ],
  },
]
