/** The page of an offer of OpenID4VCI in a browser: the operations answer in the test's own process. */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { getBrowserFile } from '../../functions/get-browser-file.ts'
import { showCredentialOffer } from '../../functions/show-credential-offer.ts'
import { BASE_AGENT } from '../../lib/records/tenant.ts'
import { settings } from '../../lib/settings.ts'
import { issuerItem, newIssuer, newSession, sessionItem } from '../support/issuance-session.ts'
import { gatewayEvent } from '../unit/http/gateway-event.ts'
import { useTable } from '../unit/store/use-table.ts'
import { describeInBrowser, startBrowser } from './chromium.ts'
import { faultsOf } from './page-faults.ts'

vi.mock('../../lib/openid/public-ids.ts', () => ({ tenantOfPublicId: async () => BASE_AGENT }))

const SCREENSHOTS = '.build/screenshots'
const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(wasm).buffer } })

const SMALL: BrowserContextOptions = { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }

const table = await useTable({ memory: true, check: false })

const link = () =>
  `openid-credential-offer://?credential_offer_uri=${encodeURIComponent(`${settings().PUBLIC_URL}/oid4vci/shop/offers/session-1`)}`

const handlerOf = (path: string) =>
  path.startsWith('/assets/')
    ? { handler: getBrowserFile, parameters: { file: path.split('/')[2] ?? '' } }
    : { handler: showCredentialOffer, parameters: { issuerId: 'shop', issuanceSessionId: 'session-1' } }

const answer = async (route: Route): Promise<void> => {
  const { handler, parameters } = handlerOf(new URL(route.request().url()).pathname)
  const event = gatewayEvent({ authorizer: undefined, path: parameters, headers: route.request().headers() })
  const { statusCode, headers = {}, body } = await handler(event, Object({ getRemainingTimeInMillis: () => 5000 }))
  await route.fulfill({ status: statusCode, headers: Object(headers), body })
}

describeInBrowser('an offer in a browser', () => {
  let browser: Browser
  let page: Page
  let complaints: string[]
  let polls: number

  beforeAll(async () => {
    browser = await startBrowser()
    await mkdir(SCREENSHOTS, { recursive: true })
  })
  afterAll(() => browser.close())

  const open = async (more: Parameters<typeof newSession>[0] = {}, options: BrowserContextOptions = {}) => {
    await table.put(issuerItem(newIssuer()))
    await table.put(sessionItem(newSession(more)))
    page = await (await browser.newContext(options)).newPage()
    ;[complaints, polls] = [[], 0]
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') polls += 1
    })
    await page.clock.install()
    await page.route('**/*', answer)
    await page.goto(`${settings().PUBLIC_URL}/oid4vci/shop/pages/session-1`)
  }
  const photograph = async (name: string): Promise<Buffer> => {
    const screenshot = await page.screenshot({ fullPage: true })
    await writeFile(`${SCREENSHOTS}/${name}.png`, screenshot)
    return screenshot
  }
  /** Runs the browser's clock until the page has asked `times` times. */
  const askAgain = async (times: number): Promise<void> => {
    for (const before = polls; polls < before + times; ) {
      const asked = page.waitForResponse((response) => response.request().resourceType() === 'fetch')
      await page.clock.runFor(2_000)
      await asked
    }
  }
  const button = () => page.getByRole('link', { name: 'Open in your wallet' })
  const outcome = () => page.getByRole('status').getByRole('heading')

  afterEach(async () => {
    await page.context().close()
    expect(complaints).toEqual([])
  })

  test.each([
    ['a large screen', {}],
    ['the smallest one in the dark', SMALL],
  ])('on %s it has a QR code that a camera reads, and nothing that axe finds', async (name, options) => {
    await open({}, options)
    const screenshot = new Uint8Array(await photograph(`offer on ${name}`.replaceAll(' ', '-')))
    const codes = await readBarcodes(screenshot, { formats: ['QRCode'] })
    expect(codes.map(({ text }) => text)).toEqual([link()])
    expect(await button().getAttribute('href')).toBe(link())
    const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
    expect(wide).toBe(false)
    expect(await faultsOf(page)).toEqual({})
  })

  const shows = async (more: object, name: string, heading: string) => {
    await table.put(sessionItem(newSession(Object(more))))
    await askAgain(1)
    await outcome().getByText(heading).waitFor()
    expect(await outcome().allInnerTexts()).toEqual([heading])
    expect(await button().isVisible()).toBe(false)
    await photograph(`offer-${name}`)
    expect(await faultsOf(page)).toEqual({})
  }
  const asksNoMore = async () => {
    const before = polls
    await page.clock.runFor(10_000)
    expect(polls).toBe(before)
    // A browser writes down every page that is not there.
    complaints = complaints.filter((text) => !/status of 404/.test(text))
  }

  test('shows that the wallet has taken it, and then that it has all', async () => {
    await open()
    await askAgain(2)
    expect(await button().isVisible()).toBe(true)
    expect(await outcome().count()).toBe(0)
    await shows({ state: 'AccessTokenCreated' }, 'taken', 'Your wallet has taken the offer')
    await askAgain(2)
    await shows({ state: 'Completed' }, 'issued', 'Done')
    await asksNoMore()
  })

  test('goes on from the state in which it was loaded', async () => {
    await open({ state: 'CredentialsPartiallyIssued' })
    expect(await outcome().allInnerTexts()).toEqual(['Your wallet has taken the offer'])
    await shows({ state: 'Error' }, 'ended', 'That did not work')
    await asksNoMore()
  })

  test('shows that it has expired', async () => {
    await open()
    await shows({ expiresAt: '2020-01-01T00:00:00.000Z' }, 'expired', 'This offer has expired')
    await asksNoMore()
  })

  test('it asks for ten minutes, through failures of the service', async () => {
    await open({ expiresAt: '2999-01-01T00:00:00.000Z' })
    table.way = async () => Promise.reject(Object.assign(new Error('injected'), { name: 'InternalServerError' }))
    await askAgain(1)
    table.way = undefined
    await askAgain(1)
    expect(await button().isVisible()).toBe(true)
    await page.clock.fastForward(600_000)
    await outcome().waitFor()
    expect(await outcome().allInnerTexts()).toEqual(['Not taken yet'])
    complaints = complaints.filter((text) => !/status of 50\d/.test(text))
  })

  test('without a script it still leads to the wallet', async () => {
    await open({}, { javaScriptEnabled: false })
    expect(await button().isVisible()).toBe(true)
    expect(await outcome().count()).toBe(0)
  })
})
