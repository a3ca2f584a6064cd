/** Contracts of a tenant's certificates, with which it signs requests, credentials and lists of OpenID4VC. */
import * as v from 'valibot'
import { CertificateRecord } from '../records/certificate.ts'
import { EntityId } from '../records/tenant.ts'
import { COMMAND, DELETION, defineContract, listingOf, lookupOf } from './contract.ts'
import { exactly, Paging, text } from './fields.ts'

/** Base64 of DER, or PEM. lib/x509 parses it, and names the error. */
const CertificateText = text(32_768)

const NamePart = v.optional(text(128))
/** As `CN=Acme, O=Acme GmbH, C=DE` (RFC 4514), or by its parts. */
const Name = v.union([
  v.pipe(text(512), v.regex(/^[A-Za-z.0-9]+=[ -~\u00a0-\uffff]*$/, 'must be a name such as `CN=Acme, C=DE`')),
  exactly({
    countryName: v.optional(v.pipe(v.string(), v.regex(/^[A-Z]{2}$/, 'must be a code of two letters (ISO 3166-1)'))),
    stateOrProvinceName: NamePart,
    organizationName: NamePart,
    organizationalUnit: NamePart,
    commonName: NamePart,
  }),
])

/** This service generates the key: a `seed` is not accepted. */
const Key = v.optional(exactly({ keyType: v.optional(v.literal('P-256')) }))

const DateTime = v.pipe(v.string(), v.isoTimestamp('must be a date with time in ISO 8601'))

const markAsCritical = v.optional(v.boolean())
const Usages = v.picklist(['digitalSignature', 'nonRepudiation', 'keyAgreement', 'keyCertSign', 'cRLSign'])
const Oid = v.pipe(text(64), v.regex(/^[0-2](?:\.\d{1,10}){1,15}$/, 'must be an object identifier'))
const DNS_NAME = /^(?:\*\.)?(?:[a-z0-9-]{1,63}\.)*[a-z0-9-]{1,63}$/
/** An IA5String (RFC 5280, section 4.2.1.6) without spaces and control characters. */
const ASCII = /^[!-~]+$/
const AlternativeName = v.pipe(
  exactly({ type: v.picklist(['dns', 'url']), value: text(2048) }),
  v.check(
    ({ type, value }) =>
      type === 'dns' ? value.length <= 253 && DNS_NAME.test(value) : ASCII.test(value) && URL.canParse(value),
    'must be a domain name in lower case, or a URL in ASCII',
  ),
)

const Extensions = exactly({
  keyUsage: v.optional(exactly({ usages: v.pipe(v.array(Usages), v.minLength(1), v.maxLength(5)), markAsCritical })),
  extendedKeyUsage: v.optional(
    exactly({ usages: v.pipe(v.array(Oid), v.minLength(1), v.maxLength(10)), markAsCritical }),
  ),
  subjectAlternativeName: v.optional(
    exactly({ name: v.pipe(v.array(AlternativeName), v.minLength(1), v.maxLength(20)), markAsCritical }),
  ),
  basicConstraints: v.optional(
    exactly({
      ca: v.boolean(),
      pathLenConstraint: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(4))),
      markAsCritical,
    }),
  ),
  /** Both are always there. */
  authorityKeyIdentifier: v.optional(exactly({ include: v.literal(true), markAsCritical })),
  subjectKeyIdentifier: v.optional(exactly({ include: v.literal(true), markAsCritical })),
})

export const NewCertificate = exactly({
  issuer: v.optional(Name),
  issuerCertificateId: v.optional(EntityId),
  subject: v.optional(Name),
  authorityKey: Key,
  subjectPublicKey: Key,
  serialNumber: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^(?!0+$)[0-7][0-9a-fA-F]{1,39}$/, 'must be a positive hexadecimal number of at most 20 bytes'),
    ),
  ),
  validity: v.optional(exactly({ notBefore: v.optional(DateTime), notAfter: v.optional(DateTime) })),
  extensions: v.optional(Extensions),
})
export type NewCertificate = v.InferOutput<typeof NewCertificate>

export const CreateCertificate = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'CreateCertificate',
  path: '/x509',
  summary: 'Create a P-256 key and its certificate',
  description:
    'With `issuer` the certificate is self-signed: a root if `extensions.basicConstraints.ca` is true. With `issuerCertificateId`, the id of a root of this agent, that ' +
    'root issues it for `subject`. By default `validity` begins today (UTC) and ends after one year, or ten for a root. The private key never leaves the service.',
  body: NewCertificate,
  responses: { 200: exactly({ publicCertificateBase64: v.string(), keyId: v.string() }) },
}))

export const ImportCertificate = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'ImportCertificate',
  path: '/x509/import',
  summary: 'Import a certificate with its key',
  description:
    '`chain` has the certificates above it, in their order, without the root. `privateKey` is PKCS #8 in base64, not encrypted.',
  holdsSecret: true,
  body: exactly({
    certificate: CertificateText,
    chain: v.optional(v.pipe(v.array(CertificateText), v.maxLength(4))),
    keyType: v.literal('P-256'),
    privateKey: v.pipe(text(1024), v.base64('must be base64')),
  }),
  responses: { 200: exactly({ issuerCertificate: v.string(), keyId: v.string() }) },
}))

const Time = v.union([exactly({ utcTime: v.string() }), exactly({ generalTime: v.string() })])

export const DecodeCertificate = /* @__PURE__ */ defineContract(() => ({
  ...COMMAND,
  operationId: 'DecodeCertificate',
  path: '/x509/decode',
  summary: 'Read a certificate',
  description: 'Nothing is stored, and trust is not checked.',
  body: exactly({ certificate: CertificateText }),
  responses: {
    200: v.looseObject({
      publicJwk: v.looseObject({
        jwk: v.looseObject({
          jwk: v.looseObject({ kty: v.string(), crv: v.string(), x: v.string(), y: v.optional(v.string()) }),
        }),
      }),
      x509Certificate: v.looseObject({
        asn: v.looseObject({
          tbsCertificate: v.looseObject({ validity: exactly({ notBefore: Time, notAfter: Time }) }),
        }),
      }),
      subject: v.string(),
      issuer: v.string(),
      serialNumber: v.string(),
      dnsNames: v.array(v.string()),
      uris: v.array(v.string()),
      notBefore: v.string(),
      notAfter: v.string(),
      isCa: v.boolean(),
      keyUsage: v.optional(v.array(v.string())),
      extendedKeyUsage: v.optional(v.array(v.string())),
    }),
  },
}))

export const GetCertificates = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(Paging, CertificateRecord),
  operationId: 'GetCertificates',
  path: '/x509',
  summary: 'List the certificates',
}))

export const GetCertificateById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(v.object({ certificateId: EntityId }), CertificateRecord),
  operationId: 'GetCertificateById',
  path: '/x509/{certificateId}',
  summary: 'Retrieve a certificate with its chain, names, dates and usage',
}))

export const DeleteCertificate = /* @__PURE__ */ defineContract(() => ({
  ...DELETION,
  operationId: 'DeleteCertificate',
  path: '/x509/{certificateId}',
  summary: 'Delete a certificate and its key',
  description: '409: a verifier or an issuer names it, or credentials that it has signed may still be valid.',
  parameters: { path: v.object({ certificateId: EntityId }) },
}))
