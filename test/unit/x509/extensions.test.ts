/** The six extensions are read strictly; name constraints and other critical extensions are rejected. */
import * as x509 from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { readCertificate } from '../../../lib/x509/certificate.ts'
import { decodeCertificate } from '../../../lib/x509/decode.ts'
import { extension, make } from '../../support/certificates.ts'

const extensionsOf = async (...extensions: x509.Extension[]) =>
  readCertificate((await make({ extensions })).base64).extensions

describe('are read', () => {
  test('all six', async () => {
    const { keys } = await make({})
    expect(
      await extensionsOf(
        new x509.BasicConstraintsExtension(true, 200, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.decipherOnly, true),
        new x509.ExtendedKeyUsageExtension(['1.0.18013.5.1.6', '2.999.1'], true),
        new x509.SubjectAlternativeNameExtension(
          [
            { type: 'dns', value: 'a.example' },
            { type: 'email', value: 'a@a.example' },
            { type: 'url', value: 'https://a.example' },
          ],
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      ),
    ).toEqual({
      ca: { isCa: true, pathLength: 200 },
      keyUsage: ['digitalSignature', 'decipherOnly'],
      extendedKeyUsage: ['1.0.18013.5.1.6', '2.999.1'],
      dnsNames: ['a.example'],
      uris: ['https://a.example'],
      subjectKeyId: expect.stringMatching(/^[\w-]{27}$/),
      authorityKeyId: expect.stringMatching(/^[\w-]{27}$/),
    })
  })

  test.each<[string, string, object]>([
    ['no CA', '3000', { isCa: false }],
    ['no CA, said', '3003010100', { isCa: false }],
    ['a CA of another octet', '3003010101', { isCa: false }],
    ['a path length of a CA', '30060101ff020100', { isCa: true, pathLength: 0 }],
    ['one with a zero before it', '30070101ff02020000', { isCa: true, pathLength: 0 }],
    ['a negative one', '30060101ff0201ff', { isCa: true, pathLength: -1 }],
    ['an empty one', '30050101ff0200', { isCa: true, pathLength: -1 }],
    ['a large one', '300e0101ff02097fffffffffffffffff', { isCa: true, pathLength: 2 ** 71 }],
  ])('basic constraints: %s', async (_, hex, ca) => {
    expect((await extensionsOf(extension('2.5.29.19', hex, true))).ca).toEqual(ca)
  })

  test('names that no one compares are not critical: other extensions pass', async () => {
    expect(await extensionsOf(extension('2.5.29.31', '3000'), extension('1.2.3', '0500'))).toEqual({})
  })

  test('no extension, and no subject', async () => {
    const certificate = readCertificate((await make({ subject: '', issuerName: 'CN=Acme' })).base64)
    expect(decodeCertificate(certificate)).toMatchObject({ subject: '', issuer: 'CN=Acme', isCa: false, dnsNames: [] })
  })

  test('a name with line breaks, in one line', async () => {
    const { base64 } = await make({ subject: [{ CN: ['a\nO=b'] }, { O: ['c'] }] })
    expect(readCertificate(base64).subject).toBe('CN=a\\0AO=b, O=c')
  })
})

test.each<[string, RegExp, x509.Extension[]]>([
  ['name constraints', /name constraints/, [extension('2.5.29.30', '3000')]],
  ['critical name constraints', /name constraints/, [extension('2.5.29.30', '3000', true)]],
  ['critical certificate policies', /critical extension 2\.5\.29\.32,/, [extension('2.5.29.32', '3000', true)]],
  ['an unknown critical extension', /critical extension 1\.2\.3\.4,/, [extension('1.2.3.4', '0500', true)]],
  ['basic constraints twice', /twice/, [extension('2.5.29.19', '30030101ff'), extension('2.5.29.19', '3000')]],
  ['more in basic constraints', /not DER/, [extension('2.5.29.19', '30090101ff020100020100')]],
  ['a text as path length', /not DER/, [extension('2.5.29.19', '30060101ff0c0130')]],
  ['key usage in its padding', /not DER/, [extension('2.5.29.15', '03020706')]],
  ['key usage with 8 unused bits', /not DER/, [extension('2.5.29.15', '03020806')]],
  ['key usage without octets', /not DER/, [extension('2.5.29.15', '0300')]],
  ['an alternative name beyond the end', /not DER/, [extension('2.5.29.17', '30058203612e')]],
  ['two alternative names', /not DER/, [extension('2.5.29.17', '30003000')]],
  ['an identifier of text', /not DER/, [extension('2.5.29.14', '0c0161')]],
  ['a purpose that does not end', /not DER/, [extension('2.5.29.37', '3003060181')]],
  ['a purpose with a zero before a number', /not DER/, [extension('2.5.29.37', '300506032a8001')]],
])('%s: rejected', async (_, reason, extensions) => {
  const { base64 } = await make({ extensions })
  expect(() => readCertificate(base64)).toThrow(reason)
})
