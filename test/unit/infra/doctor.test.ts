/**
 * What doctor finds before anything is made: each planted fault in a line that says what to do, and nothing in a sound
 * deployment.
 */
import { describe, expect, test } from 'vitest'
import type { Account, Stack } from '../../../infra/deployment/account.ts'
import type { AddressOnAws } from '../../../infra/deployment/address-on-aws.ts'
import { checkAccount, checkPackaged, checkPlan, type Plan } from '../../../infra/deployment/checks.ts'
import { type Finding, toLine } from '../../../infra/deployment/finding.ts'
import { type Reading, read } from '../../../infra/deployment/reading.ts'
import type { Resource, Template } from '../../../infra/service.ts'

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/00000000-0000-0000-0000-000000000000'
const OTHER_KEY = KEY.replaceAll('00000000-', '11111111-')

const PUBLIC_URL = 'https://agent.example.org'

const environment: NodeJS.ProcessEnv = {
  TOKEN_ISSUERS: JSON.stringify([
    { issuer: 'https://id.example.org', audience: 'agent', jwksUri: 'https://id.example.org/jwks' },
  ]),
  PUBLIC_URL,
}

const plan: Plan = {
  publicUrl: PUBLIC_URL,
  stage: 'prod',
  region: 'eu-central-1',
  stackName: 'serverless-agent-prod',
  environment,
  paths: ['/health', '/connections/{connectionId}'],
  functionNames: ['serverless-agent-prod-health'],
  anonCreds: { architecture: 'arm64', hasLibrary: true },
  indexes: ['due'],
}

const resource = (Type: string, Properties: Record<string, unknown> = {}): Resource => ({ Type, Properties })

const template = (): Template => ({
  Resources: {
    Table: resource('AWS::DynamoDB::Table'),
    SealingKey: resource('AWS::KMS::Key'),
    HealthLambdaFunction: resource('AWS::Lambda::Function', {
      FunctionName: 'serverless-agent-prod-health',
      Environment: { Variables: { TABLE_NAME: { Ref: 'Table' }, AGENT_LABEL: 'agent', PUBLIC_URL } },
    }),
    HealthRole: resource('AWS::IAM::Role', {
      RoleName: { 'Fn::Join': ['-', ['serverless-agent-prod-health', { Ref: 'AWS::Region' }, 'lambdaRole']] },
    }),
  },
  Outputs: { TableName: { Value: { Ref: 'Table' } } },
})

const account: Account = {
  region: 'eu-central-1',
  identity: { value: { account: '123456789012', arn: 'arn:aws:iam::123456789012:user/operator' } },
  lambda: { value: { concurrency: 1000, unreserved: 1000, codeLeft: 75e9 } },
  quotas: { value: { apiResources: 300, apiRate: 10_000, tableWrites: 40_000 } },
  roles: { value: { used: 12, most: 1000 } },
  gateway: { value: { cloudWatchRole: 'arn:aws:iam::123456789012:role/logs', roleExists: true } },
  keyRights: { value: { denied: [] } },
  stack: { value: undefined },
  existingTable: undefined,
  existingKey: undefined,
  layout: { value: undefined },
  address: undefined,
  tables: { value: [] },
}

/** A deployed stack of the same template. */
const deployed = (changes: Partial<Stack> = {}): Reading<Stack> => ({
  value: {
    status: 'UPDATE_COMPLETE',
    outputs: { TableName: 'serverless-agent-prod-Table-1A', SealingKeyArn: KEY },
    template: template(),
    physicalIds: {
      Table: 'serverless-agent-prod-Table-1A',
      SealingKey: '00000000-0000-0000-0000-000000000000',
      HealthRole: 'serverless-agent-prod-health-eu-central-1-lambdaRole',
    },
    ...changes,
  },
})

interface Planted {
  account?: Partial<Account>
  plan?: Partial<Plan>
  template?: (sound: Template) => void
}

const examine = ({ account: changes, plan: planned, template: change }: Planted = {}): Finding[] => {
  const seen = { ...account, ...changes }
  const wanted = { ...plan, ...planned }
  const packaged = template()
  change?.(packaged)
  return [...checkPlan(wanted), ...checkAccount(seen, wanted), ...checkPackaged(seen, wanted, packaged)]
}

