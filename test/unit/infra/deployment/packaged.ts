/** The service as it is packaged: once for all tests of the deployment, since that takes seconds. */
import { readFileSync } from 'node:fs'
import { packageService } from '../../../support/stage/template.ts'

/** The region with the longest name. */
export const REGION = 'ap-southeast-1'

/** As good as none. */
const EMPTY = {
  OPERATION_RATE: '',
  DIDCOMM_RATE: '',
  TENANT_RATE: '',
  AGENT_LABEL: '',
  LOG_LEVEL: '',
  TRUSTED_CONTEXTS: '',
  INDY_PROXIES: '',
  TRACING: '',
  ALARM_EMAIL: '',
  ACCOUNT_CONCURRENCY: '',
  WAITING_LANES: '',
}

export const { functions, resources, timeout: defaultTimeout } = await packageService(EMPTY, '--region', REGION)

/** What a realm of Keycloak serves: three keys, each with a chain of certificates, 10 KB in all. */
const jwks = JSON.parse(readFileSync('test/support/issuers/keycloak-certs.json', 'utf8'))

/** A stage with several realms, many grants, as many trusted contexts as there may be, two ledgers, and all else that may be set. */
const GROWN = {
  ...{
    TENANT_RATE: '7',
    TRACING: 'on',
    ALARM_EMAIL: 'ops@example.org',
    ACCOUNT_CONCURRENCY: '10',
    WAITING_LANES: '50',
    OPERATION_RATE: '40',
    ANONCREDS: 'off',
    ADDRESS_RATE: '2000',
    AUTO_ACCEPT_OFFERS: 'true',
    BASE_ORG_ID: 'acme',
    AGENT_LABEL: 'Acme',
    LOG_LEVEL: 'warn',
  },
  ...{
    DOMAIN_NAME: 'agent.example.org',
    CERTIFICATE_ARN: 'arn:aws:acm:eu-central-1:123456789012:certificate/0b1c2d3e',
    HOSTED_ZONE_ID: 'Z0123456789',
    BASE_PATH: 'v1',
  },
  TOKEN_ISSUERS: JSON.stringify(
    ['staff', 'students', 'partners'].map((realm) => ({
      issuer: `https://id.example.org/realms/${realm}`,
      audience: 'serverless-agent',
      jwks,
      grants: {
        roles: ['RestTenantAgent'],
        tenants: Array.from({ length: 50 }, (_, index) => `0b6e7a52-9a52-4a57-b9b0-6a1b1ff9a6${index}`),
        organizations: '*',
      },
    })),
  ),
  TRUSTED_CONTEXTS: JSON.stringify(
    Array.from({ length: 10 }, (_, index) => ({
      address: `https://contexts.example.org/credentials/university-degree/v${index}`,
      digest: 'ab'.repeat(32),
    })),
  ),
  INDY_PROXIES: JSON.stringify({
    sovrin: 'https://indy.example.org',
    'sovrin:staging': 'https://indy.example.org/staging',
  }),
}

export const grown = await packageService(GROWN)

/** As an operator of a stack of the last release deploys it, whose table keeps the name that it has; nothing else is set. */
export const named = await packageService({ TABLE_NAME: 'serverless-agent-dev' })
