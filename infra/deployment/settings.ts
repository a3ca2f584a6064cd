/**
 * The settings of a deployment, read from the environment of `npm run deploy`. The descriptions are those of
 * docs/deploy.md.
 */
import * as v from 'valibot'
import { TokenIssuers } from '../../lib/auth/token-issuers.ts'
import { invalidUrlReason } from '../../lib/egress/address-guard.ts'
import { Settings } from '../../lib/settings.ts'
import { AddressSettings, addressOf } from '../gateway/address.ts'
import { RateSettings } from '../gateway/rate-settings.ts'
import { described, issueLine, wholeNumber, withoutEmpty } from '../settings.ts'
import { WatchSettings } from '../watch/settings.ts'
import { issuerProblem } from './prepare-issuers.ts'

const { TOKEN_ISSUERS, TRUSTED_CONTEXTS, INDY_PROXIES, BASE_ORG_ID, AGENT_LABEL, LOG_LEVEL } = Settings.entries
const { AUTO_ACCEPT_OFFERS, AUTO_ACCEPT_PROOF_REQUESTS } = Settings.entries

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
const EventSourceConcurrency = wholeNumber(2, 1000)

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html */
const TableName = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_.-]{3,255}$/, 'is not the name of a table'))

const TRUE_OR_FALSE = v.picklist(['true', 'false'], 'is neither true nor false')

const KEY_ARN = /^arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/

/** Describes the first proxy whose address the functions would reject; undefined if there is none. */
const proxyProblem = (proxies: Record<string, string>): string | undefined => {
  for (const [namespace, address] of Object.entries(proxies)) {
    const rejection = invalidUrlReason(address, { local: false })
    if (rejection !== undefined) return `the proxy of ${namespace} is rejected: ${rejection}`
  }
  return undefined
}

export const DeploymentSettings = v.object({
  TOKEN_ISSUERS: described(
    v.pipe(
      v.nonOptional(TOKEN_ISSUERS, 'is not set'),
      TokenIssuers,
      v.minLength(1, 'is empty: no token would be valid'),
      v.check(
        (issuers) => issuerProblem(issuers) === undefined,
        ({ input }) => issuerProblem(input) ?? '',
      ),
    ),
    'Trusted token issuers with their keys and grants, as JSON. Required.',
  ),
  ...AddressSettings.entries,
  TRUSTED_CONTEXTS: described(
    TRUSTED_CONTEXTS,
    'JSON-LD contexts that every verifier of the stage trusts, 10 at most, as JSON: `[{"address":"https://...","digest":"..."}]`, with the SHA-256 of the document in hexadecimal.',
  ),
  INDY_PROXIES: described(
    v.pipe(
      INDY_PROXIES,
      v.check(
        (proxies) => proxyProblem(proxies) === undefined,
        ({ input }) => proxyProblem(input) ?? '',
      ),
    ),
    'Addresses of indy-vdr-proxies by the namespaces of their ledgers, as JSON; unqualified ids are searched in this order.',
  ),
  BASE_ORG_ID: described(BASE_ORG_ID, 'Organization that events of the base agent go to; `base` by default.'),
  AGENT_LABEL: described(AGENT_LABEL, 'Label of the base agent in its invitations; `serverless-agent` by default.'),
  AUTO_ACCEPT_OFFERS: described(
    AUTO_ACCEPT_OFFERS,
    '`true`: the base agent accepts offers of credentials without an API call.',
  ),
  AUTO_ACCEPT_PROOF_REQUESTS: described(
    AUTO_ACCEPT_PROOF_REQUESTS,
    '`true`: the base agent accepts proof requests without an API call.',
  ),
  LOG_LEVEL: described(
    LOG_LEVEL,
    'The lowest level that is logged: `debug`, `info` (the default), `warn`, `error` or `silent`.',
  ),
  ...RateSettings.entries,
  ...WatchSettings.entries,
  DELIVERY_CONCURRENCY: described(
    v.optional(EventSourceConcurrency),
    'Concurrent deliveries to wallets and webhook endpoints, instead of the number computed from the account.',
  ),
  SLOW_DELIVERY_CONCURRENCY: described(
    v.optional(EventSourceConcurrency),
    'Concurrent deliveries to slow destinations, instead of the number computed from the account.',
  ),
  TABLE_NAME: described(
    v.optional(TableName),
    'Name of the table, for a stack whose table has one; without it CloudFormation makes a name.',
  ),
  EXISTING_TABLE: described(
    v.optional(TableName),
    'Table of an earlier stack that this one uses in place of a new one, with EXISTING_KEY.',
  ),
  EXISTING_KEY: described(
    v.optional(v.pipe(v.string(), v.regex(KEY_ARN, 'is not the ARN of a KMS key'))),
    'ARN of the KMS key of the data keys in EXISTING_TABLE.',
  ),
  ALLOW_NEW_ADDRESS: described(
    v.optional(TRUE_OR_FALSE, 'false'),
    '`true` deploys a stage with a new address; wallets keep the old one.',
  ),
  ALLOW_NEW_TABLE: described(
    v.optional(TRUE_OR_FALSE, 'false'),
    '`true` deploys a new stack with an empty table beside the one that an earlier stack has left.',
  ),
  ANONCREDS: described(
    v.optional(v.picklist(['on', 'off'], 'is neither on nor off'), 'on'),
    "`off` deploys without AnonCreds' native library, which `npm run anoncreds -- --arch arm64` installs.",
  ),
  DELETION_PROTECTION: described(
    v.optional(TRUE_OR_FALSE, 'true'),
    '`false` lets the table be deleted: deploy takes its deletion protection off.',
  ),
})