const notOk = (planted?: Planted): string[] =>
  examine(planted)
    .filter(({ status }) => status !== 'ok')
    .map(toLine)

describe('nothing is found', () => {
  test('in the generated address of a stage, once it is set', () => {
    const generated = template()
    const { Environment } = generated.Resources.HealthLambdaFunction?.Properties ?? {}
    Object(Environment).Variables.PUBLIC_URL = { 'Fn::Sub': 'https://…' }
    const outputs = { TableName: 'serverless-agent-prod-Table-1A', SealingKeyArn: KEY, ServiceEndpoint: PUBLIC_URL }
    expect(notOk({ account: { stack: deployed({ template: generated, outputs }) } })).toEqual([])
  })

  test('in an address that wrong settings do not say', () => {
    expect(notOk({ account: { stack: deployed() }, plan: { publicUrl: undefined } })).toEqual([])
  })

  test('in another address where that is said', () => {
    const moved = { publicUrl: 'https://new.example.org', environment: { ...environment, ALLOW_NEW_ADDRESS: 'true' } }
    expect(notOk({ account: { stack: deployed() }, plan: moved })).toEqual([])
  })

  test('before a first deployment, or in one that keeps its data', () => {
    expect(notOk()).toEqual([])
    const plans = [examine(), examine({ account: { stack: deployed() } })]
    expect(plans.map((findings) => findings.find(({ check }) => check === 'table and key')?.message)).toEqual([
      'both will be created',
      'the stack keeps its own',
    ])
  })

  test('if the operator deploys without AnonCreds’ library', () => {
    const anonCreds = { architecture: 'arm64', hasLibrary: false }
    expect(notOk({ plan: { anonCreds, environment: { ...environment, ANONCREDS: 'off' } } })).toEqual([])
  })

  test('before an update, with all that belongs to the stack', () => {
    const own = { stack: deployed(), tables: { value: ['serverless-agent-prod-Table-1A'] } }
    expect(notOk({ account: own })).toEqual([])
  })

  test('where API Gateway has no role for logs: deploy makes it', () => {
    const gateway = { value: { cloudWatchRole: undefined, roleExists: false } }
    expect(notOk({ account: { gateway } })).toEqual([])
  })

  test('after a failed update that was rolled back', () => {
    expect(notOk({ account: { stack: deployed({ status: 'UPDATE_ROLLBACK_COMPLETE' }) } })).toEqual([])
  })

  test('after a failed first deployment, of which only the first step is left', () => {
    const left = { status: 'UPDATE_ROLLBACK_COMPLETE', outputs: {}, physicalIds: { Bucket: 'b' }, template: undefined }
    expect(notOk(withStack(left))).toEqual([])
  })

  test('where the stack is to make a domain with its record', () => {
    expect(notOk(domain())).toEqual([])
    expect(notOk(domain({ certificate: { value: { status: 'ISSUED', names: ['*.example.org'] } } }))).toEqual([])
  })

  test('where the stack has the domain and its record already', () => {
    const own = domain({ domain: { value: { stack: 'serverless-agent-prod' } }, zone: { value: zone(['A']) } })
    for (const ApiDomainRecord of [DOMAIN, `${DOMAIN}.`]) {
      const physicalIds = { Table: 't', SealingKey: 'id', ApiDomain: DOMAIN, ApiDomainRecord }
      expect(notOk({ ...own, account: { ...own.account, stack: deployed({ physicalIds }) } })).toEqual([])
    }
  })

  test('where an earlier table is used with its key', () => {
    const old = existing()
    const account = { ...old.account, tables: { value: ['old'] }, keyRights: { value: { denied: ['kms:CreateKey'] } } }
    const template = ({ Resources }: Template) => void delete Resources.SealingKey
    expect(notOk({ ...old, account, template })).toEqual([])
  })

  test.each(['CREATE_COMPLETE', 'IMPORT_COMPLETE', 'IMPORT_ROLLBACK_COMPLETE', 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'])(
    'in a stack in %s',
    (status) => {
      expect(notOk({ account: { stack: deployed({ status }) } })).toEqual([])
    },
  )

  test('where a stage of developers has an address that only its own network has', () => {
    const PUBLIC_URL = 'https://agent.corp'
    expect(notOk({ plan: { stage: 'dev', environment: { ...environment, PUBLIC_URL } } })).toEqual([])
  })

  test('where the stack has its roles and its key, and no others could be made', () => {
    const none = { ...FULL, keyRights: { value: { denied: ['kms:CreateKey'] } } }
    expect(notOk({ account: { ...none, stack: deployed() } })).toEqual([])
    const physicalIds = { HealthRole: 'serverless-agent-prod-health-eu-central-1-lambdaRole' }
    const withKeyOfBefore = ({ Resources }: Template) => Reflect.deleteProperty(Resources, 'SealingKey')
    const taken = { account: { ...none, stack: deployed({ physicalIds }) }, template: withKeyOfBefore }
    expect(notOk(taken).filter((line) => /roles|KMS/.test(line))).toEqual([])
  })

  test('if IAM does not say whether the key may be created, which a deployment does not need', () => {
    const findings = examine({ account: { keyRights: { value: { denied: undefined } } } })
    expect(findings.find(({ check }) => check === 'KMS rights')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('whether IAM allows creating the key is unknown'),
    })
  })

  test('in a domain whose records are managed elsewhere', () => {
    expect(notOk(domain({ zone: undefined, zoneId: undefined }))).toEqual([])
  })

  test('in a domain that is that of its hosted zone', () => {
    expect(notOk(domain({ zone: { value: zone([], { name: DOMAIN }) } }))).toEqual([])
  })

  test.each<[string, Planted]>([
    ['code', { account: { lambda: lambda({ codeLeft: 100e6 }) } }],
    ['resources and requests', { account: { quotas: quotas({ apiResources: 4, apiRate: 500, tableWrites: 26_000 }) } }],
    ['roles', { account: { roles: { value: { used: 999, most: 1000 } } } }],
    ['an environment', { template: label('x'.repeat(3920)) }],
    ['the name of a role, with its account and partition', { template: named(49, 'AWS::AccountId', 'AWS::Partition') }],
    [
      'the name of a role, of another that has none',
      { template: ({ Resources }) => void Object.assign(Resources, { Nameless: resource('AWS::IAM::Role') }) },
    ],
    ['a stage name', { plan: { stage: 'x'.repeat(40), functionNames: ['x'.repeat(64)] }, template: named(64) }],
    ['a template', { template: topics(496) }],
  ])('in %s of which AWS takes no more', (_, planted) => {
    expect(notOk(planted)).toEqual([])
  })
})

