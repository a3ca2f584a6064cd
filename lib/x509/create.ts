/** Creates a tenant's certificate: a root, a leaf below a root of the tenant, or a self-signed one. */
import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { AgentError, invalidField } from '../errors.ts'
import type { NewCertificate } from '../interface/x509.ts'
import { generateJwk, sealedKeys } from '../keys/index.ts'
import { StoredCertificate } from '../records/certificate.ts'
import { certificateRecords } from '../records/openid-kinds.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import { readCertificate } from './certificate.ts'
import { checkChain, isSelfSigned } from './chain.ts'
import { withField } from './field.ts'
import { type Issuer, makeCertificate } from './make.ts'
import { insertCertificate } from './stored-certificates.ts'

type Name = NonNullable<NewCertificate['subject']>
type NameParts = Exclude<Name, string>

const ATTRIBUTES = {
  countryName: 'C',
  stateOrProvinceName: 'ST',
  organizationName: 'O',
  organizationalUnit: 'OU',
  commonName: 'CN',
} as const satisfies Record<keyof NameParts, string>

/** Types of strings are named, because the library takes a bare value that begins with `#` for DER (RFC 4514). */
const nameOf = (name: Name) =>
  typeof name === 'string'
    ? name
    : Object.entries(ATTRIBUTES).flatMap(([part, attribute]) => {
        const value = name[part as keyof NameParts]
        if (value === undefined) return []
        return [{ [attribute]: [attribute === 'C' ? { printableString: value } : { utf8String: value }] }]
      })

/** The root of the tenant, with its key. */
const issuerOf = async (unit: UnitOfWork, id: string): Promise<Issuer> => {
  const stored = await unit.read(unit.tenant, certificateRecords.type, id)
  const jwk = stored === undefined ? null : await sealedKeys.get(unit.tenant, id)
  if (stored === undefined || jwk === null)
    throw invalidField('issuerCertificateId', 'is not a certificate of this agent')
  const { chain } = v.parse(StoredCertificate, stored.value)
  const certificate = readCertificate(String(chain[0]))
  // Below any other one, the chain would lack the certificates up to the root.
  if (!isSelfSigned(certificate)) throw invalidField('issuerCertificateId', 'is not a root')
  return { certificate, jwk }
}

/** The subject, and who issues the certificate. */
const namesOf = async (unit: UnitOfWork, { issuer, issuerCertificateId, subject }: NewCertificate) => {
  if ((issuer === undefined) === (issuerCertificateId === undefined))
    throw invalidField('issuer', 'is required if issuerCertificateId is absent')
  const name = issuerCertificateId === undefined ? (subject ?? issuer) : subject
  if (name === undefined || nameOf(name).length === 0) throw invalidField('subject', 'must have a part')
  if (issuer !== undefined && JSON.stringify(name) !== JSON.stringify(issuer))
    throw invalidField('subject', 'must equal the issuer, or be omitted: the certificate is self-signed')
  return { subject: nameOf(name), issuedBy: issuerCertificateId && (await issuerOf(unit, issuerCertificateId)) }
}

/** To the second, as certificates have them. */
const dateOf = (text: string) => new Date(Math.floor(Date.parse(text) / 1000) * 1000)

/** Years of a root, and of any other certificate. */
const YEARS = { root: 10, leaf: 1 }

const datesOf = ({ validity = {} }: NewCertificate, isRoot: boolean, issuer?: Issuer) => {
  const now = new Date()
  const today = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()))
  const notBefore = validity.notBefore === undefined ? today : dateOf(validity.notBefore)
  const usual = new Date(notBefore)
  usual.setUTCFullYear(usual.getUTCFullYear() + (isRoot ? YEARS.root : YEARS.leaf))
  const end = issuer?.certificate.notAfter
  const notAfter =
    validity.notAfter === undefined ? (end !== undefined && end < usual ? end : usual) : dateOf(validity.notAfter)
  if (notAfter <= now || notAfter <= notBefore) throw invalidField('validity.notAfter', 'must be later')
  if (notBefore > now) throw invalidField('validity.notBefore', 'must not be in the future')
  if (end !== undefined && notAfter > end)
    throw invalidField('validity.notAfter', `must not be after that of the issuer, ${end.toISOString()}`)
  return { notBefore, notAfter }
}

/** Returns the certificate in base64 and the id of its key. Throws `request.invalid`, `certificate.too_many`. */
export const createCertificate = async (unit: UnitOfWork, request: NewCertificate) => {
  const { subject, issuedBy } = await namesOf(unit, request)
  const issuer = issuedBy || undefined
  const { keyUsage, extendedKeyUsage, subjectAlternativeName, basicConstraints } = request.extensions ?? {}
  const isCa = basicConstraints?.ca === true
  if (isCa && issuer !== undefined)
    throw invalidField('extensions.basicConstraints.ca', 'must be false for a certificate that a root issues')
  // RFC 5280, sections 4.2.1.3 and 4.2.1.9
  if (keyUsage !== undefined && keyUsage.usages.includes('keyCertSign') !== isCa)
    throw invalidField(
      'extensions.keyUsage.usages',
      'must have keyCertSign if the certificate is a root, and must not otherwise',
    )
  if (!isCa && basicConstraints?.pathLenConstraint !== undefined)
    throw invalidField('extensions.basicConstraints.pathLenConstraint', 'is only for a root')
  const jwk = generateJwk('P-256')
  const content = {
    subject,
    serialNumber: request.serialNumber,
    ...datesOf(request, isCa, issuer),
    ca: isCa ? { pathLength: basicConstraints.pathLenConstraint } : undefined,
    keyUsage: keyUsage?.usages ?? (isCa ? (['keyCertSign', 'cRLSign'] as const) : (['digitalSignature'] as const)),
    extendedKeyUsage: extendedKeyUsage?.usages,
    alternativeNames: subjectAlternativeName?.name,
    critical: {
      keyUsage: keyUsage?.markAsCritical ?? true,
      extendedKeyUsage: extendedKeyUsage?.markAsCritical ?? false,
      alternativeNames: subjectAlternativeName?.markAsCritical ?? false,
    },
  }
  const base64 = await makeCertificate(content, jwk, issuer).catch((error) => {
    throw new AgentError('request.invalid', 'the certificate cannot be created from these values', { cause: error })
  })
  const certificate = withField('extensions', () => readCertificate(base64))
  if (certificate.subject === '') throw invalidField('subject', 'must have a part')
  withField('issuerCertificateId', () => checkChain([certificate], [issuer?.certificate ?? certificate]))
  const id = randomUUID()
  await insertCertificate(unit, { id, jwk, chain: [certificate] })
  return { publicCertificateBase64: base64, keyId: id }
}
