/** A page that leads to a wallet, in a browser: the operations run in the process of the test. */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { getBrowserFile } from '../../functions/get-browser-file.ts'
import { settings } from '../../lib/settings.ts'
import { gatewayEvent } from '../unit/http/gateway-event.ts'
import type { useTable } from '../unit/store/use-table.ts'
import { startBrowser } from './chromium.ts'
import { violationsOf } from './page-violations.ts'

const SCREENSHOTS = '.build/screenshots'
const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(wasm).buffer } })

const SMALL: BrowserContextOptions = { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }

export interface WalletPageOptions {
  /** Of its screenshots. */
  name: string
  path: string
  handler: typeof getBrowserFile
  parameters: Record<string, string>
  /** Writes the session that it shows, with changes. */
  put: (table: Awaited<ReturnType<typeof useTable>>, more: object) => Promise<unknown>
  /** What leads to the wallet. */
  link: () => string
  /** Its heading after ten minutes without a change. */
  idleHeading: string
}

/** Has the tests that all such pages have; call it within `describeInBrowser`, and before that `useTable`. */
export class WalletPage {
  readonly #options: WalletPageOptions
  readonly #table: Awaited<ReturnType<typeof useTable>>
  #browser!: Browser
  #page!: Page
  #complaints: string[] = []
  #polls = 0

  constructor(table: Awaited<ReturnType<typeof useTable>>, options: WalletPageOptions) {
    this.#table = table
    this.#options = options
    beforeAll(async () => {
      this.#browser = await startBrowser()
      await mkdir(SCREENSHOTS, { recursive: true })
    })
    afterAll(() => this.#browser.close())
    afterEach(async () => {
      await this.#page.context().close()
      expect(this.#complaints).toEqual([])
    })
    this.#test()
  }

  #answer = async (route: Route): Promise<void> => {
    const request = route.request()
    const [, folder, file = ''] = new URL(request.url()).pathname.split('/')
    const { handler, parameters } =
      folder === 'assets' ? { handler: getBrowserFile, parameters: { file } } : this.#options
    const event = gatewayEvent({ authorizer: undefined, path: parameters, headers: request.headers() })
    const { statusCode, headers = {}, body } = await handler(event, Object({ getRemainingTimeInMillis: () => 5000 }))
    await route.fulfill({ status: statusCode, headers: Object(headers), body })
  }

  async open(more: object = {}, options: BrowserContextOptions = {}): Promise<void> {
    await this.#options.put(this.#table, more)
    this.#page = await (await this.#browser.newContext(options)).newPage()
    ;[this.#complaints, this.#polls] = [[], 0]
    const page = this.#page
    page.on('console', (message) => this.#complaints.push(message.text()))
    page.on('pageerror', ({ message }) => this.#complaints.push(message))
    page.on('request', (request) => {
      if (request.resourceType() === 'fetch') this.#polls += 1
    })
    await page.clock.install()
    await page.route('**/*', this.#answer)
    await page.goto(`${settings().PUBLIC_URL}${this.#options.path}`)
  }

  async #photograph(name: string): Promise<Buffer> {
    const screenshot = await this.#page.screenshot({ fullPage: true })
    await writeFile(`${SCREENSHOTS}/${this.#options.name} ${name}.png`.replaceAll(' ', '-'), screenshot)
    return screenshot
  }

  /** Runs the browser's clock until the page has asked `times` times. */
  async askAgain(times: number): Promise<void> {
    for (const before = this.#polls; this.#polls < before + times; ) {
      const asked = this.#page.waitForResponse((response) => response.request().resourceType() === 'fetch')
      await this.#page.clock.runFor(2_000)
      await asked
    }
  }

  #button = () => this.#page.getByRole('link', { name: 'Open in your wallet' })
  #outcome = () => this.#page.getByRole('status').getByRole('heading')

  headings = (): Promise<string[]> => this.#outcome().allInnerTexts()

  /** It leads to the wallet, and says nothing else yet. */
  async expectOpen(): Promise<void> {
    expect(await this.#button().isVisible()).toBe(true)
    expect(await this.#outcome().count()).toBe(0)
  }

  /** The session becomes this, and the page says so. */
  async shows(more: object, name: string, heading: string): Promise<void> {
    await this.#options.put(this.#table, more)
    await this.askAgain(1)
    await this.#outcome().getByText(heading).waitFor()
    expect(await this.headings()).toEqual([heading])
    expect(await this.#button().isVisible()).toBe(false)
    await this.#photograph(name)
    expect(await violationsOf(this.#page)).toEqual({})
  }

  async asksNoMore(): Promise<void> {
    const before = this.#polls
    await this.#page.clock.runFor(10_000)
    expect(this.#polls).toBe(before)
    // A browser logs every missing page.
    this.#complaints = this.#complaints.filter((text) => !/status of 404/.test(text))
  }

  #test(): void {
    test.each([
      ['a large screen', {}],
      ['the smallest one in the dark', SMALL],
    ])('on %s it has a QR code that a camera reads, and nothing that axe finds', async (name, options) => {
      await this.open({}, options)
      const screenshot = new Uint8Array(await this.#photograph(`on ${name}`))
      const codes = await readBarcodes(screenshot, { formats: ['QRCode'] })
      expect(codes.map(({ text }) => text)).toEqual([this.#options.link()])
      expect(await this.#button().getAttribute('href')).toBe(this.#options.link())
      const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth'
      expect(await this.#page.evaluate(wide)).toBe(false)
      expect(await violationsOf(this.#page)).toEqual({})
    })

    test('it asks for ten minutes, through failures of the service', async () => {
      await this.open({ expiresAt: '2999-01-01T00:00:00.000Z' })
      const error = Object.assign(new Error('injected'), { name: 'InternalServerError' })
      this.#table.way = async () => Promise.reject(error)
      await this.askAgain(1)
      this.#table.way = undefined
      await this.askAgain(1)
      expect(await this.#button().isVisible()).toBe(true)
      await this.#page.clock.fastForward(600_000)
      await this.#outcome().waitFor()
      expect(await this.headings()).toEqual([this.#options.idleHeading])
      this.#complaints = this.#complaints.filter((text) => !/status of 50\d/.test(text))
    })

    test('without a script it still leads to the wallet', async () => {
      await this.open({}, { javaScriptEnabled: false })
      await this.expectOpen()
    })
  }
}
