/** Certificates over HTTP: made below a root, imported with their chain, shown and decoded; never with their key. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { KeyUsageFlags, KeyUsagesExtension } from '@peculiar/x509'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/api/client.ts'
import { expectExample } from '../support/api/example.ts'
import { api, expectError, globex, tokens, tokenWith } from '../support/api/scene.ts'
import { type CertificateWithKeys, extension, make, makeCa, newKeys } from '../support/certificates.ts'

const newTenant = async (label: string): Promise<string> => {
  const { body } = await api.post('/multi-tenancy/create-tenant', {
    token: tokens.rootWithTenants,
    body: { config: { label } },
  })
  return tokenWith({ role: 'RestTenantAgent', tenantId: body.id })
}

const token = await newTenant('Acme')
const create = (body: object, as = token) => api.post('/x509', { token: as, body })
const importing = (body: object, as = token) => api.post('/x509/import', { token: as, body })
const decode = (certificate: string) => api.post('/x509/decode', { token, body: { certificate } })
/** What the schema does not take, or the handler. */
const expectFields = ({ status, body }: Answer, fields: string[]) => {
  const paths = body.details?.map(({ path }: { path: string }) => path)
  expect({ status, paths: [...new Set(paths)] }).toEqual({ status: 422, paths: fields })
}
const NOT_FOUND = { message: 'there is no such record' }
const CA = { basicConstraints: { ca: true, pathLenConstraint: 0 } }
const bodyOf = ({ base64, privateKey }: CertificateWithKeys, ...chain: CertificateWithKeys[]) => ({
  certificate: base64,
  ...(chain.length > 0 && { chain: chain.map((one) => one.base64) }),
  keyType: 'P-256',
  privateKey,
})

const rootAnswer = await create({
  issuer: { countryName: 'DE', organizationName: '#Acme', commonName: 'Root' },
  extensions: CA,
})
const root = rootAnswer.body
const access = await makeCa({ subject: 'CN=Access CA', by: await makeCa() })

