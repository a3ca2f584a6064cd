/** The answer to a first registration at this URL, which is active. */
import { expect } from 'vitest'
import type { Answer } from './client.ts'

/** `url` under the name that the operation has for it. */
export const expectRegistered = (
  answer: Answer,
  orgId: string,
  url: { webhookUrl: string } | { notificationWebhook: string },
): void => {
  expect(answer.status).toBe(201)
  expect(answer.body).toEqual({
    statusCode: 201,
    success: true,
    message: 'The endpoint is registered.',
    data: {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      orgId,
      ...url,
      status: 'active',
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: answer.body.data.createdAt,
    },
  })
}
