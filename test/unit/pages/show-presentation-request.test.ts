/** ShowPresentationRequest: who sees which state of a session, and that nothing else of it is shown. */
import { describe, expect, test, vi } from 'vitest'
import { showPresentationRequest } from '../../../functions/show-presentation-request.ts'
import { AgentError } from '../../../lib/errors.ts'
import { BASE_AGENT } from '../../../lib/records/tenant.ts'
import { newSession, sessionItem } from '../../support/verification-session.ts'
import { call } from '../http/gateway-event.ts'
import { useTable } from '../store/use-table.ts'

/** `shop` and `other` are verifiers of the base agent, `theirs` of another one. */
vi.mock('../../../lib/openid/public-ids.ts', () => ({
  tenantOfPublicId: async (id: string) => {
    if (id === 'unknown') throw new AgentError('resource.not_found', 'there is no such record')
    return id === 'theirs' ? 'globex' : BASE_AGENT
  },
}))

const table = await useTable({ memory: true, check: false })

const show = (verifierId = 'shop', verificationSessionId = 'session-1', accept = 'application/json') =>
  call(showPresentationRequest, {
    authorizer: undefined,
    path: { verifierId, verificationSessionId },
    headers: { accept },
  })

const later = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

describe('its state', () => {
  test.each([
    ['open', { state: 'RequestCreated' }],
    ['open', { state: 'RequestUriRetrieved' }],
    ['answered', { state: 'ResponseReceived', codeExpiresAt: later(60) }],
    ['ended', { state: 'ResponseReceived', codeExpiresAt: later(-1) }],
    ['ended', { state: 'ResponseReceived', codeExpiresAt: later(60), codeTries: 5 }],
    ['verified', { state: 'ResponseVerified', credentials: [], checks: [] }],
    // A response in the last second is still shown.
    ['verified', { state: 'ResponseVerified', expiresAt: later(-1) }],
    ['ended', { state: 'Error', error: 'status', errorMessage: 'the credential is revoked' }],
  ] as const)('is %s of %o, and that is all', async (state, more) => {
    await table.put(sessionItem(newSession(Object(more))))
    const { statusCode, body } = await show()
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: { state } })
  })
})

test('a person gets a page, in one read of the session, with nothing of the session that holders of the link must not see', async () => {
  const transactionData = [Buffer.from('{"type":"payment"}').toString('base64url')]
  await table.put(
    sessionItem(newSession({ transactionData, encryptionKey: { publicJwk: { kid: 'k' }, sealed: 'c2VhbGVk' } })),
  )
  table.watch()
  const { headers, body } = await show('shop', 'session-1', 'text/html')
  expect(table.requests.filter((name) => name === 'GetItem')).toHaveLength(1)
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  for (const words of ['Acme', 'given name', 'a transaction', 'Open in your wallet']) expect(body).toContain(words)
  expect(body).not.toMatch(/nonce|c2VhbGVk|certificate-1/)
})

test('where the wallet leads its user back there is no QR code', async () => {
  await table.put(sessionItem(newSession({ redirectUri: 'https://shop.example/done' })))
  const { body } = await show('shop', 'session-1', 'text/html')
  expect(body).not.toMatch(/<svg|shop\.example/)
})

describe('is the same 404', () => {
  test.each([
    ['unknown', 'shop', 'session-2'],
    ['another verifier’s', 'other', 'session-1'],
    ['another agent’s', 'theirs', 'session-1'],
    ['of an unknown verifier', 'unknown', 'session-1'],
    ['expired', 'shop', 'expired'],
  ])('%s', async (_, verifierId, id) => {
    await table.put(sessionItem(newSession()))
    // It has expired at its very second.
    await table.put(sessionItem(newSession({ id: 'expired', expiresAt: new Date().toISOString() })))
    const body = { statusCode: 404, error: 'Not Found', message: 'there is no such record' }
    expect(await show(verifierId, id)).toMatchObject({ statusCode: 404, body })
    expect(await show(verifierId, id, 'text/html')).toMatchObject({
      statusCode: 404,
      body: expect.stringContaining('Page not found'),
    })
  })
})
