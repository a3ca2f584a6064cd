/** A sample issuer of credentials: a root certificate in a file, and certificates for signing that are new each time. */
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import * as v from 'valibot'
import { StageFailure } from '../../../infra/failure.ts'
import { privateFile } from '../../../infra/local/private-file.ts'

export const ECDSA = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY = 24 * 60 * 60_000

/** Also in the signing certificate: a verifier may show it as the issuer. */
export const ISSUER = 'https://credentials.example'

const Stored = v.pipe(v.string(), v.parseJson(), v.object({ certificate: v.string(), privateKey: v.string() }))

export const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ECDSA, true, ['sign', 'verify'])

/** An ES256 signature, in base64url. */
export const sign = async (data: string, key: webcrypto.CryptoKey): Promise<string> =>
  Buffer.from(await webcrypto.subtle.sign(ECDSA, key, Buffer.from(data))).toString('base64url')

const during = (days: number) => ({
  notBefore: new Date(Date.now() - DAY),
  notAfter: new Date(Date.now() + days * DAY),
})

const newRoot = async (): Promise<string> => {
  const keys = await newKeys()
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...{ name: 'CN=Sample issuer', keys, signingAlgorithm: ECDSA, ...during(3650) },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const privateKey = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  return `${JSON.stringify({ certificate: Buffer.from(root.rawData).toString('base64'), privateKey })}\n`
}

/** A key for signing, and its certificate chain without the root, which a verifier has. */
export interface Signer {
  key: webcrypto.CryptoKey
  x5c: string[]
}

export interface SampleIssuer {
  /** The root, as base64 of DER: what a verifier trusts. */
  certificate: string
  newSigner(): Promise<Signer>
}

const rootOf = async (file: string) => {
  const stored = v.safeParse(Stored, await privateFile(file, newRoot))
  if (!stored.success) throw new StageFailure(`${file} holds no sample issuer: remove it to have a new one`)
  const { certificate, privateKey } = stored.output
  const key = await webcrypto.subtle.importKey('pkcs8', Buffer.from(privateKey, 'base64'), ECDSA, false, ['sign'])
  return { certificate, key }
}

/** The issuer whose root is in a file; a missing one is created. Throws `StageFailure`. */
export const sampleIssuer = async (file: string): Promise<SampleIssuer> => {
  const root = await rootOf(file)
  const parent = new x509.X509Certificate(root.certificate)
  const newSigner = async (): Promise<Signer> => {
    const { publicKey, privateKey } = await newKeys()
    const leaf = await x509.X509CertificateGenerator.create({
      ...{ subject: 'CN=Sample issuer of identities', issuer: parent.subjectName, publicKey, ...during(30) },
      ...{ signingKey: root.key, signingAlgorithm: ECDSA },
      extensions: [
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        await x509.SubjectKeyIdentifierExtension.create(publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(parent.publicKey),
        new x509.SubjectAlternativeNameExtension([{ type: 'url', value: ISSUER }]),
      ],
    })
    return { key: privateKey, x5c: [Buffer.from(leaf.rawData).toString('base64')] }
  }
  return { certificate: root.certificate, newSigner }
}
