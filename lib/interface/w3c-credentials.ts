/** Contracts for reading held credentials: JSON-LD, and AnonCreds, which are stored as W3C credentials as well. */
import * as v from 'valibot'
import { EntityId } from '../records/tenant.ts'
import { W3cCredentialRecord } from '../records/w3c-credential.ts'
import { defineContract, LOOKUP, QUERY } from './contract.ts'
import { Paging } from './fields.ts'

export const GetW3cCredentials = /* @__PURE__ */ defineContract(() => ({
  ...QUERY,
  operationId: 'GetW3cCredentials',
  path: '/credentials/w3c',
  summary: "List the credentials that the token's agent holds",
  description: 'A page has at most 100 of them.',
  parameters: { query: Paging },
  responses: { 200: v.array(W3cCredentialRecord) },
}))

export const GetW3cCredentialById = /* @__PURE__ */ defineContract(() => ({
  ...LOOKUP,
  operationId: 'GetW3cCredentialById',
  path: '/credentials/w3c/{w3cCredentialRecordId}',
  summary: 'Retrieve one held credential by the id of its record',
  description: 'The id is in the `credentials` of a credential exchange.',
  parameters: { path: v.object({ w3cCredentialRecordId: EntityId }) },
  responses: { 200: W3cCredentialRecord },
}))
