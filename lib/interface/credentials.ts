/** Contracts of credential exchanges (issue-credential, Aries RFC 0453). */
import * as v from 'valibot'
import { CredentialExchangeRecord } from '../records/credential-exchange.ts'
import { EntityId } from '../records/tenant.ts'
import { defineContract } from './contract.ts'
import { AutoAccept, exactly } from './fields.ts'
import { JsonLdCredential } from './json-ld-credential.ts'

export const GetCredentialById = /* @__PURE__ */ defineContract(() => ({
  operationId: 'GetCredentialById',
  method: 'GET',
  path: '/credentials/{credentialRecordId}',
  summary: 'Retrieve one credential exchange record by its record id',
  security: 'token',
  parameters: { path: v.object({ credentialRecordId: EntityId }) },
  answers: { 200: CredentialExchangeRecord },
  refusals: [404],
}))

export const CreateOffer = /* @__PURE__ */ defineContract(() => ({
  operationId: 'CreateOffer',
  method: 'POST',
  path: '/credentials/create-offer',
  summary: 'Offer a JSON-LD credential to a connection',
  security: 'token',
  idempotent: true,
  companion: true,
  body: exactly({
    connectionId: EntityId,
    protocolVersion: v.literal('v2'),
    credentialFormats: exactly({
      jsonld: exactly({
        credential: JsonLdCredential,
        /** Aries RFC 0593. Ed25519Signature2018 is the suite that every wallet on Credo verifies. */
        options: exactly({
          proofType: v.literal('Ed25519Signature2018'),
          proofPurpose: v.literal('assertionMethod'),
        }),
      }),
    }),
    autoAcceptCredential: v.optional(AutoAccept),
    comment: v.optional(v.pipe(v.string(), v.maxLength(2000))),
  }),
  answers: { 200: CredentialExchangeRecord },
  refusals: [404],
}))

export const RevokeCredential = /* @__PURE__ */ defineContract(() => ({
  operationId: 'RevokeCredential',
  method: 'POST',
  path: '/credentials/{credentialRecordId}/revoke',
  summary: 'Revoke an AnonCreds credential that this agent has issued',
  description:
    'The answer comes when it is certain that the credential will be revoked: `metadata["_agent/revocation"]` is `pending` until the status list is published, and `published` from then on. A holder with a connection is told (Aries RFC 0721). Revoked twice, it answers the same.',
  security: 'token',
  idempotent: true,
  companion: true,
  parameters: { path: v.object({ credentialRecordId: EntityId }) },
  answers: { 200: CredentialExchangeRecord },
  refusals: [404, 409],
}))
