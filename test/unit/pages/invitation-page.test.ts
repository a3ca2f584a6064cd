/** The page of an invitation: what it says of one, and that nothing in one is more than text. */
import decodeQR from 'qr/decode.js'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../lib/json.ts'
import { invitationPage } from '../../../lib/pages/invitation-page.ts'
import { shortText } from '../../../lib/pages/markup.ts'
import { qrCode } from '../../../lib/pages/qr-code.ts'

const base64 = (message: object) => Buffer.from(JSON.stringify(message)).toString('base64')
const attached = (type: string) => ({ '@id': 'a', data: { base64: base64({ '@type': type, '@id': 'r' }) } })

const page = (more: JsonObject = {}): string =>
  invitationPage({
    '@type': 'https://didcomm.org/out-of-band/1.1/invitation',
    '@id': 'b7e1a6b2-0000-4000-8000-000000000001',
    label: 'Acme',
    handshake_protocols: ['https://didcomm.org/didexchange/1.1'],
    services: ['did:peer:2.x'],
    ...more,
  })

/** The text between tags. */
const words = (html: string): string =>
  html
    .replace(/<svg.*?<\/svg>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

describe('says what for', () => {
  test.each<[string, JsonObject, string[]]>([
    ['a connection', {}, ['to connect with you']],
    [
      'a connection by the protocol of old, which names no other',
      { handshake_protocols: undefined },
      ['to connect with you'],
    ],
    [
      'an offer of a credential',
      { 'requests~attach': [attached('https://didcomm.org/issue-credential/2.0/offer-credential')] },
      ['to connect with you', 'to offer you a credential'],
    ],
    [
      'a request for a proof, without a connection',
      {
        handshake_protocols: [],
        'requests~attach': [
          { data: { json: { '@type': 'https://didcomm.org/present-proof/1.0/request-presentation' } } },
        ],
      },
      ['to ask you for a proof'],
    ],
    [
      'a message of another kind, and an unreadable attachment',
      {
        'requests~attach': [attached('https://didcomm.org/basicmessage/1.0/message'), { data: { base64: 'AAAA' } }, 7],
      },
      ['to connect with you', 'to send you a message'],
    ],
  ])('%s', (_, more, purposes) => {
    const listed = [...page(more).matchAll(/<li><strong>([^<]*)<\/strong>/g)].map(([, purpose]) => purpose)
    expect(listed).toEqual(purposes)
  })

  test('with the goal of the sender, if there is one', () => {
    expect(page({ goal: 'Prove your degree' })).toContain('<blockquote dir="auto">Prove your degree</blockquote>')
    expect(page()).not.toContain('Message from the sender')
    expect(page({ goal: 7 })).not.toContain('Message from the sender')
  })
})

describe('what the sender says', () => {
  const MARKUP = '</bdi><script>alert(1)</script><img src=x onerror=alert(1)>"\' onclick=x'

  test('is text, never markup', () => {
    const html = page({ label: MARKUP, goal: MARKUP, imageUrl: 'https://tracker.example/pixel.png' })
    expect(html).not.toMatch(/<script|<img|tracker\.example\/pixel/)
    expect(html.split('&lt;script&gt;')).toHaveLength(3)
    expect([...html.matchAll(/<(\w+)/g)].map(([, name]) => name)).toEqual(
      [...page({ goal: 'x' }).matchAll(/<(\w+)/g)].map(([, name]) => name),
    )
  })

  test('has no unescaped character of HTML', () => {
    expect(page({ label: '&lt;a&gt;' })).toContain('<bdi>&amp;lt;a&amp;gt;</bdi>')
  })

  test('may have any quotation mark', () => {
    expect(page({ label: `"it's"` })).toContain('&quot;it&#39;s&quot;')
  })

  test('does not change the direction of what is around it, nor the lines', () => {
    expect(shortText('a\u202eb\u2066c\nd\u0000e\u2028f', 100)).toBe('a b c d e f')
    const directions = ['\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e']
    for (const character of [...directions, '\u2066', '\u2067', '\u2068', '\u2069', '\u2029', '\u007f'])
      expect({ character, shown: shortText(`a${character}b`, 100) }).toEqual({ character, shown: 'a b' })
  })

  test('is short', () => {
    expect(shortText('x'.repeat(101), 100)).toBe(`${'x'.repeat(100)}…`)
    expect(shortText('😀'.repeat(3), 2)).toBe('😀😀…')
    expect(shortText('😀😀', 2)).toBe('😀😀')
    expect(shortText('👩\u200d🚀 می\u200cخواهم', 100)).toBe('👩\u200d🚀 می\u200cخواهم')
    const shown = words(page({ label: 'x'.repeat(5000), goal: 'y'.repeat(5000) }))
    expect([shown.match(/x{9,}…/)?.[0].length, shown.match(/y{9,}…/)?.[0].length]).toEqual([101, 301])
    expect(shown.length).toBeLessThan(1800)
  })

  test('may be nothing at all', () => {
    for (const label of [undefined, '', ' \u202e ', '\u200b', '\u3164 \u00ad', 7, {}])
      expect(words(page({ label }))).toContain('from an unknown sender')
  })
})

test('no search engine lists it', () => {
  expect(page()).toContain('<meta name="robots" content="noindex">')
})

test('a wallet on the same device is given the whole invitation', () => {
  const [, oob = ''] = /href="didcomm:\/\/invite\?oob=([\w-]+)"/.exec(page({ goal: 'ä' })) ?? []
  expect(JSON.parse(Buffer.from(oob, 'base64url').toString())).toMatchObject({ label: 'Acme', goal: 'ä' })
})

test('the QR code holds the short address, whatever the length of the invitation', () => {
  const { text } = qrCode('http://127.0.0.1:3000/url/b7e1a6b2-0000-4000-8000-000000000001', 'QR code')
  expect(page({ goal: 'x'.repeat(100_000) })).toContain(/ d="([^"]+)"/.exec(text)?.[1])
})

test('a QR code is dark on light, with a margin, and can be read', () => {
  const { text } = qrCode('https://agent.example/url/1', 'QR code of "it"')
  expect(text).toContain('aria-label="QR code of &quot;it&quot;"')
  const size = Number(/viewBox="0 0 (\d+) \d+"/.exec(text)?.[1])
  const scale = 4
  const width = size * scale
  const data = new Uint8Array(width * width * 4).fill(255)
  for (const [, x, y, length] of text.matchAll(/M(\d+) (\d+)h(\d+)v1/g))
    for (let row = Number(y) * scale; row < (Number(y) + 1) * scale; row++)
      data.fill(0, (row * width + Number(x) * scale) * 4, (row * width + (Number(x) + Number(length)) * scale) * 4)
  for (let alpha = 3; alpha < data.length; alpha += 4) data[alpha] = 255
  expect(decodeQR({ width, height: width, data })).toBe('https://agent.example/url/1')
  expect(/M(\d+) /.exec(text)?.[1]).toBe('4')
})
