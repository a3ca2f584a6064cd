/** The demo's steps about webhooks: an organization registers its endpoints, and hears of all that the story is. */
import { waitFor } from '../wallet/wait.ts'
import type { Step } from './step.ts'
import type { Arrived, WebhookReceiver } from './webhook-receiver.ts'

/** States that a record came to, in the order of the events. */
const statesOf = (events: Arrived[], recordId: string): (string | undefined)[] =>
  events.filter(({ data }) => data.record.id === recordId).map(({ data }) => data.record.state)

/** Each record's events have to come in its order. */
const assertInOrder = (events: Arrived[]): void => {
  for (const [id, ofOne] of Map.groupBy(events, ({ data }) => data.record.id)) {
    const sequences = ofOne.map(({ data }) => data.sequence)
    if (sequences.some((sequence, index) => sequence <= (sequences[index - 1] ?? 0)))
      throw new Error(`events of ${id} came in the order ${sequences}`)
  }
}

/** The last states of records, by the names that their ids are noted under. */
type Ends = Record<string, string>

const MESSAGES = ['sent', 'delivered', 'received']

/** All that the story did, as an endpoint is to hear of it. */
const wholeStory = (
  receiver: WebhookReceiver,
  path: string,
  secret: string,
  ends: [recordId: string, state: string][],
): Promise<Arrived[]> =>
  waitFor('the events of the story', () => {
    const events = receiver.arrived(path, secret)
    const last = new Map(events.map(({ data: { record } }) => [record.id, record.state]))
    const hasMessages = MESSAGES.every((what) => events.some(({ type }) => type === `basic_message.${what}`))
    return hasMessages && ends.every(([id, state]) => last.get(id) === state) && events
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

const endsOf = (ends: Ends, noted: (name: string) => string): [string, string][] =>
  Object.entries(ends).map(([name, state]) => [noted(name), state])

/** `ends`: what there is to hear of. */
export const eventSteps = (ends: Ends): Step[] => [
  {
    title: 'The webhook has heard of all of it, signed, in the order of each record',
    receiver: async (receiver, noted) => {
      const events = await wholeStory(receiver, '/webhooks', noted('webhookSecret'), endsOf(ends, noted))
      assertInOrder(events)
      return {
        events: events.length,
        connection: statesOf(events, noted('connectionId')).join(' → '),
        credential: statesOf(events, noted('credentialRecordId')).join(' → '),
        proof: statesOf(events, noted('proofRecordId')).join(' → '),
        ...(ends.definitionRecordId && { definition: statesOf(events, noted('definitionRecordId')).join(' → ') }),
        ...(ends.revokedProofId && { 'proof after revocation': statesOf(events, noted('revokedProofId')).join(' → ') }),
        messages: events.flatMap(({ type }) => type.match(/^basic_message\.(\w+)$/)?.[1] ?? []).join(', '),
      }
    },
  },
  {
    title: 'So has the notification endpoint: ids and states, nothing of the contents',
    receiver: async (receiver, noted) => {
      const events = await wholeStory(receiver, '/notifications', noted('notificationSecret'), endsOf(ends, noted))
      const text = JSON.stringify(events)
      for (const content of ['Congratulations', 'Bachelor', 'Master', 'Alice'])
        if (text.includes(content)) throw new Error(`a notification tells "${content}"`)
      const last = events.at(-1)
      return { events: events.length, last: { type: last?.type, ...last?.data.record } }
    },
  },
  {
    title: 'The secret is rotated: for a day the one before it signs too',
    request: 'POST /webhooks/orgs/{orgId}/{webhookId}/rotate-secret',
    token: 'tenant',
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
    holds: [
      { kind: 'notification', status: 'active' },
      { kind: 'webhook', status: 'active', id: '{webhookId}' },
    ],
  },
]
