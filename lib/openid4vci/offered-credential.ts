/** Checks a credential when its offer is created, so that it can be issued at any time later. */
import { invalidField } from '../errors.ts'
import type { OfferedCredential } from '../interface/openid4vci.ts'
import { isObject, type JsonObject } from '../json.ts'
import { assertValidUntil, chooseCertificate } from '../openid/certificates.ts'
import type { StoredCertificate } from '../records/certificate.ts'
import type { CredentialConfiguration, StoredIssuanceSession, StoredIssuer } from '../records/openid4vci.ts'
import { frameViolation } from '../sd-jwt/issue.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { ClaimsOfCredential } from './claims.ts'

/** Bytes of JSON. The last: the response of a function has at most 6 MB, with credentials in base64url. */
const MAX_CREDENTIAL = 64 * 1024
const MAX_OFFER = 200 * 1024
const MAX_BATCH = 2 * 1024 * 1024

/** Claims that this service sets, or whose value follows from the configuration. */
const OWN_CLAIMS = ['iss', 'iat', 'nbf', 'cnf', 'status']
/** Claims that no configuration lists. */
const REGISTERED = ['vct', 'exp']

export interface CheckedCredential {
  stored: StoredIssuanceSession['credentials'][number]
  claims: ClaimsOfCredential
  /** The latest end of the credential's validity. */
  end: Date
}

interface OfferTimes {
  now: Date
  /** The offer's. */
  expiresAt: Date
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/** The path of a claim that no listed path includes. `listed`: the remaining parts of the listed paths. */
const unlistedIn = (value: unknown, listed: readonly (readonly unknown[])[]): string[] | undefined => {
  if (listed.some((path) => path.length === 0)) return undefined
  if (listed.length === 0) return []
  if (!isObject(value) && !Array.isArray(value)) return []
  for (const [name, member] of Object.entries(value)) {
    const isNext = Array.isArray(value)
      ? (part: unknown) => part === null || part === Number(name)
      : (part: unknown) => part === name
    const inner = unlistedIn(
      member,
      listed.filter(([next]) => isNext(next)).map(([, ...rest]) => rest),
    )
    if (inner !== undefined) return [name, ...inner]
  }
  return undefined
}

const assertPayload = (payload: JsonObject, { vct, credential_metadata }: CredentialConfiguration, path: string) => {
  const own = OWN_CLAIMS.find((name) => Object.hasOwn(payload, name))
  if (own !== undefined) throw invalidField(`${path}.${own}`, 'is set when the credential is issued')
  const violation = frameViolation(payload)
  if (violation !== undefined) throw invalidField(path, violation)
  if (payload.vct !== undefined && payload.vct !== vct) throw invalidField(`${path}.vct`, `must be ${vct}`)
  const { claims = [] } = credential_metadata ?? {}
  if (claims.length === 0) return
  const subject = Object.fromEntries(Object.entries(payload).filter(([name]) => !REGISTERED.includes(name)))
  const unlisted = unlistedIn(
    subject,
    claims.map((claim) => claim.path),
  )
  if (unlisted !== undefined) throw invalidField([path, ...unlisted].join('.'), 'is not a claim of the configuration')
}

/** When the credential expires: at its `exp`, or with its certificate. */
const endOf = ({ exp }: JsonObject, { notAfter }: StoredCertificate, now: Date, path: string): Date => {
  if (exp === undefined) return new Date(notAfter)
  if (typeof exp !== 'number' || !Number.isSafeInteger(exp))
    throw invalidField(`${path}.exp`, 'must be a whole number of seconds since 1970')
  if (exp * 1000 <= now.getTime()) throw invalidField(`${path}.exp`, 'is in the past')
  if (exp * 1000 > Date.parse(notAfter))
    throw invalidField(`${path}.exp`, `is after the end of the certificate that signs: ${notAfter}`)
  return new Date(exp * 1000)
}

const assertSize = ({ payload, disclosureFrame }: OfferedCredential, batchSize: number, path: string): void => {
  const bytes = bytesOf([payload, disclosureFrame])
  if (bytes > MAX_CREDENTIAL) throw invalidField(path, `must be at most ${MAX_CREDENTIAL} bytes`)
  if (bytes * batchSize > MAX_BATCH)
    throw invalidField(path, `must be at most ${MAX_BATCH} bytes in the ${batchSize} credentials of a batch`)
}

/** Throws `request.invalid` for the claims of all credentials. */
export const assertOfferSize = (credentials: readonly CheckedCredential[]): void => {
  if (bytesOf(credentials.map(({ claims }) => claims)) > MAX_OFFER)
    throw invalidField('credentials', `must have at most ${MAX_OFFER} bytes of claims`)
}

/** Throws `request.invalid` with the field below `path`. */
export const checkCredential = async (
  unit: UnitOfWork,
  issuer: StoredIssuer,
  credential: OfferedCredential,
  { path, now, expiresAt }: OfferTimes & { path: string },
): Promise<CheckedCredential> => {
  const { credentialSupportedId: id, payload, disclosureFrame, signerOptions, statusListDetails: details } = credential
  const { credentialConfigurationsSupported: configurations, certificateId, batchCredentialIssuance } = issuer
  const configuration = Object.hasOwn(configurations, id) ? configurations[id] : undefined
  if (configuration === undefined)
    throw invalidField(`${path}.credentialSupportedId`, 'is not a configuration of the issuer')
  const batchSize = batchCredentialIssuance?.batchSize ?? 1
  assertSize(credential, batchSize, `${path}.payload`)
  assertPayload(payload, configuration, `${path}.payload`)
  const violation = frameViolation(payload, disclosureFrame)
  if (violation !== undefined) throw invalidField(`${path}.disclosureFrame`, violation)
  if (details !== undefined && batchSize > 1)
    throw invalidField(`${path}.statusListDetails`, 'is one index, and the issuer issues in batches')
  const choice = { keyId: signerOptions?.keyId, x5c: signerOptions?.x5c, path: `${path}.signerOptions` }
  const certificate = await chooseCertificate(unit, { ...choice, certificateId, owner: 'publicIssuerId' })
  assertValidUntil(certificate, expiresAt, choice.path)
  const isRevocable = details !== undefined || credential.isRevocable === true
  return {
    stored: {
      ...{ credentialConfigurationId: id, vct: configuration.vct, claimNames: Object.keys(payload) },
      certificateId: certificate.id,
      ...(isRevocable && { isRevocable: true as const }),
      ...(details !== undefined && { statusListDetails: { listId: details.listId, index: details.index } }),
    },
    claims: { payload, ...(disclosureFrame !== undefined && { disclosureFrame }) },
    end: endOf(payload, certificate, now, `${path}.payload`),
  }
}
