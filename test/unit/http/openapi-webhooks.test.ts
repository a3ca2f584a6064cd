/** The `webhooks` section of the OpenAPI document: every event, its headers, and schemas that real bodies fit. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { describeInterface } from '../../../lib/http/openapi.ts'
import { EVENT_TYPES } from '../../../lib/interface/webhook-events.ts'
import { eventBody } from '../../../lib/webhooks/events.ts'
import { factsOf } from '../../../lib/webhooks/facts.ts'
import { inserted } from '../../support/webhooks/changes.ts'
import { recordItem } from '../webhooks/event-scenes.ts'

const document = describeInterface({ version: '1.2.3', url: 'https://api.example.org' })
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'https://api.example.org/openapi.json', ...JSON.parse(JSON.stringify(document)) })

const validatorOf = (type: string) => {
  const path = ['webhooks', type, 'post', 'requestBody', 'content', 'application~1json', 'schema'].join('/')
  return ajv.compile({ $ref: `https://api.example.org/openapi.json#/${path}` })
}

describe.each(EVENT_TYPES)('%s', (type) => {
  test('should be described as a POST with its headers, a body and the meaning of responses', () => {
    const { post } = document.webhooks[type] ?? {}
    expect(post?.summary).toBeTypeOf('string')
    expect(post?.parameters.map(({ $ref }) => $ref.split('/').at(-1))).toEqual([
      'WebhookId',
      'WebhookTimestamp',
      'WebhookSignature',
    ])
    expect(post?.requestBody.content['application/json'].schema.anyOf).toHaveLength(2)
    expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['2XX', '410']))
  })

  test('should have a schema that a validator accepts and that rejects other values', () => {
    const validate = validatorOf(type)
    expect(validate({ type, timestamp: '2026-01-01T00:00:00.000Z', data: {} })).toBe(false)
    expect(validate({ type: 'other' })).toBe(false)
  })
})

test('the headers are those of Standard Webhooks', () => {
  const { WebhookId, WebhookTimestamp, WebhookSignature } = document.components.parameters
  expect([WebhookId, WebhookTimestamp, WebhookSignature]).toMatchObject([
    { name: 'webhook-id', in: 'header', required: true },
    { name: 'webhook-timestamp', in: 'header', required: true },
    { name: 'webhook-signature', in: 'header', required: true },
  ])
})

test.each(['webhook', 'notification'] as const)('the body for a %s endpoint fits', (kind) => {
  const item = recordItem('ConnectionRecord', 'completed', 3, { tags: {} })
  const [fact] = factsOf(inserted(item))
  if (fact === undefined) throw new Error('no fact')
  const validate = validatorOf('connection.state_changed')
  expect(validate(JSON.parse(eventBody(fact, 'acme', kind)))).toBe(true)
  expect(validate(JSON.parse(eventBody({ ...fact, sequence: 0 }, 'acme', kind)))).toBe(false)
})