const LARGE = Buffer.alloc(65_536, 0x30).toString('base64')
const NAME_CONSTRAINTS = extension('2.5.29.30', '3000')
const P384 = { name: 'ECDSA', namedCurve: 'P-384' }
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 1024, publicExponent: new Uint8Array([3]) }
const ended = { subject: 'CN=Access CA', from: -3, to: -1 }
const leaf = await make({ by: access })
const other = await make({})
const anchor = await makeCa({ subject: 'CN=Anchor' })
const rsa = await make({ keys: await newKeys(RSA) })
const pkcs8 = ({ privateKey }: CertificateWithKeys) => Buffer.from(privateKey, 'base64')
// The private half of one key with the public half of the certificate's, which Node does not compare.
const halves = Buffer.concat([pkcs8(other).subarray(0, -65), pkcs8(leaf).subarray(-65)])
const encrypted = (made: CertificateWithKeys): string =>
  createPrivateKey({ key: pkcs8(made), format: 'der', type: 'pkcs8' })
    .export({ format: 'der', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString('base64')

describe('POST /x509', () => {
  test('makes a root of ten years, which begins with the day', async () => {
    expect(rootAnswer.status).toBe(200)
    const certificate = new X509Certificate(Buffer.from(root.publicCertificateBase64, 'base64'))
    expect(certificate.subject).toBe('C=DE\nO=\\#Acme\nCN=Root')
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)]
    expect(from.toISOString()).toBe(`${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`)
    expect(to.getUTCFullYear() - from.getUTCFullYear()).toBe(10)
    await expectExample(rootAnswer)
  })

  test('makes a leaf below a root, with names, purposes and dates', async () => {
    const validity = {
      notBefore: '2026-01-01T10:20:30.400Z',
      notAfter: new Date(Date.now() + 40 * 86_400_000).toISOString(),
    }
    const names = [
      { type: 'dns', value: 'verifier.example' },
      { type: 'url', value: 'https://verifier.example/a' },
    ]
    const extensions = {
      subjectAlternativeName: { name: names },
      extendedKeyUsage: { usages: ['1.0.18013.5.1.6'], markAsCritical: true },
      keyUsage: { usages: ['digitalSignature', 'nonRepudiation'] },
    }
    const made = await create({
      issuerCertificateId: root.keyId,
      subject: 'CN=Verifier, O=Acme',
      serialNumber: '1ff',
      validity,
      extensions,
    })
    const leaf = new X509Certificate(Buffer.from(made.body.publicCertificateBase64, 'base64'))
    const issuer = new X509Certificate(Buffer.from(root.publicCertificateBase64, 'base64'))
    expect([leaf.checkIssued(issuer), leaf.verify(issuer.publicKey), leaf.ca]).toEqual([true, true, false])
    const shown = await api.get(`/x509/${made.body.keyId}`, { token })
    expect(shown.body).toMatchObject({
      ...{ id: made.body.keyId, keyId: made.body.keyId, chain: [made.body.publicCertificateBase64], state: 'valid' },
      ...{ subject: 'CN=Verifier, O=Acme', issuer: 'C=DE, O=\\#Acme, CN=Root', serialNumber: '01FF', isCa: false },
      ...{
        dnsNames: ['verifier.example'],
        uris: ['https://verifier.example/a'],
        extendedKeyUsage: ['1.0.18013.5.1.6'],
      },
      ...{ keyUsage: ['digitalSignature', 'nonRepudiation'], notBefore: '2026-01-01T10:20:30.000Z' },
    })
    await expectExample(shown)
  })

  test.each<[string, string[], object]>([
    ['a seed', ['authorityKey.seed'], { issuer: 'CN=A', authorityKey: { keyType: 'P-256', seed: 'a'.repeat(32) } }],
    ['another curve', ['subjectPublicKey.keyType'], { issuer: 'CN=A', subjectPublicKey: { keyType: 'Ed25519' } }],
    ['no issuer', ['issuer'], { subject: 'CN=A' }],
    ['two issuers', ['issuer'], { issuer: 'CN=A', issuerCertificateId: root.keyId }],
    ['another subject', ['subject'], { issuer: 'CN=A', subject: 'CN=B' }],
    ['an empty subject', ['subject'], { issuer: {} }],
    ['a subject of no part', ['subject'], { issuer: '.=' }],
    ['a line break in a text', ['issuer'], { issuer: 'CN=A\nO=B' }],
    ['no root', ['issuerCertificateId'], { issuerCertificateId: 'none', subject: 'CN=A' }],
    [
      'a root below a root',
      ['extensions.basicConstraints.ca'],
      { issuerCertificateId: root.keyId, subject: 'CN=A', extensions: CA },
    ],
    [
      'a path length of a leaf',
      ['extensions.basicConstraints.pathLenConstraint'],
      { issuer: 'CN=A', extensions: { basicConstraints: { ca: false, pathLenConstraint: 1 } } },
    ],
    [
      'a leaf that signs certificates',
      ['extensions.keyUsage.usages'],
      { issuer: 'CN=A', extensions: { keyUsage: { usages: ['keyCertSign'] } } },
    ],
    [
      'a root that signs none',
      ['extensions.keyUsage.usages'],
      { issuer: 'CN=A', extensions: { ...CA, keyUsage: { usages: ['digitalSignature'] } } },
    ],
    ['an end that is over', ['validity.notAfter'], { issuer: 'CN=A', validity: { notAfter: '2020-01-01T00:00:00Z' } }],
    [
      'an end after the root’s',
      ['validity.notAfter'],
      { issuerCertificateId: root.keyId, subject: 'CN=A', validity: { notAfter: '2099-01-01T00:00:00Z' } },
    ],
    [
      'a beginning that is to come',
      ['validity.notBefore'],
      { issuer: 'CN=A', validity: { notBefore: '2098-01-01T00:00:00Z', notAfter: '2099-01-01T00:00:00Z' } },
    ],
    [
      'a name with a space',
      ['extensions.subjectAlternativeName.name.0'],
      {
        issuer: 'CN=A',
        extensions: { subjectAlternativeName: { name: [{ type: 'url', value: 'https://ä.example' }] } },
      },
    ],
    [
      'too much',
      ['extensions'],
      {
        issuer: 'CN=A',
        extensions: {
          subjectAlternativeName: {
            name: Array(20).fill({ type: 'url', value: `https://a.example/${'a'.repeat(2000)}` }),
          },
        },
      },
    ],
  ])('does not take %s', async (_, fields, body) => expectFields(await create(body), fields))

  test('makes nothing below a leaf, or below a CA that is not a root', async () => {
    const single = (await create({ issuer: 'CN=Leaf' })).body
    expectFields(await create({ issuerCertificateId: single.keyId, subject: 'CN=A' }), ['issuerCertificateId'])
    const middle = (await importing(bodyOf(access))).body
    expectFields(await create({ issuerCertificateId: middle.keyId, subject: 'CN=A' }), ['issuerCertificateId'])
  })

  test('of 2060 is written as GeneralizedTime', async () => {
    const { body } = await create({
      issuer: 'CN=Long',
      validity: { notAfter: '2060-01-02T03:04:05.678Z' },
      extensions: CA,
    })
    const decoded = await decode(body.publicCertificateBase64)
    expect(decoded.body.x509Certificate.asn.tbsCertificate.validity.notAfter).toEqual({
      generalTime: '2060-01-02T03:04:05.000Z',
    })
  })
})

