/** The tags of the OpenAPI document. The path of an operation decides which tag it has. */
import type { Contract } from '../interface/contract.ts'

interface Area {
  name: string
  description: string
  paths: RegExp
}

const SERVICE = 'Service'

/** In the order of the document. An operation has the first tag that matches its path. */
export const AREAS: readonly Area[] = [
  {
    name: 'Invitations',
    description: 'Invitations that an agent creates or receives.',
    paths: /^\/(oob\b|url\/|$)/,
  },
  { name: 'Connections', description: 'Connections with other agents.', paths: /^\/connections\b/ },
  { name: 'Credentials', description: 'Credentials, for issuers and holders.', paths: /^\/credentials\b/ },
  {
    name: 'Proofs',
    description: 'Proofs, for verifiers and provers.',
    paths: /^\/(proofs|multi-tenancy\/form-data)\b/,
  },
  {
    name: 'Messages',
    description: 'Basic messages, and questions with their answers.',
    paths: /^\/(basic-messages|question-answer|multi-tenancy\/basic-messages)\b/,
  },
  { name: 'DIDs', description: 'DIDs of the agent, and resolution of any DID.', paths: /^\/dids\b/ },
  {
    name: 'Public documents',
    description: 'Published by tenants: DIDs, attested resources, tails files.',
    paths: /^\/(web|webvh|anoncreds\/tails)\b/,
  },
  { name: 'AnonCreds', description: 'Schemas and credential definitions of AnonCreds.', paths: /^\/anoncreds\b/ },
  {
    name: 'OpenID4VP',
    description: 'Requests for credentials of wallets that speak OpenID4VP 1.0.',
    paths: /^\/(openid4vc\/(verif|trusted)|oid4vp\b)/,
  },
  {
    name: 'OpenID4VCI',
    description: 'Offers of credentials to wallets that speak OpenID4VCI 1.0, and the statuses of these credentials.',
    paths: /^\/(openid4vc\/(issu|status)|oid4vci\b|\.well-known\b)/,
  },
  { name: 'Certificates', description: 'X.509 certificates of the agent.', paths: /^\/x509\b/ },
  { name: 'Tenants', description: 'Agents for customers.', paths: /^\/multi-tenancy\b/ },
  {
    name: 'Webhooks',
    description: 'Endpoints for events, and their deliveries.',
    paths: /^\/(webhooks|notification)\b/,
  },
  { name: 'DIDComm', description: 'The endpoint for other agents.', paths: /^\/didcomm\b/ },
  {
    name: SERVICE,
    description: 'The service itself.',
    paths: /^\/(docs|assets|openapi\.json|health)\b/,
  },
]

/** The tag of an operation. A test fails for operations that have `Service` by default. */
export const areaOf = ({ path }: Pick<Contract, 'path'>): string =>
  AREAS.find(({ paths }) => paths.test(path))?.name ?? SERVICE
