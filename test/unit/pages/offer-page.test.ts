/** The page of an offer of OpenID4VCI: what it says of one, and that nothing in one is more than text or a picture. */
import { describe, expect, test } from 'vitest'
import { logoUrl } from '../../../lib/pages/logo.ts'
import { offerPage, type ShownOffer } from '../../../lib/pages/offer-page.ts'
import { qrCode } from '../../../lib/pages/qr-code.ts'
import { PNG } from '../../support/issuance-session.ts'

const LINK = 'openid-credential-offer://?credential_offer_uri=https%3A%2F%2Fagent.example%2Fo'
const VCT = 'https://credentials.example/identity'

const page = (more: Partial<ShownOffer> = {}): string =>
  offerPage({
    ...{ state: 'open', link: LINK, issuer: 'Acme', logo: undefined, hasPin: true },
    credentials: [{ name: 'Identity', vct: VCT }],
    ...more,
  })

const named = (html: string) => [...html.matchAll(/<bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name)
const headings = (html: string) => [...html.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, text]) => text)

test('it says who offers what, and leads to the wallet by a link and a QR code', () => {
  const html = page({
    credentials: [
      { name: 'Identity', vct: VCT },
      { name: undefined, vct: VCT },
    ],
  })
  expect(named(html)).toEqual(['Acme', 'Identity', VCT])
  expect(html).toContain(`href="${LINK}"`)
  expect(html).toContain(/ d="([^"]+)"/.exec(qrCode(LINK, 'x').text)?.[1])
  expect(html).toContain('will ask for a PIN')
  expect(page({ hasPin: false })).not.toContain('PIN')
})

describe('what the issuer says', () => {
  const MARKUP = '</bdi><script>alert(1)</script><img src=x onerror=alert(1)>"\' onclick=x'
  const tagsOf = (html: string) => [...html.matchAll(/<(\w+)/g)].map(([, name]) => name)

  test('is text, never markup', () => {
    const html = page({ issuer: MARKUP, credentials: [{ name: MARKUP, vct: MARKUP }], logo: MARKUP })
    expect(html).not.toMatch(/<script>|<img/)
    expect(tagsOf(html)).toEqual(tagsOf(page()))
  })

  test('does not change the direction of what is around it, and may be nothing at all', () => {
    const html = page({ issuer: 'a\u202eb\u2066\nc', credentials: [{ name: '\u061ca\u200fb', vct: VCT }] })
    expect(named(html)).toEqual(['a b c', 'a b'])
    for (const issuer of [undefined, '', '\u200b\u200d\ufeff', 7, {}])
      expect(page({ issuer })).toContain('from an unknown sender')
    expect(named(page({ credentials: [{ name: '\u200b', vct: '\u202e' }] }))).toEqual(['Acme', '?'])
    expect(named(page({ issuer: 'x'.repeat(500) }))[0]).toHaveLength(101)
  })
})

describe('a logo', () => {
  const dataUrl = (type: string, bytes: Uint8Array) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
  const png = (length: number) => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(length - 8)])
  const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex')

  test.each([PNG, dataUrl('image/jpeg', jpeg), dataUrl('image/png', png(32 * 1024))])('is shown: %.30s', (logo) => {
    expect(page({ logo })).toContain(`<img class="logo" src="${logo}" alt="">`)
  })

  test.each([
    'https://169.254.169.254/latest/meta-data',
    'http://localhost/logo.png',
    '//agent.example/logo.png',
    'javascript:alert(1)',
    dataUrl('image/svg+xml', Buffer.from('<svg onload="alert(1)"/>')),
    dataUrl('image/png', Buffer.from('<svg onload="alert(1)"/>')),
    dataUrl('image/png', jpeg),
    dataUrl('image/jpeg', png(9)),
    dataUrl('text/html', png(9)),
    dataUrl('image/png', png(32 * 1024 + 1)),
    `${PNG}"onerror="x`,
    `data:image/png,${'89504e47'}`,
    `DATA${PNG.slice(4)}`,
    'data:image/png;base64,',
    7,
    undefined,
  ])('is not shown: %.30s', (logo) => {
    expect(logoUrl(logo)).toBeUndefined()
    expect(page({ logo })).not.toContain('<img')
  })
})

test('an accepted offer has no link for a wallet, and its page still updates', () => {
  const html = page({ state: 'taken' })
  expect(html).toMatch(/<section data-outcome="taken" data-goes-on><h2>Your wallet has accepted the offer/)
  expect(html).toMatch(/<section data-outcome="issued" hidden>/)
  expect(html).toContain('/assets/session.js')
  expect(html).not.toMatch(/openid-credential-offer:|<svg/)
})

test.each([
  ['issued', 'Done'],
  ['ended', 'This did not work'],
] as const)('an offer that is %s says so, and nothing else', (state, heading) => {
  const html = page({ state })
  expect(headings(html)).toEqual([heading])
  expect(html).not.toMatch(/openid-credential-offer:|<svg|<script|hidden/)
})