describe('POST /x509/import', () => {
  test('takes a certificate with its chain and its key, and does not show the key', async () => {
    const own = await make({ subject: 'CN=Relying Party', by: access })
    const answer = await importing(bodyOf(own, access))
    expect(answer).toMatchObject({ status: 200, body: { issuerCertificate: own.base64 } })
    const shown = await api.get(`/x509/${answer.body.keyId}`, { token })
    expect(shown.body).toMatchObject({
      chain: [own.base64, access.base64],
      subject: 'CN=Relying Party',
      issuer: 'CN=Access CA',
    })
    const { d = '' } = (await crypto.subtle.exportKey('jwk', own.keys.privateKey)) as { d?: string }
    for (const secret of [d, own.privateKey, own.privateKey.slice(40, 90)])
      expect(answer.text + shown.text).not.toContain(secret)
    await expectExample(answer)
  })

  test.each<[string, string[], () => object | Promise<object>]>([
    ['another key', ['privateKey'], () => ({ ...bodyOf(leaf), privateKey: other.privateKey })],
    ['half of another key', ['privateKey'], () => ({ ...bodyOf(leaf), privateKey: halves.toString('base64') })],
    ['a key that is not DER', ['privateKey'], () => ({ ...bodyOf(leaf), privateKey: 'AAAA' })],
    ['an encrypted key', ['privateKey'], () => ({ ...bodyOf(leaf), privateKey: encrypted(leaf) })],
    ['an RSA key', ['privateKey'], () => ({ ...bodyOf(leaf), privateKey: rsa.privateKey })],
    ['a key on P-384', ['privateKey'], async () => bodyOf(await make({ algorithm: P384 }))],
    ['another type of key', ['keyType'], () => ({ ...bodyOf(leaf), keyType: 'Ed25519' })],
    ['a certificate with an RSA key', ['certificate'], () => ({ ...bodyOf(leaf), certificate: rsa.base64 })],
    ['an expired certificate', ['certificate'], async () => bodyOf(await make({ from: -3, to: -1 }))],
    [
      'an expired one above it',
      ['certificate'],
      async () => bodyOf(leaf, await makeCa({ ...ended, keys: access.keys })),
    ],
    ['a chain of another certificate', ['certificate'], () => bodyOf(leaf, anchor)],
    ['an anchor in the chain', ['certificate'], async () => bodyOf(await make({ by: anchor }), anchor)],
    ['a leaf above it', ['certificate'], async () => bodyOf(await make({ by: leaf }), leaf)],
    ['five above it', ['chain'], () => bodyOf(leaf, access, access, access, access, access)],
    ['one above it that is not read', ['chain.1'], () => ({ ...bodyOf(leaf), chain: [access.base64, 'AAAA'] })],
    ['name constraints', ['certificate'], async () => bodyOf(await make({ extensions: [NAME_CONSTRAINTS] }))],
    ['a certificate of 64 KiB', ['certificate'], () => ({ ...bodyOf(leaf), certificate: LARGE })],
  ])('does not take %s', async (_, fields, body) => expectFields(await importing(await body()), fields))
})

