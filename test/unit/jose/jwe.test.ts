import { createPublicKey } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { CompactEncrypt } from 'jose'
import { expect, test } from 'vitest'
import { JoseError } from '../../../lib/jose/errors.ts'
import { decryptJwe } from '../../../lib/jose/jwe.ts'
import { base64url, newKey } from '../../support/openid/jwts.ts'

const { privateKey } = newKey()

const encrypt = (header: object = {}, text: string | Uint8Array = 'text', key = privateKey) =>
  new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A128GCM', ...header } as never)
    .encrypt(createPublicKey(key))
const decrypt = (text: unknown) => decryptJwe(text, privateKey, 'k1')

/** With a header that jose would not make. */
const withHeader = async (change: object) => {
  const [header = '', ...parts] = (await encrypt()).split('.')
  return [base64url({ ...JSON.parse(Buffer.from(header, 'base64url').toString()), ...change }), ...parts].join('.')
}

test.each([{ enc: 'A128GCM' }, { enc: 'A256GCM' }, { kid: 'k1' }, { apu: 'AA', apv: 'AQ', typ: 'JWT' }])(
  'what jose encrypts with %j is decrypted',
  async (header) => expect(await decrypt(await encrypt(header, 'Größe'))).toBe('Größe'),
)

test.each<[string, () => unknown, RegExp]>([
  ['a number', () => 5, /not a text/],
  ['a JWT', () => 'e30.e30.AA', /compact form/],
  ['over 256 Ki characters', async () => `${await encrypt()}${'A'.repeat(256 * 1024)}`, /over 262144/],
  ['a key that is wrapped', () => encrypt({ alg: 'ECDH-ES+A128KW' }), /compact form/],
  ['such an algorithm without the key', () => withHeader({ alg: 'ECDH-ES+A128KW' }), /algorithm/],
  ['RSA1_5', () => withHeader({ alg: 'RSA1_5' }), /algorithm/],
  ['dir', () => withHeader({ alg: 'dir' }), /algorithm/],
  ['a password', () => withHeader({ alg: 'PBES2-HS256+A128KW', p2c: 1e9, p2s: 'AA' }), /algorithm/],
  ['CBC', () => encrypt({ enc: 'A128CBC-HS256' }), /content encryption/],
  ['a list of encryptions', () => withHeader({ enc: ['A128GCM'] }), /content encryption/],
  ['p2c', () => encrypt({ p2c: 1e9 }), /p2c/],
  ['zip', () => withHeader({ zip: 'DEF' }), /zip/],
  [
    'zip of a bomb',
    async () =>
      (await encrypt({}, deflateRawSync(Buffer.alloc(1e6)))).replace(
        /^[^.]+/,
        base64url({ alg: 'ECDH-ES', enc: 'A128GCM', zip: 'DEF' }),
      ),
    /zip/,
  ],
  ['crit', () => withHeader({ crit: ['exp'], exp: 1 }), /crit/],
  ['the id of another key', () => encrypt({ kid: 'k2' }), /another key/],
  ['an id that is no text', () => encrypt({ kid: ['k1'] }), /another key/],
  ['another key', () => encrypt({}, 'text', newKey().privateKey), /cannot be decrypted/],
  ['a changed header', () => withHeader({ apu: 'AA' }), /cannot be decrypted/],
  [
    'a key off its curve',
    () => withHeader({ epk: { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'A'.repeat(43) } }),
    /cannot be decrypted/,
  ],
  ['a key on another curve', () => withHeader({ epk: newKey('P-384').jwk }), /cannot be decrypted/],
  ['no key', () => withHeader({ epk: undefined }), /cannot be decrypted/],
  ['bytes that are not UTF-8', () => encrypt({}, Uint8Array.of(0xff)), /cannot be decrypted/],
])('a JWE with %s is rejected', async (_, make, message) => {
  const text = await make()
  await expect(decrypt(text)).rejects.toThrow(message)
  await expect(decrypt(text)).rejects.toThrow(JoseError)
})