/** Changes a template: its role has a name of so many characters, and behind them what these parameters say. */
const named =
  (length: number, ...parameters: string[]) =>
  ({ Resources }: Template): void => {
    const parts = ['x'.repeat(length), ...parameters.map((Ref) => ({ Ref }))]
    Object(Resources.HealthRole?.Properties).RoleName = { 'Fn::Join': ['', parts] }
  }

/** The settings name a table and a key of an earlier stack. */
const existing = (table: object = {}, key: object | null = {}, set: NodeJS.ProcessEnv = {}): Planted => ({
  plan: { environment: { ...environment, EXISTING_TABLE: 'old', EXISTING_KEY: KEY, ...set } },
  account: {
    existingTable: {
      value: {
        name: 'old',
        arn: 'arn:t',
        streamArn: 'arn:s',
        status: 'ACTIVE',
        indexes: ['due'],
        sealingKey: KEY,
        ...table,
      },
    },
    existingKey: { value: key === null ? undefined : { arn: KEY, id: 'id', state: 'Enabled', ...key } },
  },
})

const DOMAIN = 'agent.example.org'
const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/1'

const zone = (records: string[] = [], changes: object = {}) => ({
  ...{ name: 'example.org', isPrivate: false, records },
  ...changes,
})

/** The settings ask for a domain with a record. */
const domain = (changes: Partial<AddressOnAws> = {}): Planted => ({
  plan: {
    environment: {
      ...{ TOKEN_ISSUERS: environment.TOKEN_ISSUERS, DOMAIN_NAME: DOMAIN },
      ...{ CERTIFICATE_ARN: CERTIFICATE, HOSTED_ZONE_ID: 'Z1' },
    },
  },
  account: {
    address: {
      domainName: DOMAIN,
      certificateArn: CERTIFICATE,
      zoneId: 'Z1',
      certificate: { value: { status: 'ISSUED', names: [DOMAIN] } },
      domain: { value: undefined },
      zone: { value: zone() },
      ...changes,
    },
  },
})