describe('POST /x509/decode', () => {
  test('shows key and dates as credo-controller does, and names and usage', async () => {
    const extensions = [new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true)]
    const { base64 } = await make({ subject: 'CN=Acme', by: access, extensions })
    const answer = await decode(base64)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        publicJwk: { jwk: { jwk: { kty: 'EC', crv: 'P-256' } } },
        x509Certificate: {
          asn: { tbsCertificate: { validity: { notAfter: { utcTime: expect.stringMatching(/Z$/) } } } },
        },
        ...{ subject: 'CN=Acme', issuer: 'CN=Access CA', isCa: false, keyUsage: ['digitalSignature'] },
      },
    })
    await expectExample(answer)
  })

  test('reads Ed25519, and a certificate without a subject that is expired', async () => {
    const { base64 } = await make({ algorithm: { name: 'Ed25519' }, subject: '', from: -3, to: -1 })
    expect(await decode(base64)).toMatchObject({
      status: 200,
      body: { publicJwk: { jwk: { jwk: { crv: 'Ed25519' } } }, subject: '' },
    })
  })

  test.each([
    ['nothing', ''],
    ['no certificate', 'MIIBAAAA'],
    ['a length beyond the end', Buffer.from('3082ffff3000', 'hex').toString('base64')],
    ['4,000 levels', Buffer.from('3080'.repeat(4000), 'hex').toString('base64')],
    ['64 KiB', LARGE],
  ])('does not take %s', async (_, certificate) => expectFields(await decode(certificate), ['certificate']))
})

test('a certificate of another agent is not shown, listed, deleted, or an issuer', async () => {
  const own = (await create({ issuer: 'CN=Own', extensions: CA })).body
  const path = `/x509/${own.keyId}`
  expectError(await api.get(path, { token: globex.token }), 404, NOT_FOUND)
  expectError(await api.delete(path, { token: globex.token }), 404, NOT_FOUND)
  expect((await api.get('/x509', { token: globex.token })).text).not.toContain(own.keyId)
  expectFields(await create({ issuerCertificateId: own.keyId, subject: 'CN=A' }, await newTenant('Other')), [
    'issuerCertificateId',
  ])
  expect((await api.get(path, { token })).status).toBe(200)
})

test('the 21st is one too many, until another is deleted; a deleted one is gone', async () => {
  const full = await newTenant('Full')
  const first = (await create({ issuer: 'CN=1' }, full)).body
  for (let count = 2; count <= 20; count++) expect((await create({ issuer: `CN=${count}` }, full)).status).toBe(200)
  for (const refused of [await create({ issuer: 'CN=21' }, full), await importing(bodyOf(await make({})), full)])
    expectError(refused, 409, { message: 'there are 20 certificates, which is the maximum' })
  const list = await api.get('/x509?limit=2', { token: full })
  expect(list.body.map(({ subject }: { subject: string }) => subject)).toEqual(['CN=1', 'CN=2'])
  await expectExample(list)
  const deleted = await api.delete(`/x509/${first.keyId}`, { token: full })
  expect(deleted.status).toBe(204)
  expectError(await api.get(`/x509/${first.keyId}`, { token: full }), 404, NOT_FOUND)
  expectError(await api.delete(`/x509/${first.keyId}`, { token: full }), 404, NOT_FOUND)
  expect((await create({ issuer: 'CN=21' }, full)).status).toBe(200)
})
