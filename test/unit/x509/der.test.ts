/** DER that is hostile is rejected before OpenSSL sees it, in little time. */
import { KeyUsagesExtension, SubjectAlternativeNameExtension } from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { readCertificate } from '../../../lib/x509/certificate.ts'
import { decodeCertificate } from '../../../lib/x509/decode.ts'
import { CertificateError, elementsOf, parseDer, timeOf } from '../../../lib/x509/der.ts'
import { caExtension, der, make } from '../../support/certificates.ts'
import { MAX_LINEAR_MS, processorTime } from '../../support/processor-time.ts'

const nested = (depth: number): Buffer => {
  let bytes: Buffer = Buffer.alloc(0)
  for (let level = 0; level < depth; level++) bytes = der(0x30, bytes)
  return bytes
}

test.each<[string, string | Buffer]>([
  ['nothing', ''],
  ['a length beyond the end', '3003020101ff'.slice(0, 8)],
  ['a length of a length beyond the end', '3083ffff'],
  ['4 GiB', '3084ffffffff'],
  ['a length of 127 octets', '30ff'],
  ['an indefinite length', '30800000'],
  ['a long form of a short length', '30810101'],
  ['a length with a zero before it', `30820080${'00'.repeat(128)}`],
  ['a tag of several octets', '3f8101003000'],
  ['a second element', '30003000'],
  ['17 levels', nested(17)],
  ['4,000 levels', nested(4000)],
  ['2,001 parts', der(0x30, ...Array.from({ length: 2001 }, () => Buffer.from('0500', 'hex')))],
  [
    'parts in parts',
    der(0x30, ...Array.from({ length: 60 }, () => der(0x30, ...Array(60).fill(Buffer.from('0500', 'hex'))))),
  ],
])('%s is not read', (_, bytes) => {
  expect(() => parseDer(typeof bytes === 'string' ? Buffer.from(bytes, 'hex') : bytes)).toThrow(CertificateError)
})

test('15 levels, 2,000 parts and a length of three octets are read', () => {
  expect(parseDer(nested(15)).tag).toBe(0x30)
  expect(elementsOf(Buffer.from('0500'.repeat(2000), 'hex'))).toHaveLength(2000)
  expect(parseDer(Buffer.concat([Buffer.from('0483010000', 'hex'), Buffer.alloc(65_536)])).value).toHaveLength(65_536)
})

describe('a time', () => {
  const at = (tag: number, text: string) => timeOf(elementsOf(der(tag, Buffer.from(text)))[0])

  test.each<[number, string, string]>([
    [0x17, '491231235959Z', '2049-12-31T23:59:59.000Z'],
    [0x17, '500101000000Z', '1950-01-01T00:00:00.000Z'],
    [0x18, '20500101000000Z', '2050-01-01T00:00:00.000Z'],
    [0x18, '00490101000000Z', '0049-01-01T00:00:00.000Z'],
    [0x18, '99991231235959Z', '9999-12-31T23:59:59.000Z'],
  ])('of tag %i, %s, is %s', (tag, text, iso) => expect(at(tag, text).toISOString()).toBe(iso))

  test.each<[number, string]>([
    [0x17, '991399000000Z'],
    [0x17, '270229000000Z'],
    [0x17, '2701010000Z'],
    [0x17, '270101000000+0100'],
    [0x17, ''],
    [0x18, '270101000000Z'],
    [0x18, '20500101000000.5Z'],
    [0x18, '2050-01-01T00:00:00.000Z'],
    [0x18, '20500101240000Z'],
    [0x16, '270101000000Z'],
  ])('of tag %i, %j, is not one', (tag, text) => expect(() => at(tag, text)).toThrow(CertificateError))
})

describe('a certificate', () => {
  const reasonOf = (text: string): string => {
    try {
      decodeCertificate(readCertificate(text))
      return ''
    } catch (error) {
      if (error instanceof CertificateError) return error.message
      throw error
    }
  }

  test('of 64 KiB, or nested deeply, is rejected immediately', () => {
    const large = Buffer.alloc(65_536, 0x30).toString('base64')
    const deep = nested(4000).toString('base64')
    expect([reasonOf(large), reasonOf(deep)]).toEqual([
      'has over 16384 bytes',
      'is nested too deeply, or has too many parts',
    ])
    const time = processorTime()
    for (let run = 0; run < 1000; run++) reasonOf(run % 2 === 0 ? large : deep)
    expect(time()).toBeLessThan(MAX_LINEAR_MS)
  })

  test.each([
    '',
    ' ',
    'ä',
    '-----BEGIN CERTIFICATE-----',
    'MIIB$',
    '{}',
    '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
  ])('is not %j', (text) => expect(reasonOf(text)).toBe('is not base64 of DER'))

  test('is read from base64, with line breaks or without, and from PEM, but only one', async () => {
    const { base64 } = await make({})
    const lines = base64.replaceAll(/.{64}/g, '$&\r\n')
    const pem = `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
    for (const text of [base64, lines, pem]) expect(readCertificate(text).base64).toBe(base64)
    expect(reasonOf(pem + pem)).toBe('is not base64 of DER')
    expect(
      reasonOf(Buffer.concat([Buffer.from(base64, 'base64'), Buffer.from('0500', 'hex')]).toString('base64')),
    ).toBe('is not DER')
  })

  test('that is changed in any octet is read or rejected, and never an internal error', async () => {
    const extensions = [
      caExtension(1),
      new KeyUsagesExtension(4, true),
      new SubjectAlternativeNameExtension([{ type: 'dns', value: 'a.example' }]),
    ]
    const { der: bytes } = await make({ extensions })
    for (let at = 0; at < bytes.length; at++)
      for (const change of [0x01, 0x80, 0xff]) {
        const changed = Buffer.from(bytes)
        changed[at] = (changed[at] ?? 0) ^ change
        reasonOf(changed.toString('base64'))
      }
  })
})
