/** The areas of the interface, which the OpenAPI document calls tags: an operation's path says which one it is in. */
import type { Contract } from '../interface/contract.ts'

interface Area {
  name: string
  description: string
  paths: RegExp
}

const SERVICE = 'Service'

/** In the order in which a reader meets them; the first that fits is an operation's. */
export const AREAS: readonly Area[] = [
  {
    name: 'Invitations',
    description: 'Invitations that an agent makes, gives away and receives.',
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
  { name: 'DIDs', description: "The agent's DIDs, and the documents of any.", paths: /^\/dids\b/ },
  {
    name: 'Public documents',
    description: 'What tenants publish: DIDs, what they attest, tails files.',
    paths: /^\/(web|webvh|anoncreds\/tails)\b/,
  },
  { name: 'AnonCreds', description: 'Schemas and credential definitions of AnonCreds.', paths: /^\/anoncreds\b/ },
  { name: 'Tenants', description: 'Agents for customers.', paths: /^\/multi-tenancy\b/ },
  { name: 'Webhooks', description: 'Where events go, and what became of them.', paths: /^\/(webhooks|notification)\b/ },
  { name: 'DIDComm', description: 'The endpoint for other agents.', paths: /^\/didcomm\b/ },
  {
    name: SERVICE,
    description: 'The service itself.',
    paths: /^\/(docs|assets|openapi\.json|health)\b/,
  },
]

/** That of the service itself for a path of no other: a test asks for a better one. */
export const areaOf = ({ path }: Pick<Contract, 'path'>): string =>
  AREAS.find(({ paths }) => paths.test(path))?.name ?? SERVICE
