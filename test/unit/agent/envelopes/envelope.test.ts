/** Which envelopes are looked at, and which are rejected before anything is looked up for them. */
import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readEnvelope, readHeader } from '../../../../lib/agent/envelopes/envelope.ts'
import { isAgentError } from '../../../../lib/errors.ts'
import { corrupted, oddValue } from '../../../support/api/odd-values.ts'
import { MAX_LINEAR_MS, processorTime } from '../../../support/processor-time.ts'
import { handMade, unknownKid } from '../../../support/wallets/hand-made-envelope.ts'
import type { EnvelopeHeader } from '../../../wallet/raw-messages.ts'
import { anoncrypt, authcrypt, recipient, sender } from '../acapy-envelopes.ts'

const kid = unknownKid()
const noise = (bytes: number): string => randomBytes(bytes).toString('base64url')
const padded = (text: string): string =>
  Buffer.from(text, 'base64url').toString('base64').replaceAll('+', '-').replaceAll('/', '_')
const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('an envelope is read', () => {
  test('as ACA-Py packs it for two recipients', () => {
    expect(readHeader(readEnvelope(authcrypt))).toMatchObject({
      alg: 'Authcrypt',
      recipients: [{}, { header: { kid: recipient } }],
    })
  })

  test('as ACA-Py packs it without a sender', () => {
    expect(readHeader(readEnvelope(anoncrypt))).toMatchObject({
      alg: 'Anoncrypt',
      recipients: [{ header: { kid: recipient } }],
    })
  })

  test('with padding', () => {
    const { protected: header, iv, ciphertext, tag } = authcrypt
    expect(() =>
      readEnvelope({ protected: header, iv: padded(iv), ciphertext: padded(ciphertext), tag: padded(tag) }),
    ).not.toThrow()
    expect(padded(tag)).toMatch(/==$/)
  })

  test('with a sender and an iv that are null, as some agents write anonymous envelopes', () => {
    const envelope = handMade({
      kid,
      header: (header) => ({
        ...header,
        recipients: header.recipients.map((one) => ({ ...one, header: { ...one.header, sender: null, iv: null } })),
      }),
    })
    expect(() => readEnvelope(envelope)).not.toThrow()
  })

  test('with 16 recipients, and with members that are not of RFC 0019', () => {
    const more = Array.from({ length: 15 }, () => ({ encrypted_key: noise(80), header: { kid: unknownKid() } }))
    const envelope = handMade({
      kid,
      header: (header) => ({ ...header, more: 1, recipients: [...header.recipients, ...more] }),
    })
    expect(readHeader(readEnvelope({ ...envelope, more: 1 })).recipients).toHaveLength(16)
  })

  test('to a key of zeros, whose base58 is the shortest', () => {
    expect(readHeader(readEnvelope(withRecipient({ kid: '1'.repeat(32) }))).recipients[0]?.header.kid).toHaveLength(32)
  })
})

/** An anonymous envelope whose only recipient has this header. */
const withRecipient = (header: unknown, encrypted_key: unknown = noise(80)) =>
  handMade({ kid, header: (whole) => ({ ...whole, recipients: [{ encrypted_key, header }] }) })

const altered = (alter: (header: EnvelopeHeader) => unknown) => handMade({ kid, header: alter })

const authcrypted = (alter: (header: object) => object) =>
  handMade({
    kid,
    sender,
    header: (whole) => ({
      ...whole,
      recipients: whole.recipients.map((one) => ({ ...one, header: alter(one.header) })),
    }),
  })

const rejection = (body: unknown): unknown => {
  try {
    readEnvelope(body)
  } catch (error) {
    return error
  }
  return undefined
}