const denied = async (action: string) => {
  const error = Object.assign(new Error('User is not authorized'), { name: 'AccessDeniedException' })
  return read<never>(action, () => Promise.reject(error))
}

const set = (settings: NodeJS.ProcessEnv): Planted => ({ plan: { environment: { ...environment, ...settings } } })
const lambda = (changes: object) => ({ value: { concurrency: 1000, unreserved: 1000, ...changes } })
const quotas = (changes: object) => ({ value: { apiResources: 300, apiRate: 10_000, tableWrites: 40_000, ...changes } })
const FULL = { roles: { value: { used: 1000, most: 1000 } } }
const LEFT = { tables: { value: ['serverless-agent-prod'] } }
const withStack = (changes?: Partial<Stack>): Planted => ({ account: { stack: deployed(changes) } })
/** The stack uses an earlier table. */
const USES_OLD = { outputs: { TableName: 'old', SealingKeyArn: KEY }, physicalIds: { Queue: 'q' } }
const OF_OTHER_STACK = { domain: { value: { stack: 'serverless-agent-old' } } }
const label =
  (AGENT_LABEL: unknown) =>
  ({ Resources }: Template): void => {
    Object.assign(Object(Resources.HealthLambdaFunction?.Properties).Environment.Variables, { AGENT_LABEL })
  }
/** So many topics more. */
const topics =
  (count: number) =>
  ({ Resources }: Template): void => {
    for (let index = 0; index < count; index++) Resources[`Topic${index}`] = resource('AWS::SNS::Topic')
  }
const UNAUTHENTICATED = { failure: { kind: 'unauthenticated', action: 'sts:GetCallerIdentity', message: '' } } as const
const unavailable = (action: string, message: string) =>
  ({ failure: { kind: 'unavailable', action, message } }) as const

