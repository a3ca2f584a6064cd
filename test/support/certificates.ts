/** Certificates for tests, with whatever extensions, keys and dates. */
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { type Certificate, readCertificate } from '../../lib/x509/certificate.ts'

const P256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY = 24 * 60 * 60_000

/** A certificate with its keys, which may issue others. */
export interface CertificateWithKeys {
  der: Buffer
  base64: string
  keys: CryptoKeyPair
  /** PKCS #8 in base64. */
  privateKey: string
}

interface Content {
  subject?: string | x509.JsonName
  /** Name of an issuer other than `by`. */
  issuerName?: string
  by?: CertificateWithKeys
  keys?: CryptoKeyPair
  algorithm?: typeof P256 | { name: string; namedCurve?: string; hash?: string }
  extensions?: x509.Extension[]
  /** In days from now. */
  from?: number
  to?: number
}

type CryptoKeyPair = webcrypto.CryptoKeyPair

export const newKeys = (algorithm: object = P256) =>
  webcrypto.subtle.generateKey(algorithm as typeof P256, true, ['sign', 'verify']) as Promise<CryptoKeyPair>

const nameIn = ({ der }: CertificateWithKeys) => new x509.X509Certificate(der).subjectName

/** Makes a certificate; self-signed without `by`. */
export const make = async ({
  subject = 'CN=Acme',
  by,
  from = -1,
  to = 365,
  ...content
}: Content): Promise<CertificateWithKeys> => {
  const keys = content.keys ?? (await newKeys(content.algorithm))
  const made = await x509.X509CertificateGenerator.create({
    subject,
    issuer: content.issuerName ?? (by ? nameIn(by) : subject),
    notBefore: new Date(Date.now() + from * DAY),
    notAfter: new Date(Date.now() + to * DAY),
    publicKey: keys.publicKey,
    signingKey: (by?.keys ?? keys).privateKey,
    signingAlgorithm: { hash: 'SHA-256', ...((by?.keys ?? keys).privateKey.algorithm as object) } as typeof P256,
    extensions: content.extensions ?? [],
  })
  const der = Buffer.from(made.rawData)
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return { der, base64: der.toString('base64'), keys, privateKey: pkcs8.toString('base64') }
}

/** An extension by its identifier, with its DER in hexadecimal. */
export const extension = (oid: string, hex: string, critical = false): x509.Extension =>
  new x509.Extension(oid, critical, Buffer.from(hex, 'hex'))

export const caExtension = (pathLength?: number): x509.Extension =>
  new x509.BasicConstraintsExtension(true, pathLength, true)

/** A certification authority. */
export const makeCa = (content: Content & { pathLength?: number } = {}): Promise<CertificateWithKeys> =>
  make({ subject: 'CN=Root', ...content, extensions: [caExtension(content.pathLength), ...(content.extensions ?? [])] })

export const read = ({ base64 }: CertificateWithKeys): Certificate => readCertificate(base64)

/** DER of an element, from its tag and its parts. */
export const der = (tag: number, ...parts: Buffer[]): Buffer => {
  const { length } = Buffer.concat(parts)
  const octets = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...octets]), ...parts])
}
