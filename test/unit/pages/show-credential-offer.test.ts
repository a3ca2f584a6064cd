/** ShowCredentialOffer: who sees which state of a session, and that nothing else of it is shown. */
import { describe, expect, test, vi } from 'vitest'
import { showCredentialOffer } from '../../../functions/show-credential-offer.ts'
import { AgentError } from '../../../lib/errors.ts'
import { BASE_AGENT } from '../../../lib/records/tenant.ts'
import { issuerItem, newIssuer, newSession, PNG, sessionItem } from '../../support/issuance-session.ts'
import { call } from '../http/gateway-event.ts'
import { useTable } from '../store/use-table.ts'

/** `shop` and `other` are issuers of the base agent, `theirs` of another one. */
vi.mock('../../../lib/openid/public-ids.ts', () => ({
  tenantOfPublicId: async (id: string) => {
    if (id === 'unknown') throw new AgentError('resource.not_found', 'there is no such record')
    return id === 'theirs' ? 'globex' : BASE_AGENT
  },
}))

const table = await useTable({ memory: true, check: false })
await table.put(issuerItem(newIssuer()))
await table.put(issuerItem(newIssuer({ id: 'other', issuerId: 'other' })))

const show = (issuerId = 'shop', issuanceSessionId = 'session-1', accept = 'application/json') =>
  call(showCredentialOffer, { authorizer: undefined, path: { issuerId, issuanceSessionId }, headers: { accept } })

const past = new Date(Date.now() - 1000).toISOString()

test.each([
  ['open', { state: 'OfferCreated' }],
  ['open', { state: 'OfferUriRetrieved' }],
  ['taken', { state: 'AccessTokenCreated' }],
  ['taken', { state: 'CredentialsPartiallyIssued', expiresAt: past }],
  ['issued', { state: 'Completed', expiresAt: past }],
  ['ended', { state: 'Error', errorMessage: 'the code was used a second time' }],
] as const)('its state is %s of %o, and that is all', async (state, more) => {
  await table.put(sessionItem(newSession(Object(more))))
  const { statusCode, body } = await show()
  expect({ statusCode, body }).toEqual({ statusCode: 200, body: { state } })
})

test('a person gets a page with names and logo, and nothing of the session that holders of the link must not see', async () => {
  const tokenHash = 'dG9rZW4'
  await table.put(sessionItem(newSession({ tokenHash, issuanceMetadata: { order: 'for Erika' } })))
  const { headers, body } = await show('shop', 'session-1', 'text/html')
  expect(headers).toMatchObject({
    ...{ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
    'content-security-policy': expect.stringContaining("img-src 'self' data:;"),
  })
  for (const words of ['Acme', 'Identity card', PNG, 'Open in your wallet', 'PIN']) expect(body).toContain(words)
  expect(body).not.toMatch(/c2VhbGVk|dG9rZW4|certificate-1|given_name|Erika|pre-authorized/)
})

describe('is the same 404', () => {
  test.each([
    ['unknown', 'shop', 'session-2'],
    ['another issuer’s', 'other', 'session-1'],
    ['another agent’s', 'theirs', 'session-1'],
    ['of an unknown issuer', 'unknown', 'session-1'],
    ['expired', 'shop', 'expired'],
    ['of an issuer that issues no more', 'ended', 'session-3'],
  ])('%s', async (_, issuerId, id) => {
    await table.put(issuerItem(newIssuer({ id: 'ended', issuerId: 'ended', publicOnlySince: past })))
    await table.put(sessionItem(newSession()))
    // It has expired at its very second.
    await table.put(sessionItem(newSession({ id: 'expired', expiresAt: new Date().toISOString() })))
    await table.put(sessionItem(newSession({ id: 'session-3', issuerId: 'ended' })))
    const body = { statusCode: 404, error: 'Not Found', message: 'there is no such record' }
    expect(await show(issuerId, id)).toMatchObject({ statusCode: 404, body })
    expect(await show(issuerId, id, 'text/html')).toMatchObject({
      statusCode: 404,
      body: expect.stringContaining('Page not found'),
    })
  })
})
