/**
 * The certificate of a stage with TLS=on: a leaf for its names, signed by a new root. The root's key is discarded after
 * signing: a client that trusts the root trusts only this leaf.
 */
import { createPrivateKey, randomUUID, webcrypto, X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reason, StageFailure } from '../failure.ts'
import { LOCALHOST, LOOPBACK } from './port.ts'
import type { LocalSettings } from './settings.ts'

/** Files in PEM, under the names that serverless-offline reads. */
export interface StageCertificate {
  folder: string
  /** Leaf and root: what the stage shows, and what its clients trust. */
  path: string
}

const CERTIFICATE = 'cert.pem'
const KEY = 'key.pem'

const DAY_MS = 86_400_000

/** Apple's systems reject a leaf that is valid for longer: https://support.apple.com/en-us/103769 */
const VALID_DAYS = 825

/** One that ends earlier is replaced. */
const MIN_DAYS_LEFT = 30

const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

const newPair = () => webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])

interface Pair {
  certificate: string
  key: string
}

const newCertificate = async (names: string[]): Promise<Pair> => {
  const x509 = await import('@peculiar/x509')
  const [rootPair, leafPair] = [await newPair(), await newPair()]
  const common = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + (VALID_DAYS - 1) * DAY_MS),
    signingAlgorithm: ECDSA,
  }
  const rootKeyId = await x509.SubjectKeyIdentifierExtension.create(rootPair.publicKey)
  // Each root has a unique name, so that clients that trust several find the right one.
  const rootName = `CN=serverless-agent ${randomUUID()}`
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...common,
    name: rootName,
    keys: rootPair,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      rootKeyId,
    ],
  })
  const leaf = await x509.X509CertificateGenerator.create({
    ...common,
    subject: `CN=${LOCALHOST}`,
    issuer: rootName,
    publicKey: leafPair.publicKey,
    signingKey: rootPair.privateKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }) as const),
      ),
      await x509.SubjectKeyIdentifierExtension.create(leafPair.publicKey),
      new x509.AuthorityKeyIdentifierExtension(rootKeyId.keyId),
    ],
  })
  const key = await webcrypto.subtle.exportKey('pkcs8', leafPair.privateKey)
  return {
    certificate: `${leaf.toString('pem')}\n${root.toString('pem')}\n`,
    key: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
  }
}

/** Whether the files of an earlier start serve for the names, for some time yet. */
const isUsable = async (folder: string, names: string[]): Promise<boolean> => {
  try {
    const leaf = new X509Certificate(await readFile(join(folder, CERTIFICATE)))
    return (
      leaf.checkPrivateKey(createPrivateKey(await readFile(join(folder, KEY)))) &&
      names.every((name) => (isIP(name) === 0 ? leaf.checkHost(name) : leaf.checkIP(name)) !== undefined) &&
      Date.parse(leaf.validTo) > Date.now() + MIN_DAYS_LEFT * DAY_MS
    )
  } catch {
    // Missing, or cut off by a crash.
    return false
  }
}

/** What a certificate calls the host of a URL, where it has one: an IPv6 address has no brackets there. */
const nameOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/**
 * The certificate in `folder` for the hosts of `urls` and this machine, made unless it is there. Throws `StageFailure`.
 */
export const localCertificate = async (folder: string, urls: string[]): Promise<StageCertificate> => {
  const names = [...new Set([LOCALHOST, LOOPBACK, ...urls.map(nameOf)])].filter((name) => name !== '')
  const path = join(folder, CERTIFICATE)
  try {
    if (!(await isUsable(folder, names))) {
      const { certificate, key } = await newCertificate(names)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      await writeFile(join(folder, KEY), key, { mode: 0o600 })
      await writeFile(path, certificate, { mode: 0o600 })
    }
    return { folder, path }
  } catch (error) {
    throw new StageFailure(`${path} cannot be created: ${reason(error)}`, error)
  }
}

/** In DATA_DIR, or in a temporary folder that ends with `parts`; undefined without TLS. Throws `StageFailure`. */
export const certificateOf = async (
  { tls, dataDir, publicUrl }: LocalSettings,
  baseUrl: string,
  parts: AsyncDisposableStack,
): Promise<StageCertificate | undefined> => {
  if (!tls) return undefined
  const urls = [baseUrl, publicUrl ?? baseUrl]
  if (dataDir !== undefined) return localCertificate(join(dataDir, 'tls'), urls)
  const folder = await mkdtemp(join(tmpdir(), 'serverless-agent-'))
  parts.defer(() => rm(folder, { recursive: true, force: true }))
  return localCertificate(folder, urls)
}