const EXAMPLE =
  '[{"issuer":"https://id.example.org","audience":"serverless-agent","jwksUri":"https://id.example.org/jwks"}]'

/** Serverless's own default; that of serverless.yml, without AWS_REGION, is another. */
const SERVERLESS_REGION = 'us-east-1'

/** A line for each invalid setting. */
export const settingsProblems = (environment: NodeJS.ProcessEnv, stage: string, region: string): string[] => {
  const values = withoutEmpty(environment)
  const { issues = [] } = v.safeParse(DeploymentSettings, values)
  const named = new Map(issues.map((issue) => [v.getDotPath(issue)?.split('.')[0] ?? '', issue] as const))
  const problems = [...named].map(([name, issue]) =>
    values[name] === undefined ? `${name} is not set; for example ${EXAMPLE}` : issueLine(issue),
  )
  // A GitHub workflow passes on a variable that is not set as an empty text.
  if (environment.AWS_REGION === '' && ['', SERVERLESS_REGION].includes(region))
    problems.push(`AWS_REGION is empty, for which Serverless takes ${SERVERLESS_REGION}: unset it, or name a region`)
  const isAddressGiven = Object.keys(AddressSettings.entries).every((name) => !named.has(name))
  return [...problems, ...(isAddressGiven ? addressProblems(values, stage, region) : []), ...dataProblems(values)]
}

const addressProblems = (values: NodeJS.ProcessEnv, stage: string, region: string): string[] => {
  try {
    addressOf(values, stage, region)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

/** EXISTING_TABLE and EXISTING_KEY must be set together. */
const dataProblems = ({ EXISTING_TABLE, EXISTING_KEY, TABLE_NAME }: NodeJS.ProcessEnv): string[] => {
  const problems: string[] = []
  if (EXISTING_TABLE !== undefined && EXISTING_KEY === undefined)
    problems.push('EXISTING_KEY is not set: sealed items in EXISTING_TABLE could not be unsealed')
  if (EXISTING_KEY !== undefined && EXISTING_TABLE === undefined)
    problems.push('EXISTING_TABLE is not set: an existing key is used only with its table')
  if (EXISTING_TABLE !== undefined && TABLE_NAME !== undefined)
    problems.push(
      'TABLE_NAME and EXISTING_TABLE are both set: the first names a table that the stack creates, the second an existing one',
    )
  return problems
}