const PLANTED: [fault: string, planted: Planted, line: RegExp][] = [
  [
    'unknown credentials',
    { account: { identity: UNAUTHENTICATED } },
    /^FAULT {3}credentials: AWS rejects them: log in/,
  ],
  [
    'no AnonCreds library for the functions’ processors',
    { plan: { anonCreds: { architecture: 'arm64', hasLibrary: false } } },
    /^FAULT {3}anoncreds: .* npm run anoncreds -- --arch arm64 installs it, ANONCREDS=off deploys without it$/,
  ],
  ['a region that is none', { account: { region: 'europe' } }, /^FAULT {3}region: europe is not a region: --region/],
  [
    'a region that does not answer',
    { account: { identity: unavailable('sts', 'ENOTFOUND') } },
    /^FAULT {3}credentials: AWS is unreachable in eu-central-1: /,
  ],
  [
    "a new account's concurrency",
    { account: { lambda: lambda({ concurrency: 10, unreserved: 10 }) } },
    /^warning concurrency: the account runs 10 concurrent functions: .*L-B99A9384/,
  ],
  [
    'a concurrency that cannot be requested',
    { account: { lambda: unavailable('lambda', 'ETIMEDOUT') } },
    /^warning concurrency: lambda failed, so the 10 of a new account are assumed \(ETIMEDOUT\)$/,
  ],
  [
    'an API with more resources than the account allows',
    { account: { quotas: quotas({ apiResources: 3 }) } },
    /^FAULT {3}quotas: the API has 4 resources, the account allows 3: ask for more/,
  ],
  [
    'no room for the roles',
    { account: FULL },
    /^FAULT {3}roles: 1 roles will be created, and 1000 of 1000 exist: ask for more/,
  ],
  [
    'no room for the role of a new function',
    {
      account: { ...FULL, stack: deployed() },
      template: ({ Resources }) => void Object.assign(Resources, { NewRole: Resources.HealthRole }),
    },
    /^FAULT {3}roles: 1 roles will be created/,
  ],
  [
    'no room for the roles, of which a failed first deployment has made none',
    { account: { ...FULL, stack: deployed({ outputs: {}, physicalIds: { Bucket: 'b' }, template: undefined }) } },
    /^FAULT {3}roles: 1 roles will be created/,
  ],
  [
    'more requests a second than the account has',
    { account: { quotas: quotas({ apiRate: 499 }) } },
    /^warning quotas: OPERATION_RATE is 500 requests a second, the account has 499/,
  ],
  [
    'more credentials a second than a table takes',
    { account: { quotas: quotas({ tableWrites: 25_999 }) } },
    /^warning table writes: OPERATION_RATE is 500 requests a second, and a table accepts 25999 write units a second \(500 credentials\): ask/,
  ],
  ['a setting that is wrong', set({ LOG_LEVEL: 'loud' }), /^FAULT {3}settings: LOG_LEVEL: /],
  [
    'an address without https',
    set({ PUBLIC_URL: 'http://agent.example.org' }),
    /^FAULT {3}settings: PUBLIC_URL: must be https/,
  ],
  [
    'an address that only its own network has',
    set({ PUBLIC_URL: 'https://agent.corp' }),
    /^warning settings: PUBLIC_URL: a local name: other hosts cannot reach agent\.corp/,
  ],
  [
    'an address with a query',
    set({ PUBLIC_URL: 'https://agent.example.org/?a=b' }),
    /^FAULT {3}settings: PUBLIC_URL: has a query/,
  ],
  [
    'another address than the domain that is made',
    set({ DOMAIN_NAME: 'other.example.org', CERTIFICATE_ARN: CERTIFICATE }),
    /^warning settings: PUBLIC_URL is at agent\.example\.org, and the stack makes other\.example\.org/,
  ],
  [
    'a rate of strangers that the account has no room for',
    set({ DIDCOMM_RATE: '5000' }),
    /^warning concurrency: DIDCOMM_RATE=5000: unauthenticated callers may take 2000 of the account's 1000/,
  ],
  [
    'a region that is full of code',
    { account: { lambda: lambda({ codeLeft: 90e6 }) } },
    /^FAULT {3}code storage: Lambda accepts 90 MB more code in this region, .*: delete functions/,
  ],
  [
    'an environment of more than 4 KB, once for all functions',
    {
      template: (it) => {
        label('x'.repeat(4100))(it)
        it.Resources.OtherLambdaFunction = structuredClone(it.Resources.HealthLambdaFunction) as Resource
      },
    },
    /^FAULT {3}environment: HealthLambdaFunction has 4\d{3} bytes, and Lambda accepts 4096, and 1 others have too many: AGENT_LABEL/,
  ],
  [
    'an environment of more than 4 KB',
    { template: label('x'.repeat(3921)) },
    /^FAULT {3}environment: HealthLambdaFunction has 4097 bytes, and Lambda accepts 4096: AGENT_LABEL is the largest/,
  ],
  [
    'an environment of more than 4 KB, by a part of an expression',
    { template: label({ 'Fn::Sub': [`\${label}`, { label: 'x'.repeat(4000) }] }) },
    /^FAULT {3}environment: HealthLambdaFunction has 4\d{3} bytes/,
  ],
  [
    'a stage that makes a role too long',
    { plan: { stage: 'a-stage-with-a-long-name' }, template: named(72) },
    /^FAULT {3}stage name: a-stage-with-a-long-name is 8 characters too long: /,
  ],
  [
    'a stage that makes a function too long, before anything is packaged',
    { plan: { functionNames: [`serverless-agent-prod-${'x'.repeat(43)}`] } },
    /^FAULT {3}stage name: prod is 1 characters too long: serverless-agent-prod-x+ has 65, and AWS accepts 64$/,
  ],
  ['a stage of 41 characters', { plan: { stage: 'x'.repeat(41) } }, /^FAULT {3}stage name: "x{41}" is not a name /],
  ['a stage that is no name', { plan: { stage: 'prod_1' } }, /^FAULT {3}stage name: "prod_1" is not a name /],
  [
    'no right to make a key',
    { account: { keyRights: { value: { denied: ['kms:CreateKey'] } } } },
    /^FAULT {3}KMS rights: IAM denies kms:CreateKey: allow/,
  ],
  [
    'a role for logs that is gone',
    { account: { gateway: { value: { cloudWatchRole: 'arn:aws:iam::1:role/gone', roleExists: false } } } },
    /^FAULT {3}CloudWatch role of API Gateway: arn:aws:iam::1:role\/gone is set but does not exist: remove it/,
  ],
  [
    'a template of too many resources',
    { template: topics(500) },
    /^FAULT {3}template: it has 504 resources, and CloudFormation accepts 500/,
  ],
  [
    'a template of too many bytes',
    {
      template: ({ Resources }) =>
        void Object.assign(Resources, { Api: resource('any', { Body: 'x'.repeat(1_048_576) }) }),
    },
    /^FAULT {3}template: it has 1\d{6} bytes, and CloudFormation accepts 1048576/,
  ],
  [
    'a template of too many outputs',
    {
      template: (it) => {
        it.Outputs = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`Out${index}`, { Value: 'x' }]))
      },
    },
    /^FAULT {3}template: it has 201 outputs, and CloudFormation accepts 200/,
  ],
  ...(
    [
      ['ROLLBACK_COMPLETE', /ROLLBACK_COMPLETE: its first deployment failed.*delete-stack/],
      ['ROLLBACK_FAILED', /ROLLBACK_FAILED: .*so did the rollback: .*delete-stack/],
      ['IMPORT_ROLLBACK_FAILED', /IMPORT_ROLLBACK_FAILED: it accepts no update/],
      ['UPDATE_ROLLBACK_FAILED', /UPDATE_ROLLBACK_FAILED: .*continue-update-rollback/],
      ['DELETE_FAILED', /DELETE_FAILED: .*--retain-resources/],
      ['REVIEW_IN_PROGRESS', /REVIEW_IN_PROGRESS: a change set/],
      ['UPDATE_IN_PROGRESS', /UPDATE_IN_PROGRESS: .*wait until/],
    ] as const
  ).map(([status, says]): [string, Planted, RegExp] => [
    `a stack in ${status}`,
    withStack({ status }),
    new RegExp(`^FAULT {3}stack: serverless-agent-prod is in ${says.source}`),
  ]),
  [
    'a table that is left, beside which a stack would begin empty',
    { account: LEFT, ...set({ ALLOW_NEW_TABLE: 'false' }) },
    /^FAULT {3}tables: serverless-agent-prod: left of an earlier stack, .*EXISTING_TABLE and EXISTING_KEY.*ALLOW_NEW_TABLE=true/,
  ],
  [
    'a table that is left, by whose name the stack would make its own',
    { account: LEFT, ...set({ TABLE_NAME: 'serverless-agent-prod' }) },
    /^FAULT {3}tables: serverless-agent-prod: left of an earlier stack/,
  ],
  [
    'a table that is left, beside which a stack is to begin empty',
    { account: LEFT, ...set({ ALLOW_NEW_TABLE: 'true' }) },
    /^warning tables: serverless-agent-prod: left of an earlier stack$/,
  ],
  [
    'a table that is left, beside a stack with another table',
    { account: { stack: deployed(), ...LEFT } },
    /^warning tables: serverless-agent-prod: left of an earlier stack$/,
  ],
  [
    'a table that is left, beside another one that is used again',
    { ...existing(), account: { ...existing().account, tables: { value: ['serverless-agent-prod', 'old'] } } },
    /^warning tables: serverless-agent-prod: left of an earlier stack$/,
  ],
  [
    'an address that is not that of the stage',
    {
      ...withStack(),
      plan: { publicUrl: 'https://new.example.org', environment: { ...environment, ALLOW_NEW_ADDRESS: 'false' } },
    },
    /^FAULT {3}address: wallets keep https:\/\/agent\.example\.org permanently: set PUBLIC_URL to it, .*ALLOW_NEW_ADDRESS=true/,
  ],
  [
    'a generated address in place of that of the stage',
    { ...withStack(), plan: { publicUrl: { 'Fn::Sub': 'https://…' } } },
    /^FAULT {3}address: wallets keep https:\/\/agent\.example\.org permanently/,
  ],
  [
    'a certificate that is not there',
    domain({ certificate: { value: undefined } }),
    /^FAULT {3}certificate: CERTIFICATE_ARN=.* there is no such certificate in eu-central-1: request one /,
  ],
  [
    'a certificate that waits for its DNS record',
    domain({ certificate: { value: { status: 'PENDING_VALIDATION', names: [DOMAIN] } } }),
    /^FAULT {3}certificate: .* is PENDING_VALIDATION: create the DNS record .*describe-certificate/,
  ],
  [
    'a certificate that is over',
    domain({ certificate: { value: { status: 'EXPIRED', names: [DOMAIN] } } }),
    /^FAULT {3}certificate: .* is EXPIRED: request another/,
  ],
  [
    'a certificate that was taken back',
    domain({ certificate: { value: { status: 'REVOKED', names: [DOMAIN] } } }),
    /^FAULT {3}certificate: .* is REVOKED: request another/,
  ],
  [
    'a certificate of another name',
    domain({ certificate: { value: { status: 'ISSUED', names: ['example.org', '*.agent.example.org', '*.org'] } } }),
    /^FAULT {3}certificate: .* is for example\.org, \*\.agent\.example\.org, \*\.org, not for agent\.example\.org: request one/,
  ],
  [
    'a domain of another stack',
    domain(OF_OTHER_STACK),
    /^FAULT {3}domain: agent\.example\.org is the domain of the stack serverless-agent-old: .*leave CERTIFICATE_ARN and HOSTED_ZONE_ID out/,
  ],
  [
    'a domain of another stack, in a stack with a domain of its own',
    {
      ...domain(),
      account: {
        ...domain(OF_OTHER_STACK).account,
        stack: deployed({ physicalIds: { Table: 't', SealingKey: 'id', ApiDomain: 'old.example.org' } }),
      },
    },
    /^FAULT {3}domain: agent\.example\.org is the domain of the stack serverless-agent-old/,
  ],
  [
    'a domain that was created by hand',
    domain({ domain: { value: { stack: undefined } } }),
    /^FAULT {3}domain: agent\.example\.org already exists, and no stack has it: .*leave CERTIFICATE_ARN/,
  ],
  [
    'a hosted zone that is not there',
    domain({ zone: { value: undefined } }),
    /^FAULT {3}hosted zone: HOSTED_ZONE_ID=Z1: there is no such zone: .*list-hosted-zones/,
  ],
  [
    'a hosted zone of another name',
    domain({ zone: { value: zone([], { name: 'ample.org' }) } }),
    /^FAULT {3}hosted zone: Z1 is ample\.org, which agent\.example\.org is not in: /,
  ],
  [
    'a private hosted zone',
    domain({ zone: { value: zone([], { isPrivate: true }) } }),
    /^warning hosted zone: Z1 is private: only its networks will find agent\.example\.org/,
  ],
  [
    'a record in the way',
    domain({ zone: { value: zone(['CNAME', 'A', 'TXT']) } }),
    /^FAULT {3}hosted zone: agent\.example\.org has a record of type CNAME, A already: delete it, or leave HOSTED_ZONE_ID out/,
  ],
  [
    'a fixed name that the update would drop',
    withStack({ template: { Resources: { Table: resource('any', { TableName: 'serverless-agent-prod' }) } } }),
    /^FAULT {3}table and key: .*set TABLE_NAME=serverless-agent-prod, or it would start with an empty one/,
  ],
  [
    'a template whose fixed name cannot be read',
    withStack({ template: undefined }),
    /^FAULT {3}table and key: the stack's template is not JSON/,
  ],
  [
    'a fixed name that the stack does not have',
    { ...set({ TABLE_NAME: 'other' }), account: { stack: deployed() } },
    /^FAULT {3}table and key: .*leave TABLE_NAME out/,
  ],
  [
    'an update that forgets the earlier table',
    withStack(USES_OLD),
    /^FAULT {3}table and key: .*set EXISTING_TABLE=old EXISTING_KEY=arn:aws:kms/,
  ],
  [
    'an update that uses the earlier table with another key',
    {
      plan: existing({}, {}, { EXISTING_KEY: OTHER_KEY }).plan ?? {},
      account: { ...existing({ sealingKey: undefined }).account, stack: deployed(USES_OLD) },
    },
    /^FAULT {3}table and key: the stack uses old of an earlier one: set EXISTING_TABLE=old EXISTING_KEY=.*00000000-/,
  ],
  [
    "an earlier table in place of the stack's own",
    { ...existing(), account: { ...existing().account, stack: deployed() } },
    /^FAULT {3}table and key: the stack has its own table/,
  ],
  [
    'an earlier table that is gone',
    { ...existing(), account: { ...existing().account, existingTable: { value: undefined } } },
    /there is no table of this name in eu-central-1$/,
  ],
  [
    'an earlier table without its stream',
    existing({ streamArn: undefined }),
    /old has no stream of new and old images: `aws dynamodb update-table/,
  ],
  ['an earlier table without an index', existing({ indexes: [] }), /old lacks the index due, /],
  [
    'an earlier table with another key',
    existing({ sealingKey: OTHER_KEY }),
    /old was sealed with arn:.*11111111.*set EXISTING_KEY/,
  ],
  [
    'a table of another layout',
    {
      account: { stack: deployed(), layout: { value: { mismatch: 'has layout version 7, not 1', isEmpty: false } } },
    },
    /^FAULT {3}table and key: the table has layout version 7.* remove this one and deploy it with ALLOW_NEW_TABLE=true$/,
  ],
  [
    'an earlier table with items and no layout version',
    {
      ...existing(),
      account: {
        ...existing().account,
        layout: { value: { mismatch: 'has no layout version', isEmpty: false } },
      },
    },
    /^FAULT {3}table and key: the table has no layout version.* leave EXISTING_TABLE and EXISTING_KEY out/,
  ],
  [
    'an earlier table that is being changed',
    existing({ status: 'UPDATING' }),
    /^FAULT {3}table and key: old is UPDATING: wait until it is ACTIVE$/,
  ],
  [
    'an earlier key that was disabled',
    existing({}, { state: 'Disabled' }),
    /is Disabled: `aws kms enable-key --key-id id`$/,
  ],
  ['an earlier key that is gone', existing({}, null), /there is no such key in this region$/],
  [
    'an earlier key that is about to go',
    existing({}, { state: 'PendingDeletion' }),
    /is PendingDeletion: `aws kms cancel-key-deletion, then enable-key/,
  ],
]

