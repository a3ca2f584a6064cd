/**
 * Contracts for reading credential exchanges (issue-credential, Aries RFC 0453), and for revoking an issued credential.
 */
import * as v from 'valibot'
import { CREDENTIAL_ROLES, CREDENTIAL_STATES, CredentialExchangeRecord } from '../records/credential-exchange.ts'
import { CredentialFormData } from '../records/credential-form-data.ts'
import { EntityId } from '../records/tenant.ts'
import { actionOn, defineContract, listingOf, lookupOf } from './contract.ts'
import { exchangeQuery } from './fields.ts'

export const GetCredentialById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(v.object({ credentialRecordId: EntityId }), CredentialExchangeRecord),
  operationId: 'GetCredentialById',
  firstInterface: true,
  path: '/credentials/{credentialRecordId}',
  summary: 'Retrieve one credential exchange record by its record id',
}))

export const GetCredentials = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(exchangeQuery(CREDENTIAL_STATES, CREDENTIAL_ROLES), CredentialExchangeRecord),
  operationId: 'GetCredentials',
  path: '/credentials',
  summary: "List the credential exchanges of the token's agent, in both roles",
}))

export const GetCredentialFormData = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(v.object({ credentialRecordId: EntityId }), CredentialFormData),
  operationId: 'GetCredentialFormData',
  path: '/credentials/{credentialRecordId}/form-data',
  summary: 'Retrieve the contents of the messages of a credential exchange: proposal, offer, request and credential',
}))

export const RevokeCredential = /* @__PURE__ */ defineContract(() => ({
  ...actionOn(v.object({ credentialRecordId: EntityId }), CredentialExchangeRecord),
  operationId: 'RevokeCredential',
  path: '/credentials/{credentialRecordId}/revoke',
  summary: 'Revoke an AnonCreds credential that this agent has issued',
  description:
    'With the response the revocation is committed: `metadata["_agent/revocation"]` is `pending` until the status list is published, and then `published`. A holder with a connection is notified (Aries RFC 0721). A repeated call has the same response and no effect.',
}))
