/** The pages as people see them: in a browser, in the light and in the dark, on a phone, by keyboard. */
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { api, base, tokens, world } from '../support/api/scene.ts'
import { requestBody } from '../support/scenes.ts'
import type { Json } from '../support/stage/in-process-stage.ts'
import { describeInBrowser, startBrowser } from './chromium.ts'
import { violationsOf } from './page-violations.ts'

/** For reviewers of a change; not in the repository. */
const SCREENSHOTS = '.build/screenshots'

/** It would load it from the internet. */
const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(wasm).buffer } })

const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
const DESK: BrowserContextOptions = { viewport: { width: 1200, height: 900 } }
type Look = [name: string, options: BrowserContextOptions]
const LIGHT: Look = ['light', { ...DESK, colorScheme: 'light' }]
const DARK_PHONE: Look = ['phone in the dark', { ...PHONE, colorScheme: 'dark' }]
const LOOKS: Look[] = [
  LIGHT,
  ['dark', { ...DESK, colorScheme: 'dark' }],
  ['phone', { ...PHONE, colorScheme: 'light' }],
  DARK_PHONE,
]

describeInBrowser('in a browser', () => {
  let browser: Browser
  let page: Page
  let made: Json
  /** What the browser complains of: scripts that fail, what a policy has blocked, files that are not there. */
  let complaints: string[]
  /** Addresses that were asked for. */
  let asked: string[]

  beforeAll(async () => {
    browser = await startBrowser()
    const body = { ...requestBody, label: '<b>Acme</b> & Söhne' }
    made = (await api.post('/proofs/create-request-oob', { token: tokens.root, body })).body
    await mkdir(SCREENSHOTS, { recursive: true })
  })
  afterAll(() => browser.close())

  const open = async (path: string, options: BrowserContextOptions = DESK): Promise<void> => {
    complaints = []
    asked = []
    const context = await browser.newContext(options)
    page = await context.newPage()
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', ({ message }) => complaints.push(message))
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(new URL(path, world.baseUrl).href)
  }
  const photograph = async (name: string): Promise<Buffer> => {
    const screenshot = await page.screenshot({ fullPage: true })
    await writeFile(`${SCREENSHOTS}/${name.replaceAll(' ', '-')}.png`, screenshot)
    return screenshot
  }

  /** Closes the page, and expects no warnings of the browser, and no requests to other hosts. */
  const close = async (): Promise<void> => {
    await page.context().close()
    expect(complaints).toEqual([])
    for (const address of asked) expect(address.startsWith(world.baseUrl) || address === 'data:,').toBe(true)
  }

  const shortPath = () => `/url/${made.invitation['@id']}`

  describe.each(LOOKS)('an invitation, %s', (name, options) => {
    beforeAll(() => open(shortPath(), options))
    afterAll(() => close())

    test('has a QR code that a camera reads: the short address', async () => {
      const codes = await readBarcodes(new Uint8Array(await photograph(`invitation ${name}`)), { formats: ['QRCode'] })
      expect(codes.map(({ text }) => text)).toEqual([world.baseUrl + shortPath()])
      const read = await api.get(new URL(codes[0]?.text ?? '').pathname, { headers: { accept: 'application/json' } })
      expect(read.body['@id']).toBe(made.invitation['@id'])
    })

    test('has nothing that axe finds', async () => {
      expect(await violationsOf(page)).toEqual({})
    })

    test('is as wide as the screen, and no wider', async () => {
      const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
      expect(wide).toBe(false)
    })
  })

  describe('an invitation', () => {
    afterEach(() => close())

    test('says who invites and what for, as text', async () => {
      await open(shortPath())
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Invitation from <b>Acme</b> & Söhne')
      expect(await page.getByRole('listitem').locator('strong').allInnerTexts()).toEqual([
        'to connect with you',
        'to ask you for a proof',
      ])
      expect(page.url().startsWith(`${world.baseUrl}/?oob=`)).toBe(true)
    })

    test('has no script, and needs none', async () => {
      await open(shortPath(), { ...DESK, javaScriptEnabled: false })
      expect(await page.getByRole('img', { name: 'QR code of this invitation' }).isVisible()).toBe(true)
      expect(await page.locator('script').count()).toBe(0)
    })

    test('offers the wallet first, by keyboard', async () => {
      await open(shortPath())
      await page.keyboard.press('Tab')
      const focused = page.locator(':focus')
      expect(await focused.innerText()).toBe('Open in your wallet')
      expect(await focused.getAttribute('href')).toMatch(/^didcomm:\/\/invite\?oob=[\w-]+$/)
      expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    })

    test('selects its whole address at one click, for copying', async () => {
      await open(shortPath(), { ...DESK, javaScriptEnabled: true })
      await page.locator('.address').click()
      expect(await page.evaluate('getSelection().toString()')).toBe(world.baseUrl + shortPath())
    })

    test.each<[string, object, string]>([
      ['without a name or a goal', { label: undefined, goal: undefined }, 'Invitation from'],
      ['in words without end', { label: 'Gesellschaft'.repeat(20), goal: 'x'.repeat(1000) }, 'Invitation from Gesell'],
      ['from right to left', { label: 'مدينة القاهرة', goal: 'نرحب بكم في خدماتنا الرقمية' }, 'Invitation from مدينة'],
      ['with pictures in its words', { label: '🏦 Bank 👩‍👩‍👧‍👦', goal: '🚀' }, 'Invitation from 🏦 Bank'],
    ])('%s fits the smallest screen, also twice as large', async (name, body, heading) => {
      const { body: invited } = await api.post('/oob/create-invitation', { token: tokens.root, body })
      // 320 CSS pixels are a screen of 1,280 at 400 % (WCAG 2.2, 1.4.10).
      await open(`/url/${invited.invitation['@id']}`, { viewport: { width: 320, height: 256 } })
      await photograph(`an invitation ${name}`)
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain(heading)
      const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
      expect(wide).toBe(false)
      expect(await violationsOf(page)).toEqual({})
    })

    test.each([
      ['was used', () => `/url/${base.invitationId}`, 'This invitation is no longer valid'],
      ['never was', () => '/url/never', 'Page not found'],
    ])('that %s is a page, too, with nothing that axe finds', async (name, path, heading) => {
      await open(path())
      await photograph(`an invitation that ${name}`)
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe(heading)
      expect(await violationsOf(page)).toEqual({})
      // A browser writes down every page that is not there.
      complaints = complaints.filter((text) => !/status of 4(04|10)/.test(text))
    })
  })

  describe('the reference', () => {
    afterAll(() => close())

    /** Issues of https://github.com/swagger-api/swagger-ui/issues that were open when this was written. */
    const UPSTREAM: Record<string, number> = {
      'color-contrast': 10702,
      'heading-order': 10703,
      'scrollable-region-focusable': 9582,
      'select-name': 8092,
    }

    const operation = () => page.locator('#operations-Connections-GetConnections')
    const openArea = async () => {
      await page.locator('#operations-tag-Connections').click()
      await operation().waitFor()
    }
    const authorize = async (token: string) => {
      await page.getByRole('button', { name: 'Authorize' }).click()
      await page.getByLabel('auth-bearer-value').fill(token)
      const buttons = page.locator('.auth-btn-wrapper')
      await buttons.getByRole('button', { name: 'Apply credentials' }).click()
      await buttons.getByRole('button', { name: 'Close' }).click()
    }
    const execute = async (): Promise<{ status: string; body: string }> => {
      await page.getByRole('button', { name: 'Execute' }).click()
      const answer = page.locator('.live-responses-table')
      await answer.waitFor()
      return {
        status: await answer.locator('tbody .response-col_status').first().innerText(),
        body: await answer.locator('.highlight-code').first().innerText(),
      }
    }

    test.each([DARK_PHONE, LIGHT])(
      'has nothing that axe finds but what is known upstream, %s',
      async (name, options) => {
        await open('/docs?url=https://elsewhere.example/a.json&configUrl=https://elsewhere.example/c.json#/x', options)
        await openArea()
        await photograph(`reference ${name}`)
        await operation().locator('.opblock-summary-control').click()
        await page.locator('.opblock-body').waitFor()
        await photograph(`operation ${name}`)
        expect(Object.keys(UPSTREAM)).toEqual(expect.arrayContaining(Object.keys(await violationsOf(page))))
        // The page of the last look is that of the tests below: to show it takes seconds.
        if (name !== LIGHT[0]) await close()
      },
    )

    test('shows its own document, whatever its address says, with every operation in its area', async () => {
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toContain('Agent Service Interface')
      for (const { name } of api.description.document.tags)
        await page.locator(`.opblock-tag[data-tag="${name}"]`).waitFor()
    })

    test('calls the stage with the token that was set once', async () => {
      await authorize(tokens.root)
      const { status, body } = await execute()
      expect(status).toBe('200')
      expect(body).toContain(base.connectionId)
    })

    test('forgets the token with the page: nothing is kept in the browser', async () => {
      expect(await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')).toEqual([0, 0, ''])
      await page.reload()
      await openArea()
      await operation().locator('.opblock-summary-control').click()
      expect((await execute()).status).toBe('401')
      complaints = complaints.filter((text) => !/status of 401/.test(text))
    })
  })
})
