/** The operations as generated requests go to them: their paths, and bodies and queries that they take. */

import { anonCredsRequest, offerBody, presentationBody, requestBody } from '../scenes.ts'
import type { World } from './world.ts'

export interface Route {
  weight: number
  method: 'GET' | 'POST' | 'DELETE'
  /** The path, with its parameters filled in by `id`. */
  path: (id: (valid: string) => string) => string
  /** Bodies that it takes. */
  bodies?: object[]
  queries?: string[]
}

/** An organization that is no tenant's own: its endpoint gets no events but those of its own tests. */
export const ORGANIZATION = 'org'

/** Where nobody listens. */
export const HOOK = 'http://127.0.0.1:1024/hook'

/** All of them, with ids and envelopes of the world's agents, and the id of the organization's endpoint. */
export const routesOf = ({ base, acme, globex }: World, endpointId: string): Route[] => {
  const tenant = acme.tenantId ?? ''
  const { connectionId } = acme
  const envelopes = [base, acme, globex].flatMap(({ newEnvelopes }) => newEnvelopes.map(({ envelope }) => envelope))
  const pages = ['', '', 'limit=1', 'limit=2&order=desc', 'limit=1000', 'order=asc']
  const endpoint = (id: (valid: string) => string, operation: string) =>
    `/webhooks/orgs/${id(ORGANIZATION)}/${id(endpointId)}${operation}`
  return [
    { weight: 6, method: 'GET', path: (id) => `/credentials/${id(acme.credentialRecordId)}` },
    { weight: 3, method: 'POST', path: (id) => `/credentials/${id(acme.credentialRecordId)}/revoke` },
    {
      weight: 2,
      method: 'GET',
      path: (id) => `/anoncreds/tails/${id('J6KLQHhRnJ7Hn1gjoBTwVHQJi2kLnEbUwCj5YBbFVuFe')}`,
    },
    {
      weight: 8,
      method: 'POST',
      path: (id) => `/basic-messages/${id(connectionId)}`,
      bodies: [{ content: 'hello' }, { content: 'x'.repeat(20_000) }],
    },
    {
      weight: 8,
      method: 'GET',
      path: (id) => `/multi-tenancy/basic-messages/${id(globex.connectionId)}/${id(globex.tenantId ?? '')}`,
      queries: pages,
    },
    {
      weight: 12,
      method: 'POST',
      path: () => '/proofs/create-request-oob',
      bodies: [
        {
          ...requestBody,
          goalCode: 'g',
          comment: 'c',
          label: 'l',
          willConfirm: true,
          parentThreadId: 'parent-thread',
          imageUrl: 'https://example.org/logo.png',
        },
        { protocolVersion: 'v1', proofFormats: { indy: anonCredsRequest }, recipientKey: acme.recipientKey },
        { protocolVersion: 'v2', proofFormats: { anoncreds: anonCredsRequest }, invitationDid: acme.invitationDid },
        requestBody,
        presentationBody,
      ],
    },
    { weight: 6, method: 'GET', path: (id) => `/multi-tenancy/form-data/${id(tenant)}/${id(acme.proofRecordId)}` },
    {
      weight: 7,
      method: 'POST',
      path: () => '/notification/register/webhook-endpoint',
      bodies: [{ orgId: ORGANIZATION, notificationWebhook: HOOK }],
    },
    {
      weight: 7,
      method: 'POST',
      path: (id) => `/webhooks/orgs/${id(ORGANIZATION)}/register`,
      bodies: [{ webhookUrl: HOOK }],
    },
    {
      weight: 4,
      method: 'POST',
      path: () => '/multi-tenancy/create-tenant',
      bodies: [{ config: { label: 'x', connectionImageUrl: HOOK }, orgId: ORGANIZATION }],
    },
    {
      weight: 8,
      method: 'GET',
      path: () => '/connections',
      queries: [...pages, 'state=completed', `theirDid=${acme.theirDid}&limit=1`, `outOfBandId=${acme.outOfBandId}`],
    },
    { weight: 5, method: 'GET', path: (id) => `/connections/${id(connectionId)}` },
    {
      weight: 8,
      method: 'POST',
      path: () => '/credentials/create-offer',
      bodies: [{ ...offerBody(connectionId, 'did:example:x'), autoAcceptCredential: 'never', comment: 'c' }],
    },
    {
      weight: 4,
      method: 'POST',
      path: () => '/credentials/create-offer-oob',
      bodies: [
        {
          protocolVersion: 'v2',
          credentialFormats: offerBody(connectionId, 'did:example:x').credentialFormats,
          label: 'l',
          goalCode: 'g',
        },
      ],
    },
    {
      weight: 3,
      method: 'POST',
      path: () => '/anoncreds/schemas',
      bodies: [{ name: 'degree', version: '1.0', attributes: ['degree', 'age'] }],
    },
    { weight: 3, method: 'GET', path: (id) => `/anoncreds/schemas/${id('nothing')}` },
    // Of a schema that is not there: keys take a processor seconds.
    {
      weight: 2,
      method: 'POST',
      path: () => '/anoncreds/credential-definitions',
      bodies: [{ schemaId: 'did:webvh:nothing', tag: 'default', supportRevocation: true }],
    },
    { weight: 2, method: 'GET', path: () => '/anoncreds/credential-definitions', queries: pages },
    { weight: 2, method: 'GET', path: (id) => `/anoncreds/credential-definitions/${id('nothing')}` },
    { weight: 3, method: 'GET', path: (id) => `/webhooks/orgs/${id(ORGANIZATION)}` },
    { weight: 3, method: 'GET', path: (id) => endpoint(id, '/deliveries'), queries: [...pages, 'status=failed'] },
    { weight: 1, method: 'POST', path: (id) => endpoint(id, '/rotate-secret') },
    { weight: 1, method: 'POST', path: (id) => endpoint(id, '/enable') },
    { weight: 1, method: 'POST', path: (id) => endpoint(id, '/test') },
    {
      weight: 3,
      method: 'POST',
      path: (id) => endpoint(id, '/replay'),
      bodies: [{ since: '2026-01-01T00:00:00.000Z' }, { since: new Date().toISOString(), cursor: 'AAAA' }],
    },
    // The others want the endpoint to stay.
    { weight: 1, method: 'DELETE', path: (id) => `/webhooks/orgs/${id(ORGANIZATION)}/${id('unknown')}` },
    { weight: 6, method: 'POST', path: (id) => `/didcomm/${id(tenant)}`, bodies: envelopes },
    { weight: 3, method: 'POST', path: () => '/didcomm', bodies: envelopes },
    { weight: 1, method: 'GET', path: (id) => `/webvh/${id(tenant)}/did.jsonl` },
    { weight: 1, method: 'GET', path: (id) => `/webvh/${id(tenant)}/resources/${id('zQm1')}` },
    { weight: 1, method: 'GET', path: () => '/health' },
    { weight: 3, method: 'GET', path: (id) => `/${id('nothing')}/${id('at-all')}` },
  ]
}
