/** X.509 certificates (RFC 5280) of keys on the curves that wallets use. */
import { type KeyObject, X509Certificate } from 'node:crypto'
import { CertificateError, contentsOf, type Element, elementsOf, oidOf, parseDer, TAG, timeOf } from './der.ts'
import { type Extensions, readExtensions } from './extensions.ts'

/** Bytes of one certificate. */
const MAX_BYTES = 16 * 1024

/** A parsed certificate. Only `chain.ts` decides whether it is trusted. */
export interface Certificate {
  /** Base64 of the DER, as in `x5c` (RFC 7515, section 4.1.6). */
  base64: string
  x509: X509Certificate
  publicKey: KeyObject
  /** Names as Node writes them, in one line; empty for the empty name. */
  subject: string
  issuer: string
  extensions: Extensions
  notBefore: Date
  notAfter: Date
}

const EC_PUBLIC_KEY = '1.2.840.10045.2.1'
/** P-256, P-384, P-521. */
const CURVES = ['1.2.840.10045.3.1.7', '1.3.132.0.34', '1.3.132.0.35']
const ED25519 = '1.3.101.112'
/** ECDSA with SHA-256, SHA-384 and SHA-512; Ed25519. */
const SIGNATURES = ['1.2.840.10045.4.3.2', '1.2.840.10045.4.3.3', '1.2.840.10045.4.3.4', ED25519]

/** Throws for RSA, other curves, and curves that are spelled out. */
const assertSupportedKey = (subjectPublicKeyInfo: Element | undefined): void => {
  const [algorithm] = elementsOf(contentsOf(subjectPublicKeyInfo, TAG.sequence))
  const [id, curve] = elementsOf(contentsOf(algorithm, TAG.sequence))
  const oid = oidOf(id)
  if (oid === ED25519 && curve === undefined) return
  if (oid === EC_PUBLIC_KEY && curve?.tag === TAG.oid && CURVES.includes(oidOf(curve))) return
  throw new CertificateError('has a key of a type that is not supported: P-256, P-384, P-521 and Ed25519 are')
}

const VERSION = 0xa0
const UNIQUE_IDS = [0x81, 0x82]
const EXTENSIONS = 0xa3

/** What OpenSSL does not read, or not strictly; throws unless key and signature are of supported types. */
const readParts = (der: Buffer): Pick<Certificate, 'extensions' | 'notBefore' | 'notAfter'> => {
  const [tbs, algorithm, , ...more] = elementsOf(contentsOf(parseDer(der), TAG.sequence))
  const parts = elementsOf(contentsOf(tbs, TAG.sequence))
  if (parts[0]?.tag === VERSION) parts.shift()
  const [, signature, , validity, , subjectPublicKeyInfo, ...optional] = parts
  assertSupportedKey(subjectPublicKeyInfo)
  const [signatureId] = elementsOf(contentsOf(signature, TAG.sequence))
  if (more.length > 0 || algorithm === undefined || !signature?.raw.equals(algorithm.raw))
    throw new CertificateError('names two algorithms of its signature')
  if (!SIGNATURES.includes(oidOf(signatureId)))
    throw new CertificateError('has a signature of a type that is not supported: ECDSA with SHA-2 and Ed25519 are')
  const [notBefore, notAfter] = elementsOf(contentsOf(validity, TAG.sequence))
  const list = optional.find(({ tag }) => !UNIQUE_IDS.includes(tag))
  const extensions = list && readExtensions(contentsOf(parseDer(contentsOf(list, EXTENSIONS)), TAG.sequence))
  return { extensions: extensions ?? {}, notBefore: timeOf(notBefore), notAfter: timeOf(notAfter) }
}

/** Node writes each part of a name in a separate line, and no text for the empty name. */
const nameOf = (name: string | undefined): string => (name ?? '').replaceAll('\n', ', ')

/** Base64 with or without line breaks, or PEM with one certificate. */
const PEM = /^\s*-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----\s*$/
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const derOf = (text: string): Buffer => {
  if (text.length > 2 * MAX_BYTES) throw new CertificateError(`has over ${MAX_BYTES} bytes`)
  const base64 = (PEM.exec(text)?.[1] ?? text).replaceAll(/\s/g, '')
  if (!BASE64.test(base64)) throw new CertificateError('is not base64 of DER')
  return Buffer.from(base64, 'base64')
}

/** Reads a certificate from base64 or PEM. Throws a CertificateError, whose message goes on from "the certificate". */
export const readCertificate = (text: string): Certificate => {
  const der = derOf(text)
  if (der.length > MAX_BYTES) throw new CertificateError(`has over ${MAX_BYTES} bytes`)
  const parts = readParts(der)
  try {
    const x509 = new X509Certificate(der)
    const [subject, issuer] = [nameOf(x509.subject), nameOf(x509.issuer)]
    return { base64: der.toString('base64'), x509, publicKey: x509.publicKey, subject, issuer, ...parts }
  } catch {
    throw new CertificateError('cannot be read')
  }
}

/** Whether an issuer's URL is one of a certificate's names: itself, or its host. */
export const hasIssuerName = (
  { dnsNames = [], uris = [] }: Pick<Extensions, 'dnsNames' | 'uris'>,
  iss: unknown,
): boolean => {
  if (typeof iss !== 'string') return false
  const url = URL.parse(iss)
  return uris.includes(iss) || (url?.protocol === 'https:' && dnsNames.includes(url.hostname))
}
