/** Chains of certificates: each attack on one is rejected, with its reason. */
import { generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto'
import { KeyUsageFlags, KeyUsagesExtension } from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import { readCertificate } from '../../../lib/x509/certificate.ts'
import { checkChain, checkOwnChain, isSelfSigned } from '../../../lib/x509/chain.ts'
import { type CertificateWithKeys, extension, make, makeCa, newKeys, read } from '../../support/certificates.ts'

const check = (chain: CertificateWithKeys[], trusted: CertificateWithKeys[], at?: Date) =>
  checkChain(chain.map(read), trusted.map(read), at).subject
const checkOwn = (...chain: CertificateWithKeys[]) => checkOwnChain(chain.map(read))
const usage = (flags: KeyUsageFlags) => new KeyUsagesExtension(flags, true)
const { digitalSignature, keyCertSign, keyEncipherment, cRLSign } = KeyUsageFlags

const root = await makeCa()
const middle = await makeCa({ subject: 'CN=Middle', by: root })
const leaf = await make({ by: middle })

describe('a chain is good', () => {
  test('to the root, which may be there, too', () => {
    expect(check([leaf, middle], [root])).toBe('CN=Root')
    expect(check([leaf, middle, root], [root])).toBe('CN=Root')
  })

  test('to an intermediate certificate that is trusted, whatever follows', async () => {
    expect(check([leaf], [middle])).toBe('CN=Middle')
    expect(check([leaf, middle, await make({})], [middle])).toBe('CN=Middle')
  })

  test('for a trusted leaf, of which nothing but key and validity counts', async () => {
    const bare = await make({ extensions: [usage(keyEncipherment)] })
    expect(check([bare], [bare])).toBe('CN=Acme')
    expect(check([leaf, root], [leaf])).toBe('CN=Acme')
    expect(() => check([bare], [bare], new Date(0))).toThrow(/not valid before/)
  })

  test.each([
    ['P-384', { name: 'ECDSA', namedCurve: 'P-384' }],
    ['P-521', { name: 'ECDSA', namedCurve: 'P-521' }],
    ['Ed25519', { name: 'Ed25519' }],
  ])('of %s', async (_, algorithm) => {
    const ca = await makeCa({ algorithm })
    expect(check([await make({ by: ca })], [await makeCa(), root, ca])).toBe('CN=Root')
  })

  test('below the one of two roots of a name that has signed, also where it was renewed with its key', async () => {
    const ended = await makeCa({ keys: root.keys, from: -20, to: -10 })
    expect(check([leaf, middle], [await makeCa(), ended, root])).toBe('CN=Root')
    expect(() => check([leaf, middle], [ended])).toThrow(/Root has expired/)
  })

  test('with key identifiers and usages that fit', async () => {
    const ca = await makeCa({ extensions: [usage(keyCertSign), extension('2.5.29.14', '04020102')] })
    const signed = await make({ by: ca, extensions: [extension('2.5.29.35', '300480020102'), usage(digitalSignature)] })
    expect(check([signed], [ca])).toBe('CN=Root')
    const other = await make({ by: ca, extensions: [extension('2.5.29.35', '300480020103')] })
    expect(() => check([other], [ca])).toThrow(/leads to no trusted/)
  })
})

describe('a chain is rejected', () => {
  test('of none, of six, and with one twice', async () => {
    let last = root
    const path: CertificateWithKeys[] = []
    for (let depth = 0; depth < 6; depth++) {
      last = await makeCa({ subject: `CN=${depth}`, by: last })
      path.unshift(last)
    }
    expect(check(path.slice(1), [root])).toBe('CN=Root')
    for (const chain of [path, [], [leaf, middle, middle], [leaf, middle, leaf]])
      expect(() => check(chain, [root])).toThrow(/needs a chain of 1 to 5/)
  })

  test('that goes round', async () => {
    const [a, b] = [await makeCa({ subject: 'CN=A' }), await makeCa({ subject: 'CN=B' })]
    const [ab, ba] = [
      await makeCa({ subject: 'CN=A', keys: a.keys, by: b }),
      await makeCa({ subject: 'CN=B', keys: b.keys, by: a }),
    ]
    const end = await make({ by: ab })
    expect(() => check([end, ab, ba], [root])).toThrow(/CN=B leads to no trusted/)
  })

  test('to a foreign root of the same name, and for a name that another has signed for', async () => {
    const namesake = await makeCa()
    expect(() => check([leaf, middle], [namesake])).toThrow(/leads to no trusted/)
    expect(() => check([leaf, middle], [])).toThrow(/leads to no trusted/)
    const foreign = await makeCa({ subject: 'CN=Foreign' })
    const claimed = await make({ issuerName: 'CN=Root', by: foreign })
    expect(() => check([claimed], [root])).toThrow(/leads to no trusted/)
    expect(() => check([claimed, root], [root])).toThrow(/is not issued by the next/)
    expect(() => check([leaf, foreign], [foreign])).toThrow(/is not issued by the next/)
  })

  test('with a leaf as issuer, said or not', async () => {
    for (const extensions of [[], [extension('2.5.29.19', '3000')], [usage(keyCertSign)]]) {
      const issuer = await make({ subject: 'CN=Issuer', by: root, extensions })
      const below = await make({ by: issuer })
      expect(() => check([below, issuer], [root])).toThrow(/CN=Issuer is not a CA certificate/)
      expect(() => check([below], [issuer])).toThrow(/not a CA certificate|leads to no trusted/)
      expect(() => checkOwn(below, issuer)).toThrow(/CN=Issuer is not a CA certificate/)
    }
  })

  test('by a CA whose key usage lacks the signature of certificates', async () => {
    const ca = await makeCa({ subject: 'CN=Signs', by: root, extensions: [usage(cRLSign)] })
    const below = await make({ by: ca })
    expect(() => check([below, ca], [root])).toThrow(/CN=Signs may not sign certificates/)
    expect(() => check([below], [ca])).toThrow(/leads to no trusted/)
  })

  test('whose leaf may not sign', async () => {
    const silent = await make({ by: root, extensions: [usage(keyEncipherment)] })
    expect(() => check([silent], [root])).toThrow(/CN=Acme may not sign/)
  })

  test('beyond a path length, at the root and in the middle; one’s own key change does not count', async () => {
    const short = await makeCa({ pathLength: 0 })
    expect(check([await make({ by: short })], [short])).toBe('CN=Root')
    const below = await makeCa({ subject: 'CN=Below', by: short })
    const end = await make({ by: below })
    expect(() => check([end, below], [short])).toThrow(/Root does not allow a chain/)
    expect(() => check([end, below, short], [short])).toThrow(/Root does not allow a chain/)
    expect(check([end], [below])).toBe('CN=Below')
    const renewed = await makeCa({ by: short })
    expect(check([await make({ by: renewed }), renewed], [short])).toBe('CN=Root')
    const one = await makeCa({ pathLength: 1 })
    const [upper, lower] = [
      await makeCa({ subject: 'CN=Upper', by: one, pathLength: 0 }),
      await makeCa({ subject: 'CN=Lower', by: one }),
    ]
    const lowest = await makeCa({ subject: 'CN=Lowest', by: upper })
    expect(check([await make({ by: lower }), lower], [one])).toBe('CN=Root')
    expect(() => check([lowest, upper], [one])).not.toThrow()
    const deep = await make({ by: lowest })
    expect(() => check([deep, lowest, upper], [one])).toThrow(/CN=Upper does not allow a chain/)
  })

  test.each([
    ['the leaf', { from: -20, to: -10 }, {}, {}, /Acme has expired/],
    ['one in the middle', {}, { from: 10, to: 20 }, {}, /Middle is not valid before/],
    ['the root', {}, {}, { from: -20, to: -10 }, /Root has expired/],
  ])('at another time than that of %s', async (_, ofLeaf, ofMiddle, ofRoot, reason) => {
    const top = await makeCa(ofRoot)
    const between = await makeCa({ subject: 'CN=Middle', by: top, ...ofMiddle })
    const chain = [await make({ by: between, ...ofLeaf }), between]
    expect(() => check(chain, [top])).toThrow(reason)
  })

  test('to the second of its end', () => {
    const { notAfter } = read(leaf)
    expect(check([leaf], [leaf], notAfter)).toBe('CN=Acme')
    expect(() => check([leaf], [leaf], new Date(notAfter.getTime() + 1000))).toThrow(/has expired/)
  })

  test('of a changed certificate', () => {
    const changed = Buffer.from(leaf.der)
    changed.write('Evil', changed.lastIndexOf('Acme'))
    expect(() => check([{ ...leaf, base64: changed.toString('base64') }, middle], [root])).toThrow(
      /is not issued by the next/,
    )
  })
})

describe('one’s own chain', () => {
  test('is the certificate alone, or with those above it', async () => {
    expect(() => checkOwn(leaf)).not.toThrow()
    expect(() => checkOwn(leaf, middle)).not.toThrow()
    const alone = await make({})
    expect(() => checkOwn(alone)).not.toThrow()
  })

  test('has no anchor', () => {
    expect(() => checkOwn(leaf, middle, root)).toThrow(/trust anchor/)
  })

  test('is in order, and valid', async () => {
    expect(() => checkOwn(middle, leaf)).toThrow(/not a CA certificate/)
    expect(() => checkOwn(leaf, root)).toThrow(/is not issued by the next/)
    const early = await makeCa({ from: 1, to: 2 })
    expect(() => checkOwn(early)).toThrow(/not valid before/)
  })
})

test('a certificate is self-signed by name and signature, whatever its key is for', async () => {
  expect(isSelfSigned(read(await make({ extensions: [usage(digitalSignature)] })))).toBe(true)
  expect(isSelfSigned(read(await make({ by: root, subject: 'CN=Root' })))).toBe(false)
  expect(isSelfSigned(read(leaf))).toBe(false)
})

describe('a key is rejected', () => {
  const hex = (text: string) => Buffer.from(text, 'hex')
  /** The certificate with other bytes behind these. */
  const changed = ({ der }: CertificateWithKeys, from: Buffer, to: Buffer, more = 0) => {
    const bytes = Buffer.from(der)
    to.copy(bytes, bytes.lastIndexOf(from) + more)
    return bytes.toString('base64')
  }
  const unsupported = /type that is not supported/

  test('on another curve, with the identifier of P-256 or its own', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' })
    const point = publicKey.export({ format: 'der', type: 'spki' }).subarray(-65)
    const [p256, secp256k1] = [hex('06082a8648ce3d030107'), hex('06082a8648ce3d030101')]
    expect(() => readCertificate(changed(leaf, hex('034200'), point, 3))).toThrow('cannot be read')
    expect(() => readCertificate(changed(leaf, p256, secp256k1))).toThrow(unsupported)
  })

  test('of RSA with 16,384 bits, or whose issuer has signed with RSA', async () => {
    const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
    const n = Buffer.concat([hex('ff'), randomBytes(2046), hex('01')]).toString('base64url')
    const large = await webcrypto.subtle.importKey('jwk', { kty: 'RSA', n, e: 'AQAB' }, rsa, true, ['verify'])
    const { base64 } = await make({ by: root, keys: { publicKey: large, privateKey: root.keys.privateKey } })
    expect(base64.length).toBeGreaterThan(2700)
    expect(() => readCertificate(base64)).toThrow(unsupported)
    const keys = await newKeys({ ...rsa, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) })
    const signed = await make({ by: await make({ keys }) })
    expect(() => read(signed)).toThrow(/signature of a type that is not supported/)
  })

  test('whose certificate names two algorithms of its signature', () => {
    expect(() => readCertificate(changed(leaf, hex('2a8648ce3d040302'), hex('03'), 7))).toThrow(/two algorithms/)
  })
})
