/** Example calls on certificates. An agent has 20 at most, so those that make one have an agent of their own. */
import { generateKeyPairSync } from 'node:crypto'
import { jwkOf } from '../../../lib/keys/key-pair.ts'
import { makeCertificate } from '../../../lib/x509/make.ts'
import type { CallScene, Examples } from './call-scene.ts'

/** A self-signed certificate and its key, as one brings them from elsewhere. */
export const foreignCertificate = async (name: string) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const content = {
    subject: `CN=${name}`,
    keyUsage: ['digitalSignature'],
    critical: { keyUsage: true, extendedKeyUsage: false, alternativeNames: false },
  } as const
  const dates = { notBefore: new Date(Date.now() - 1000), notAfter: new Date(Date.now() + 365 * 24 * 60 * 60_000) }
  return {
    certificate: await makeCertificate({ ...content, ...dates }, jwkOf(privateKey)),
    keyType: 'P-256',
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }
}

const certificateOf = (scene: CallScene) =>
  scene.once('certificate', async () => {
    const caller = await scene.newTenant()
    return { caller, ...(await scene.done('CreateCertificate', { caller, body: { issuer: 'CN=Acme' } })) }
  })

export const x509: Examples = {
  CreateCertificate: async (scene) => ({
    asked: {
      body: { issuer: { commonName: 'Acme', countryName: 'DE' }, extensions: { basicConstraints: { ca: true } } },
    },
    other: { body: { issuer: 'CN=Globex' } },
    caller: await scene.newTenant(),
  }),
  ImportCertificate: async (scene) => ({
    asked: { body: await foreignCertificate('Acme') },
    other: { body: await foreignCertificate('Globex') },
    caller: await scene.newTenant(),
  }),
  DecodeCertificate: async () => {
    const [{ certificate }, other] = [await foreignCertificate('Acme'), await foreignCertificate('Globex')]
    return { asked: { body: { certificate } }, other: { body: { certificate: other.certificate } }, isPublic: true }
  },
  GetCertificates: async () => ({ asked: { query: { limit: '10' } } }),
  GetCertificateById: async (scene) => {
    const { caller, keyId } = await certificateOf(scene)
    return { asked: { path: { certificateId: keyId } }, caller }
  },
  DeleteCertificate: async (scene) => {
    const caller = await scene.newTenant()
    const made = async () => (await scene.done('CreateCertificate', { caller, body: { issuer: 'CN=Acme' } })).keyId
    return {
      asked: { path: { certificateId: await made() } },
      other: { path: { certificateId: await made() } },
      caller,
    }
  },
}
