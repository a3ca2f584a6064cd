/** Issuers of a tenant: each has a public id, and the configurations of the credentials that it issues. */
import { randomUUID } from 'node:crypto'
import * as v from 'valibot'
import { AgentError, invalidField } from '../errors.ts'
import { requireCertificate } from '../openid/certificates.ts'
import { claimPublicId, releasePublicId, tenantOfPublicId } from '../openid/public-ids.ts'
import { issuerRecords } from '../records/openid-kinds.ts'
import { StoredIssuer } from '../records/openid4vci.ts'
import { settings } from '../settings.ts'
import { revocableUntil } from '../status-list/lists.ts'
import { assertBelowMaximum } from '../store/record-limit.ts'
import { requireRecord } from '../store/record-reads.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'

type IssuerSettings = Pick<
  StoredIssuer,
  | 'display'
  | 'credentialConfigurationsSupported'
  | 'batchCredentialIssuance'
  | 'certificateId'
  | 'dpopSigningAlgValuesSupported'
>
type NewIssuer = IssuerSettings & Pick<StoredIssuer, 'accessTokenSignerKeyType'> & { issuerId?: string | undefined }

const { type, view } = issuerRecords

/** Certificates whose keys stay in the key set. */
const MAX_FORMER = 20

/** The Credential Issuer Identifier (OpenID4VCI 1.0, section 12.2.1). */
export const issuerUrlOf = (issuerId: string): string => `${settings().PUBLIC_URL}/oid4vci/${issuerId}`

/** Whether it creates offers and issues tokens. False if only its documents for verifiers remain. */
export const isIssuing = ({ publicOnlySince }: StoredIssuer): boolean => publicOnlySince === undefined

const notFound = () => new AgentError('resource.not_found', 'there is no such issuer')

/** An issuer of the unit's tenant. Throws `resource.not_found`. */
export const loadIssuer = async (unit: UnitOfWork, issuerId: string): Promise<StoredIssuer> => {
  const stored = await unit.read(unit.tenant, type, issuerId)
  if (stored === undefined) throw notFound()
  return v.parse(StoredIssuer, stored.value)
}

/** The same without a unit of work. */
export const readIssuer = async (tenant: string, issuerId: string): Promise<StoredIssuer> =>
  v.parse(StoredIssuer, (await requireRecord(tenant, type, issuerId)).value)

/** An issuer by its public id, and its tenant. Throws `resource.not_found`. */
export const readPublicIssuer = async (issuerId: string): Promise<{ tenant: string; issuer: StoredIssuer }> => {
  const tenant = await tenantOfPublicId(issuerId, 'issuer')
  return { tenant, issuer: await readIssuer(tenant, issuerId) }
}

/** Wallets look for the metadata at the root of an address at https (OpenID4VCI 1.0, section 12.2.2). */
const assertAtRoot = (): void => {
  const { protocol, pathname, search } = new URL(settings().PUBLIC_URL)
  if (protocol !== 'https:' || pathname !== '/' || search !== '')
    throw new AgentError(
      'request.invalid',
      'an issuer needs a public URL (PUBLIC_URL) that begins with https and has no path: wallets read its metadata at /.well-known of the host',
    )
}

const TYPE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._~-]{0,127}$/

/** A type below the public URL must be served by this issuer, or a tenant could describe the types of another tenant. */
const assertOwnTypes = (issuerId: string, { credentialConfigurationsSupported: configurations }: IssuerSettings) => {
  const { origin } = new URL(settings().PUBLIC_URL)
  const types = `${issuerUrlOf(issuerId)}/types/`
  for (const [id, { vct }] of Object.entries(configurations)) {
    if (!URL.canParse(vct) || new URL(vct).origin !== origin) continue
    if (!vct.startsWith(types) || !TYPE_NAME.test(vct.slice(types.length)))
      throw invalidField(`credentialConfigurationsSupported.${id}.vct`, `must be ${types}<name>, or not at ${origin}`)
  }
}