describe('an envelope is rejected', () => {
  test.each<[string, unknown]>([
    ['with an alg of none', altered((header) => ({ ...header, alg: 'none' }))],
    ['with an alg that is a list', altered((header) => ({ ...header, alg: ['Anoncrypt'] }))],
    ['with another encryption', altered((header) => ({ ...header, enc: 'A256GCM' }))],
    ['with another type', altered((header) => ({ ...header, typ: 'application/didcomm-encrypted+json' }))],
    ['without recipients', altered((header) => ({ ...header, recipients: [] }))],
    [
      'with recipients that are not a list',
      altered((header) => ({ ...header, recipients: { 0: header.recipients[0], length: 1 } })),
    ],
    [
      'with the same recipient twice',
      altered((header) => ({ ...header, recipients: [...header.recipients, ...header.recipients] })),
    ],
    ['with a kid that is a list', withRecipient({ kid: [kid] })],
    ['with a kid of 31 bytes', withRecipient({ kid: '1'.repeat(31) })],
    ['with a kid of 33 bytes', withRecipient({ kid: '1'.repeat(33) })],
    ['with a kid of 44 characters and more than 32 bytes', withRecipient({ kid: 'z'.repeat(44) })],
    [
      'with a kid that is a did:key',
      withRecipient({ kid: 'did:key:z6MkhYBKjQonT2odhM9gzSsEgnrqN3prsca8HDxKiBbtVyrX' }),
    ],
    ['with a kid of letters that only look like those of base58', withRecipient({ kid: kid.replace(/^./, 'é') })],
    ['without an encrypted key', withRecipient({ kid }, null)],
    ['with an encrypted key that is too short', withRecipient({ kid }, noise(79))],
    ['with an encrypted key that is too long', withRecipient({ kid }, noise(8_000))],
    ['with an encrypted key that is not base64url', withRecipient({ kid }, '+'.repeat(107))],
    ['that is anonymous and names a sender', withRecipient({ kid, sender: noise(91) })],
    ['that is anonymous and has the iv of a sender', withRecipient({ kid, iv: noise(24) })],
    ['that is authenticated and names no sender', authcrypted((header) => ({ ...header, sender: undefined }))],
    ['that is authenticated and has no iv', authcrypted((header) => ({ ...header, iv: undefined }))],
    ['with a sender that is too long', authcrypted((header) => ({ ...header, sender: noise(2_000) }))],
    ['with a header that is not JSON', { ...anoncrypt, protected: noise(100) }],
    ['with a header that is null', { ...anoncrypt, protected: base64url(null) }],
    ['with a header that is a text', { ...anoncrypt, protected: base64url('{}') }],
    [
      'with a header that names a prototype',
      { ...anoncrypt, protected: Buffer.from('{"__proto__":{"alg":"Anoncrypt"}}').toString('base64url') },
    ],
    [
      'with a header that is nested too deep',
      { ...anoncrypt, protected: Buffer.from('['.repeat(10_000) + ']'.repeat(10_000)).toString('base64url') },
    ],
    ['with a header that is too long', { ...anoncrypt, protected: `${anoncrypt.protected}${'A'.repeat(20_000)}` }],
    ['with an iv of 24 bytes', { ...anoncrypt, iv: noise(24) }],
    ['with a tag that is cut short', { ...anoncrypt, tag: noise(4) }],
    ['without a ciphertext', { ...anoncrypt, ciphertext: '' }],
    ['with a ciphertext that is not base64url', { ...anoncrypt, ciphertext: '%%%%' }],
    ['with a tag that is a list', { ...anoncrypt, tag: [anoncrypt.tag] }],
    ['that is a list', [anoncrypt]],
    ['that is nothing', null],
  ])('%s', (_name, body) => {
    expect(rejection(body)).toMatchObject({ code: 'request.malformed' })
  })

  test.each<[string, number, number, (length: number) => unknown]>([
    ['bytes of an iv', 12, 12, (length) => ({ ...anoncrypt, iv: noise(length) })],
    ['bytes of a tag', 16, 16, (length) => ({ ...anoncrypt, tag: noise(length) })],
    ['bytes of a content key for all', 80, 80, (length) => withRecipient({ kid }, noise(length))],
    [
      'bytes of a content key of a sender',
      48,
      48,
      (length) =>
        handMade({
          kid,
          sender,
          header: (whole) => ({
            ...whole,
            recipients: whole.recipients.map((one) => ({ ...one, encrypted_key: noise(length) })),
          }),
        }),
    ],
    ['bytes of a sender', 80, 92, (length) => authcrypted((header) => ({ ...header, sender: noise(length) }))],
    ['bytes of the iv of a sender', 24, 24, (length) => authcrypted((header) => ({ ...header, iv: noise(length) }))],
    [
      'characters of a header',
      1_000,
      16_384,
      (length) => {
        const json = Buffer.from(anoncrypt.protected, 'base64url').toString()
        return { ...anoncrypt, protected: Buffer.from(json.padEnd((length * 3) / 4)).toString('base64url') }
      },
    ],
  ])('with fewer %s than %i, or more than %i', (name, least, most, envelope) => {
    for (const length of [least, most]) expect(rejection(envelope(length))).toBeUndefined()
    const outside = name === 'characters of a header' ? [most + 4] : [least - 1, most + 1]
    for (const length of outside) expect(rejection(envelope(length))).toMatchObject({ code: 'request.malformed' })
  })

  test('with 17 recipients, and with 1,800', () => {
    for (const count of [17, 1_800]) {
      const recipients = Array.from({ length: count }, () => ({
        encrypted_key: noise(80),
        header: { kid: unknownKid() },
      }))
      expect(rejection(altered((header) => ({ ...header, recipients })))).toMatchObject({ code: 'request.malformed' })
    }
  })

  test('for any corruption, with a 400', () => {
    const header = readHeader(readEnvelope(authcrypt))
    const spoiltHeader = corrupted(header).map((whole) => ({ ...authcrypt, protected: base64url(whole) }))
    fc.assert(
      fc.property(fc.oneof(spoiltHeader, corrupted(authcrypt), oddValue), (body) => {
        const error = rejection(body)
        expect(error === undefined || isAgentError(error, 'request.malformed')).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

test('a very long kid takes no time', () => {
  const spent = processorTime()
  // As long as a header may be; base58 of that length would take 100 ms to decode.
  for (let time = 0; time < 300; time++)
    expect(rejection(withRecipient({ kid: 'z'.repeat(11_000) }))).toMatchObject({ code: 'request.malformed' })
  expect(spent()).toBeLessThan(MAX_LINEAR_MS)
})
