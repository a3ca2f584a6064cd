import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import {
  NotificationRegistrationResult,
  type Registration,
  toRegistrationResult,
  WebhookRegistrationResult,
} from '../../../lib/records/registration.ts'

const registration: Registration = {
  id: 'r',
  orgId: 'acme',
  kind: 'webhook',
  url: 'https://example.org/hook',
  status: 'active',
  createdAt: '2026-11-20T17:39:53.318Z',
  updatedAt: '2026-11-21T08:00:00.000Z',
}
const { kind: _, url, ...shown } = registration

describe('the result of registering', () => {
  test("has the document's four fields, and the URL under the name of its kind", () => {
    const result = toRegistrationResult({ registration })
    expect(result).toEqual({
      statusCode: 201,
      success: true,
      message: expect.any(String),
      data: { ...shown, webhookUrl: url },
    })
    expect(v.is(WebhookRegistrationResult, result)).toBe(true)
  })

  test('of a notification endpoint names it notificationWebhook', () => {
    const result = toRegistrationResult({ registration: { ...registration, kind: 'notification' } })
    expect(result.data).toEqual({ ...shown, notificationWebhook: url })
    expect(v.is(NotificationRegistrationResult, result)).toBe(true)
    expect(v.is(WebhookRegistrationResult, result)).toBe(false)
  })

  test('shows the secret only when it was just created', () => {
    expect(toRegistrationResult({ registration, secret: 'whsec_abc' }).data.secret).toBe('whsec_abc')
    expect(toRegistrationResult({ registration }).data).not.toHaveProperty('secret')
  })

  test('names what a pending registration requires', () => {
    const pending = toRegistrationResult({ registration: { ...registration, status: 'pending' } })
    expect(pending.data.status).toBe('pending')
    expect(pending.message).toContain('token')
  })
})
