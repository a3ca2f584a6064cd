/** Imports an externally issued certificate, with its chain and its key. */
import { createPrivateKey, type KeyObject, randomUUID } from 'node:crypto'
import type * as v from 'valibot'
import { invalidField } from '../errors.ts'
import type { ImportCertificate } from '../interface/x509.ts'
import { isKeyPair, jwkOf } from '../keys/index.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { checkOwnChain } from './chain.ts'
import { withField } from './field.ts'
import { insertCertificate } from './stored-certificates.ts'

/** Without a cause: Node's messages may quote the key. */
const readKey = (privateKey: string): KeyObject => {
  try {
    return createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })
  } catch {
    throw invalidField('privateKey', 'must be PKCS #8 without encryption')
  }
}

/** Returns the certificate in base64 and the id of its key. Throws `request.invalid`, `certificate.too_many`. */
export const importCertificate = async (
  unit: UnitOfWork,
  { certificate, chain = [], privateKey }: v.InferOutput<typeof ImportCertificate.body>,
) => {
  const leaf = withField('certificate', () => readCertificate(certificate))
  const above = chain.map((text, index) => withField(`chain.${index}`, () => readCertificate(text)))
  const whole: [Certificate, ...Certificate[]] = [leaf, ...above]
  withField('certificate', () => checkOwnChain(whole))
  const key = readKey(privateKey)
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw invalidField('privateKey', 'must be a P-256 key')
  const jwk = jwkOf(key)
  // Node does not check the public key in PKCS #8.
  if (!isKeyPair(jwk) || !leaf.x509.checkPrivateKey(key))
    throw invalidField('privateKey', 'is not the key of the certificate')
  const id = randomUUID()
  await insertCertificate(unit, { id, jwk, chain: whole })
  return { issuerCertificate: leaf.base64, keyId: id }
}
