/** What can be set for a deployment, by the environment of `npm run deploy`: one schema, with a sentence on each for the guide. */
import * as v from 'valibot'
import { Settings } from '../../lib/settings.ts'
import { RateSettings } from '../rate-settings.ts'

const { TOKEN_ISSUERS, TRUSTED_CONTEXTS, PUBLIC_URL, BASE_ORG_ID, AGENT_LABEL, LOG_LEVEL } = Settings.entries

const wholeNumber = (from: number, to: number) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,4}$/, 'is not a whole number'),
    v.transform(Number),
    v.minValue(from, `is less than ${from}`),
    v.maxValue(to, `is more than ${to}`),
  )

/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
const EventSourceConcurrency = wholeNumber(2, 1000)

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html */
const TableName = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_.-]{3,255}$/, 'is not the name of a table'))

const KEY_ARN = /^arn:[a-z-]+:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/

export const DeploymentSettings = v.object({
  TOKEN_ISSUERS: v.pipe(
    v.nonOptional(TOKEN_ISSUERS, 'is not set'),
    v.minLength(1, 'is empty: no token would be valid'),
    v.description('Whose tokens are taken, by which keys, and how far they go, as JSON. Required.'),
  ),
  PUBLIC_URL: v.pipe(
    v.optional(v.pipe(PUBLIC_URL, v.startsWith('https://', 'does not begin with https://'))),
    v.description(
      'Address that wallets keep and that calls come to, without a slash at its end. Required outside dev.',
    ),
  ),
  TRUSTED_CONTEXTS: v.pipe(
    TRUSTED_CONTEXTS,
    v.description('JSON-LD contexts that every verifier of the stage trusts, by address and digest, as JSON.'),
  ),
  BASE_ORG_ID: v.pipe(BASE_ORG_ID, v.description('Organization that events of the base agent go to.')),
  AGENT_LABEL: v.pipe(AGENT_LABEL, v.description('Label of the base agent in its invitations.')),
  LOG_LEVEL: v.pipe(LOG_LEVEL, v.description('The least level of lines that are logged.')),
  OPERATION_RATE: v.pipe(
    RateSettings.entries.OPERATION_RATE,
    v.description('Requests a second to each operation, of all callers together; 500 by default.'),
  ),
  TENANT_RATE: v.pipe(
    RateSettings.entries.TENANT_RATE,
    v.description('Requests a second of a tenant; without it tenants are not counted.'),
  ),
  DELIVERY_CONCURRENCY: v.pipe(
    v.optional(EventSourceConcurrency),
    v.description(
      'Deliveries at once to wallets and webhook endpoints, in place of what is computed from the account.',
    ),
  ),
  SLOW_DELIVERY_CONCURRENCY: v.pipe(
    v.optional(EventSourceConcurrency),
    v.description('Deliveries at once to slow destinations, in place of what is computed from the account.'),
  ),
  TABLE_NAME: v.pipe(
    v.optional(TableName),
    v.description('Name of the table, for a stack whose table has one; without it CloudFormation makes a name.'),
  ),
  EXISTING_TABLE: v.pipe(
    v.optional(TableName),
    v.description('Table of an earlier stack that this one uses in place of a new one, with EXISTING_KEY.'),
  ),
  EXISTING_KEY: v.pipe(
    v.optional(v.pipe(v.string(), v.regex(KEY_ARN, 'is not the ARN of a KMS key'))),
    v.description('ARN of the KMS key that opens what is sealed in EXISTING_TABLE.'),
  ),
  DELETION_PROTECTION: v.pipe(
    v.optional(v.picklist(['true', 'false'], 'is neither true nor false'), 'true'),
    v.description('`false` lets the table be deleted: deploy takes its deletion protection off.'),
  ),
})

const EXAMPLE =
  '[{"issuer":"https://id.example.org","audience":"serverless-agent","jwksUri":"https://id.example.org/jwks"}]'

/** What is wrong with an environment, a line for each setting; `stage` says whether it may do without an address. */
export const settingsProblems = (environment: NodeJS.ProcessEnv, stage: string): string[] => {
  const given = environment.TOKEN_ISSUERS === '' ? { ...environment, TOKEN_ISSUERS: undefined } : environment
  const result = v.safeParse(DeploymentSettings, given)
  const named = new Map(
    (result.issues ?? []).map((issue) => [v.getDotPath(issue)?.split('.')[0] ?? '', issue] as const),
  )
  const problems = [...named].map(([name, issue]) => {
    if (given[name] === '') return `${name} is empty: leave it out`
    if (given[name] === undefined)
      return `${name} is not set${name === 'TOKEN_ISSUERS' ? `; for example ${EXAMPLE}` : ''}`
    return `${v.getDotPath(issue)}: ${issue.message}`
  })
  return [...problems, ...together(environment, stage)]
}

/** What is wrong with settings beside each other. */
const together = (environment: NodeJS.ProcessEnv, stage: string): string[] => {
  const { PUBLIC_URL: address, EXISTING_TABLE, EXISTING_KEY, TABLE_NAME } = environment
  const problems: string[] = []
  if (stage !== 'dev' && address === undefined)
    problems.push('PUBLIC_URL is not set: wallets keep the address for ever, and that of the next stack is another one')
  if (EXISTING_TABLE !== undefined && EXISTING_KEY === undefined)
    problems.push('EXISTING_KEY is not set: nothing that is sealed in EXISTING_TABLE could be opened')
  if (EXISTING_KEY !== undefined && EXISTING_TABLE === undefined)
    problems.push('EXISTING_TABLE is not set: an existing key is of use with its table only')
  if (EXISTING_TABLE !== undefined && TABLE_NAME !== undefined)
    problems.push(
      'TABLE_NAME and EXISTING_TABLE are both set: the one is of a table that the stack makes, the other of one that it finds',
    )
  return problems
}
