/** Contracts for reading held credentials: JSON-LD, and AnonCreds, which are stored as W3C credentials as well. */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { W3cCredentialRecord } from '../records/w3c-credential.ts'
import { defineContract, listingOf, lookupOf } from './contract.ts'
import { Paging } from './fields.ts'

export const GetW3cCredentials = /* @__PURE__ */ defineContract(() => ({
  ...listingOf(Paging, W3cCredentialRecord),
  operationId: 'GetW3cCredentials',
  path: '/credentials/w3c',
  summary: "List the credentials that the token's agent holds",
  description: 'A page has at most 100 of them.',
}))

export const GetW3cCredentialById = /* @__PURE__ */ defineContract(() => ({
  ...lookupOf(v.object({ w3cCredentialRecordId: EntityId }), W3cCredentialRecord),
  operationId: 'GetW3cCredentialById',
  path: '/credentials/w3c/{w3cCredentialRecordId}',
  summary: 'Retrieve one held credential by the id of its record',
  description: 'The id is in the `credentials` of a credential exchange.',
}))