const check = async (unit: UnitOfWork, issuerId: string, chosen: IssuerSettings): Promise<void> => {
  assertOwnTypes(issuerId, chosen)
  if (chosen.certificateId !== undefined) await requireCertificate(unit, chosen.certificateId, 'certificateId')
}

/**
 * Creates an issuer, and returns it as the API shows it. Throws `request.invalid`, `openid.too_many`; the commit
 * `openid.id_taken`.
 */
export const createIssuer = async (unit: UnitOfWork, { issuerId = randomUUID(), ...chosen }: NewIssuer) => {
  assertAtRoot()
  await assertBelowMaximum(unit, issuerRecords, 'issuers')
  await check(unit, issuerId, chosen)
  claimPublicId(unit, issuerId, 'issuer')
  const value = { id: issuerId, createdAt: new Date().toISOString(), metadata: {}, issuerId, ...chosen }
  unit.insert({ tenant: unit.tenant, type, id: issuerId, value, tags: {} })
  return view({ value, tags: {} })
}

/** Records other certificates that sign for an issuer: their keys stay in its key set. */
export const recordCertificates = async (unit: UnitOfWork, issuer: StoredIssuer, ids: string[]): Promise<void> => {
  const { certificateId, formerCertificateIds: former = [] } = issuer
  const added = [...new Set(ids)].filter((id) => id !== certificateId && !former.includes(id))
  if (added.length === 0) return
  const formerCertificateIds = [...former, ...added].slice(-MAX_FORMER)
  const value = { ...issuer, formerCertificateIds, metadata: {} }
  await unit.update({ tenant: unit.tenant, type, id: issuer.id, value, tags: {} })
}

/** The previous certificates, after another one was chosen. */
const formerOf = (
  { certificateId: before, formerCertificateIds: former = [] }: StoredIssuer,
  now: string | undefined,
) =>
  before === undefined || before === now ? former : [...former.filter((id) => id !== before), before].slice(-MAX_FORMER)

/** Replaces an issuer's settings. Throws `resource.not_found`, `request.invalid`. */
export const updateIssuer = async (unit: UnitOfWork, issuerId: string, chosen: IssuerSettings) => {
  const issuer = await loadIssuer(unit, issuerId)
  await check(unit, issuerId, chosen)
  const { id, createdAt, accessTokenSignerKeyType, publicOnlySince } = issuer
  const former = formerOf(issuer, chosen.certificateId)
  const value = {
    ...{ id, createdAt, updatedAt: new Date().toISOString(), metadata: {}, issuerId, ...chosen },
    ...(accessTokenSignerKeyType !== undefined && { accessTokenSignerKeyType }),
    ...(publicOnlySince !== undefined && { publicOnlySince }),
    ...(former.length > 0 && { formerCertificateIds: former }),
  }
  await unit.update({ tenant: unit.tenant, type, id, value, tags: {} })
  return view({ value, tags: {} })
}

/**
 * Deletes an issuer, which ends its offers and access tokens. With `keepPublic` its documents for verifiers remain.
 * Throws `resource.not_found`, `openid.in_use`.
 */
export const deleteIssuer = async (unit: UnitOfWork, issuerId: string, keepPublic: boolean): Promise<void> => {
  const issuer = await loadIssuer(unit, issuerId)
  if (keepPublic) {
    const value = { ...issuer, publicOnlySince: issuer.publicOnlySince ?? new Date().toISOString(), metadata: {} }
    await unit.update({ tenant: unit.tenant, type, id: issuerId, value, tags: {} })
    return
  }
  const until = await revocableUntil(unit, issuerId)
  if (until !== undefined && until > new Date())
    throw new AgentError(
      'openid.in_use',
      `the issuer has revocable credentials until ${until.toISOString()}: keep=public ends the issuer and keeps its status lists`,
    )
  await unit.remove(unit.tenant, type, issuerId)
  releasePublicId(unit, issuerId)
}
