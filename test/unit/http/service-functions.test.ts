import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { health } from '../../../functions/health.ts'
import { openapi } from '../../../functions/openapi.ts'
import { settings } from '../../../lib/settings.ts'
import { call } from './gateway-event.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const nobody = { authorizer: undefined, headers: {} }

describe('GET /health', () => {
  test('says to everybody that the service is there, and which version of it', async () => {
    await expect(call(health, nobody)).resolves.toMatchObject({
      statusCode: 200,
      headers: { 'content-type': 'application/json', 'x-request-id': 'request-1' },
      body: { status: 'ok', version },
    })
  })
})

describe('GET /openapi.json', () => {
  test('describes the stage that it runs on, to everybody', async () => {
    const { statusCode, body } = await call(openapi, nobody)
    expect(statusCode).toBe(200)
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version }, servers: [{ url: settings().PUBLIC_URL }] })
  })
})
