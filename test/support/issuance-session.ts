/** An issuance session and its issuer in the table, as a page finds them. */

import { issuanceSessionRecords, issuerRecords } from '../../lib/records/openid-kinds.ts'
import type { StoredIssuanceSession, StoredIssuer } from '../../lib/records/openid4vci.ts'
import { BASE_AGENT } from '../../lib/records/tenant.ts'
import { toRecordItem } from '../../lib/store/stored-record.ts'

/** One transparent pixel. */
export const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const VCT = 'https://credentials.example/identity'

export const newIssuer = (more: Partial<StoredIssuer> = {}): StoredIssuer => ({
  ...{ id: 'shop', issuerId: 'shop', createdAt: '2026-01-01T00:00:00.000Z' },
  display: [{ name: 'Acme', logo: { uri: PNG } }],
  credentialConfigurationsSupported: {
    identity: { format: 'dc+sd-jwt', vct: VCT, credential_metadata: { display: [{ name: 'Identity card' }] } },
  },
  ...more,
})

export const newSession = (more: Partial<StoredIssuanceSession> = {}): StoredIssuanceSession => ({
  ...{ id: 'session-1', issuerId: 'shop', createdAt: '2026-01-01T00:00:00.000Z', state: 'OfferCreated' },
  expiresAt: new Date(Date.now() + 600_000).toISOString(),
  credentials: [
    { credentialConfigurationId: 'identity', vct: VCT, claimNames: ['given_name'], certificateId: 'certificate-1' },
  ],
  pin: { mac: 'c2VhbGVk', tries: 0 },
  ...more,
})

const itemOf = (type: string, value: { id: string }) =>
  toRecordItem({ tenant: BASE_AGENT, type, id: value.id, version: 1, value, tags: {} })

/** Items of the base agent. */
export const issuerItem = (issuer: StoredIssuer) => itemOf(issuerRecords.type, issuer)
export const sessionItem = (session: StoredIssuanceSession) => itemOf(issuanceSessionRecords.type, session)
