/** The page of a request of OpenID4VP in a browser. */
import { test, vi } from 'vitest'
import { showPresentationRequest } from '../../functions/show-presentation-request.ts'
import { BASE_AGENT } from '../../lib/records/tenant.ts'
import { newSession, sessionItem } from '../support/verification-session.ts'
import { useTable } from '../unit/store/use-table.ts'
import { describeInBrowser } from './chromium.ts'
import { WalletPage } from './wallet-page.ts'

vi.mock('../../lib/openid/public-ids.ts', () => ({ tenantOfPublicId: async () => BASE_AGENT }))

const table = await useTable({ memory: true, check: false })

describeInBrowser('a request in a browser', () => {
  const page = new WalletPage(table, {
    name: 'presentation',
    path: '/oid4vp/shop/requests/session-1',
    handler: showPresentationRequest,
    parameters: { verifierId: 'shop', verificationSessionId: 'session-1' },
    put: (into, more) => into.put(sessionItem(newSession(more))),
    link: () => newSession().authorizationRequest,
    idleHeading: 'No response yet',
  })

  test.each([
    ['verified', { state: 'ResponseVerified' }, 'Done'],
    ['answered', { state: 'ResponseReceived', codeExpiresAt: '2999-01-01T00:00:00.000Z' }, 'Your wallet has responded'],
    ['rejected', { state: 'Error' }, 'This did not work'],
    ['expired', { expiresAt: '2020-01-01T00:00:00.000Z' }, 'This request has expired'],
  ])('says how it ended: %s', async (name, more, heading) => {
    await page.open()
    await page.askAgain(2)
    await page.expectOpen()
    await page.shows(more, name, heading)
    await page.asksNoMore()
  })
})