describe('found is', () => {
  test.each(PLANTED)('%s, in one line and nothing beside it', (_, planted, line) => {
    expect(notOk(planted)).toEqual([expect.stringMatching(line)])
    expect(notOk(planted)[0]).not.toContain('\n')
  })

  test('each right that is missing, by its name', async () => {
    const actions: Partial<Record<keyof Account, string>> = {
      lambda: 'lambda:GetAccountSettings',
      quotas: 'servicequotas:GetServiceQuota',
      roles: 'iam:GetAccountSummary',
      gateway: 'apigateway:GET',
      keyRights: 'kms:ListKeys',
      tables: 'dynamodb:ListTables',
      layout: 'dynamodb:GetItem',
    }
    const ofAddress: Partial<Record<keyof AddressOnAws, string>> = {
      certificate: 'acm:DescribeCertificate',
      domain: 'apigateway:GET',
      zone: 'route53:GetHostedZone',
    }
    for (const [name, action] of Object.entries(ofAddress))
      expect(notOk(domain({ [name]: await denied(action) }))).toEqual([
        expect.stringContaining(`the permission ${action} is missing: allow it to the deploying user or role`),
      ])
    for (const [name, action] of Object.entries(actions)) {
      const lines = notOk({ account: { [name]: await denied(action) } })
      expect(lines).toEqual([
        expect.stringContaining(`the permission ${action} is missing: allow it to the deploying user or role`),
      ])
    }
  })

  test('nothing as left over while the stack’s own tables are unknown', async () => {
    const { plan, account } = domain({ domain: { value: { stack: undefined } }, zone: { value: zone(['A']) } })
    const stack = await denied('cloudformation:DescribeStacks')
    const lines = notOk({ account: { ...account, stack, ...LEFT }, ...(plan && { plan }) })
    expect(lines.filter((line) => !line.includes('the permission cloudformation:DescribeStacks is missing'))).toEqual(
      [],
    )
  })

  test.each([
    ['a service did not answer', 'ServiceUnavailable'],
    ['the credentials have expired meanwhile', 'ExpiredToken'],
  ])('that %s: a warning, since it blocks nothing', async (_, name) => {
    const error = Object.assign(new Error('503\n    at somewhere (file.js:1:1)'), { name })
    const lines = notOk({
      account: { quotas: await read('servicequotas:GetServiceQuota', () => Promise.reject(error)) },
    })
    expect(lines).toEqual([
      `warning quotas: servicequotas:GetServiceQuota failed, so this is not checked (${name}: 503)`,
    ])
  })

  test('without credentials no more than that, and what needs none', () => {
    const checks = examine({ account: { identity: UNAUTHENTICATED } }).map(({ check }) => check)
    expect(checks).toEqual(['settings', 'anoncreds', 'credentials', 'template', 'environment', 'stage name'])
  })
})
