/** An attempt: where it may go, and the headers, which any receiver that knows Standard Webhooks verifies. */
import type { LookupFunction } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { settings } from '../../../lib/settings.ts'
import { transaction } from '../../../lib/store/transaction.ts'
import type { Endpoint } from '../../../lib/webhooks/endpoint-item.ts'
import { newSecret, sealSecret } from '../../../lib/webhooks/secrets.ts'
import { sendEvent, webhookHeaders } from '../../../lib/webhooks/send-event.ts'
import packageJson from '../../../package.json' with { type: 'json' }

const BODY = '{"type":"endpoint.test","data":{"text":"häöü €"}}'
const secrets = [newSecret(), newSecret()]
const [current = '', previous = ''] = secrets

const headers = (changes: Partial<Parameters<typeof webhookHeaders>[0]> = {}) =>
  webhookHeaders({ id: 'event-1', body: BODY, now: Date.now(), secrets, ...changes })

describe('the signature', () => {
  test('is the one that the library computes for a known secret, id, time and body', () => {
    // Of the library's own tests: https://github.com/standard-webhooks/standard-webhooks/tree/main/libraries/javascript
    const signed = webhookHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      now: 1_614_265_330_000,
      secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    })
    expect(signed).toMatchObject({
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test.each([
    ['the current secret', current],
    ['the one before it', previous],
  ])('is verified with %s', (_name, secret) => {
    expect(new Webhook(secret).verify(BODY, headers())).toEqual(JSON.parse(BODY))
  })

  test.each([
    ['another secret', () => new Webhook(newSecret()).verify(BODY, headers())],
    ['another body', () => new Webhook(current).verify(`${BODY} `, headers())],
    ['another id', () => new Webhook(current).verify(BODY, { ...headers(), 'webhook-id': 'event-2' })],
    ['a time that is minutes off', () => new Webhook(current).verify(BODY, headers({ now: Date.now() - 400_000 }))],
  ])('is not verified with %s', (_name, verify) => {
    expect(verify).toThrow(/signature|too old/i)
  })

  test('is one for each secret, the newest first', () => {
    const both = headers({ now: 1_000_000 })['webhook-signature']
    expect(both).toBe(
      [current, previous]
        .map((secret) => headers({ now: 1_000_000, secrets: [secret] })['webhook-signature'])
        .join(' '),
    )
    expect(both).toMatch(/^v1,[A-Za-z0-9+/=]{44} v1,[A-Za-z0-9+/=]{44}$/)
  })
})

test('the headers say who sends what, which event it is and when it was sent, in whole seconds', () => {
  expect(headers({ now: 1_614_265_330_999 })).toEqual({
    'content-type': 'application/json',
    'user-agent': `serverless-agent/${packageJson.version}`,
    'webhook-id': 'event-1',
    'webhook-timestamp': '1614265330',
    'webhook-signature': expect.any(String),
  })
})

const send = async (url: string, transport = {}) => {
  const [orgId, kind] = ['acme', 'webhook'] as const
  const secret = await transaction('@base', (unit) => sealSecret(unit, { orgId, kind }, newSecret()))
  return sendEvent({ id: 'event-1', body: BODY }, { orgId, kind, secret, url } as Endpoint, Date.now(), transport)
}

test('on AWS nothing is sent to a private address', async () => {
  settings().LOCAL_STAGE = false
  try {
    const resolve: LookupFunction = (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
    expect(await send('https://hooks.example', { resolve })).toMatchObject({ failure: 'address' })
  } finally {
    settings().LOCAL_STAGE = true
  }
})

test('nothing is sent to an IP address in the place of a name, wherever the URL comes from', async () => {
  const outcome = await send('https://192.0.2.1/hook')
  expect(outcome).toMatchObject({ failure: 'address', detail: 'an IP address instead of a name' })
})
