/** The page of an offer of OpenID4VCI in a browser. */
import { expect, test, vi } from 'vitest'
import { showCredentialOffer } from '../../functions/show-credential-offer.ts'
import { BASE_AGENT } from '../../lib/records/tenant.ts'
import { settings } from '../../lib/settings.ts'
import { issuerItem, newIssuer, newSession, sessionItem } from '../support/issuance-session.ts'
import { useTable } from '../unit/store/use-table.ts'
import { describeInBrowser } from './chromium.ts'
import { WalletPage } from './wallet-page.ts'

vi.mock('../../lib/openid/public-ids.ts', () => ({ tenantOfPublicId: async () => BASE_AGENT }))

const table = await useTable({ memory: true, check: false })

const link = () =>
  `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${settings().PUBLIC_URL}/oid4vci/shop/offers/session-1`)}`

describeInBrowser('an offer in a browser', () => {
  const page = new WalletPage(table, {
    name: 'offer',
    path: '/oid4vci/shop/pages/session-1',
    handler: showCredentialOffer,
    parameters: { issuerId: 'shop', issuanceSessionId: 'session-1' },
    put: (into, more) => into.putAll([issuerItem(newIssuer()), sessionItem(newSession(more))]),
    link,
    idleHeading: 'Not accepted yet',
  })

  test('shows that the wallet has accepted it, and then that it has all credentials', async () => {
    await page.open()
    await page.askAgain(2)
    await page.expectOpen()
    await page.shows({ state: 'AccessTokenCreated' }, 'taken', 'Your wallet has accepted the offer')
    await page.askAgain(2)
    await page.shows({ state: 'Completed' }, 'issued', 'Done')
    await page.asksNoMore()
  })

  test('goes on from the state in which it was loaded', async () => {
    await page.open({ state: 'CredentialsPartiallyIssued' })
    expect(await page.headings()).toEqual(['Your wallet has accepted the offer'])
    await page.shows({ state: 'Error' }, 'ended', 'This did not work')
    await page.asksNoMore()
  })

  test('shows that it has expired', async () => {
    await page.open()
    await page.shows({ expiresAt: '2020-01-01T00:00:00.000Z' }, 'expired', 'This offer has expired')
    await page.asksNoMore()
  })
})
