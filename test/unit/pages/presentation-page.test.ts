/** The page of a request of OpenID4VP: what it says of one, and that nothing in one is more than text. */
import { describe, expect, test } from 'vitest'
import { presentationPage, type ShownRequest } from '../../../lib/pages/presentation-page.ts'
import { qrCode } from '../../../lib/pages/qr-code.ts'
import { QUERY } from '../../support/verification-session.ts'

const LINK = 'openid4vp://?client_id=x509_hash%3Aabc&request_uri=https%3A%2F%2Fagent.example%2Fr'

const page = (more: Partial<ShownRequest> = {}): string =>
  presentationPage({
    ...{ state: 'open', link: LINK, verifier: 'Acme', query: QUERY, leadsBack: false, hasTransaction: false },
    ...more,
  })

const asking = (...credentials: object[]): ShownRequest['query'] => ({
  credentials: credentials.map((more) => Object.assign(structuredClone(QUERY.credentials[0] ?? Object()), more)),
})

const tagsOf = (html: string) => [...html.matchAll(/<(\w+)/g)].map(([, name]) => name)
const listed = (html: string) => [...html.matchAll(/<li><bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name)

describe('says what is asked for', () => {
  test('by type and names of claims, in words', () => {
    expect(page()).toContain('<bdi>https://credentials.example/identity</bdi>')
    expect(listed(page())).toEqual(['given name', 'address: street address', 'nationalities'])
  })

  test('a claim once, whatever the element of its list', () => {
    const claims = [{ path: ['degrees', 0, 'type'] }, { path: ['degrees', 1, 'type'] }]
    expect(listed(page({ query: asking({ claims }) }))).toEqual(['degrees: type'])
  })

  test('a credential without claims, alternatives and a transaction', () => {
    const plain = page()
    for (const words of ['Only the information', 'choice', 'transaction']) expect(plain).not.toContain(words)
    expect(page({ query: asking({ claims: undefined }) })).toContain('Only the information that it always shows.')
    expect(page({ query: asking({ claim_sets: [['a']] }) })).toContain('shows you the choice')
    expect(page({ query: { ...QUERY, credential_sets: [{ options: [['identity']] }] } })).toContain('the choice')
    expect(page({ hasTransaction: true })).toContain('consent to a transaction')
  })
})

describe('what the verifier says', () => {
  const MARKUP = '</bdi><script>alert(1)</script><img src=x onerror=alert(1)>"\' onclick=x'

  test('is text, never markup', () => {
    const query = asking({ meta: { vct_values: [MARKUP] }, claims: [{ path: [MARKUP, MARKUP] }] })
    const html = page({ verifier: MARKUP, query })
    expect(html).not.toMatch(/<script>|<img/)
    expect(tagsOf(html)).toEqual(tagsOf(page({ query: asking({ claims: [{ path: ['x'] }] }) })))
  })

  test('does not change the direction of what is around it', () => {
    const hostile = 'a\u202eb\u2066\nc'
    const query = asking({ meta: { vct_values: [hostile] }, claims: [{ path: [hostile] }] })
    const html = page({ verifier: hostile, query })
    expect(html.split('<bdi>a b c</bdi>')).toHaveLength(4)
    expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  })

  test('is short, and may be nothing at all', () => {
    const long = 'x'.repeat(2000)
    const query = asking({ meta: { vct_values: [long] }, claims: [{ path: [long] }] })
    expect(Math.max(...[...page({ verifier: long, query }).matchAll(/x+…/g)].map(([text]) => text.length))).toBe(201)
    for (const verifier of [undefined, '', '\u200b', 7, {}])
      expect(page({ verifier })).toContain('from an unknown sender')
    expect(listed(page({ query: asking({ claims: [{ path: ['\u202e'] }] }) }))).toEqual(['?'])
  })
})

describe('leads to the wallet', () => {
  const qr = / d="([^"]+)"/.exec(qrCode(LINK, 'x').text)?.[1] ?? 'no code'
  const href = `href="${LINK.replace('&', '&amp;')}"`

  test('by a link and a QR code', () => {
    expect(page()).toContain(href)
    expect(page()).toContain(qr)
    expect(page()).not.toContain('There is no QR code')
  })

  test('by the link alone where it leads back to this browser, and says why', () => {
    const html = page({ leadsBack: true })
    expect(html).toContain(href)
    expect(html).not.toContain('<svg')
    expect(html).toContain('There is no QR code, because your wallet returns you to this browser')
  })
})

test.each([
  ['answered', 'Your wallet has responded'],
  ['verified', 'Done'],
  ['ended', 'This did not work'],
] as const)('a request that is %s leads to no wallet, and says how it ended', (state, heading) => {
  const html = page({ state })
  expect([...html.matchAll(/<h2>([^<]*)<\/h2>/g)].map(([, text]) => text)).toEqual([heading])
  expect(html).not.toMatch(/openid4vp:|<svg|<script|hidden/)
})
