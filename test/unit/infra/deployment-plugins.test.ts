/** What the plugins of a deployment ask of AWS, say and change, by what there is in the account. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import Deployment from '../../../infra/plugins/deployment.ts'
import TableProtection from '../../../infra/plugins/table-protection.ts'
import TenantRates from '../../../infra/plugins/tenant-rates.ts'
import { type Answers, answerCommands } from '../../support/aws/answers.ts'
import { EMPTY_ACCOUNT, failure } from '../../support/aws/empty-account.ts'
import { temporaryFolder } from '../../support/stage/folder.ts'

const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/1'
const ROLE = 'arn:aws:iam::123456789012:role/logs'

/** With a stack of this status. */
const deployed = (StackStatus = 'UPDATE_COMPLETE'): Answers => ({
  GetAccountCommand: { cloudwatchRoleArn: ROLE },
  GetRoleCommand: {},
  DescribeStacksCommand: {
    Stacks: [
      {
        StackStatus,
        Outputs: [
          { OutputKey: 'TableName', OutputValue: 'agent' },
          { OutputKey: 'SealingKeyArn', OutputValue: KEY },
        ],
      },
    ],
  },
  GetTemplateCommand: { TemplateBody: '{"Resources":{}}' },
  ListStackResourcesCommand: {
    StackResourceSummaries: [
      { LogicalResourceId: 'Table', PhysicalResourceId: 'agent', ResourceStatus: 'CREATE_COMPLETE' },
      { LogicalResourceId: 'SealingKey', PhysicalResourceId: '1', ResourceStatus: 'CREATE_COMPLETE' },
    ],
  },
  ScanCommand: { Items: [] },
  PutItemCommand: {},
  UpdateTableCommand: {},
  DetectStackDriftCommand: { StackDriftDetectionId: '1' },
  DescribeStackDriftDetectionStatusCommand: { DetectionStatus: 'DETECTION_COMPLETE' },
  DescribeStackResourceDriftsCommand: { StackResourceDrifts: [] },
  ListFunctionsCommand: { Functions: [] },
  DescribeTableCommand: { Table: { DeletionProtectionEnabled: false } },
  DescribeTimeToLiveCommand: { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED' } },
  DescribeKeyCommand: { KeyMetadata: { KeyState: 'Enabled' } },
})

const lines = { notice: [] as string[], warning: [] as string[], info: [] as string[] }
const log = {
  notice: (line: string) => lines.notice.push(line),
  warning: (line: string) => lines.warning.push(line),
  info: (line: string) => lines.info.push(line),
}

const serverlessOf = (command: string) => {
  const compiledCloudFormationTemplate = { Resources: {}, Outputs: {} }
  const provider = { stage: 'prod', region: 'eu-central-1', architecture: 'arm64', environment: {} }
  return Object({
    serviceDir: '/tmp',
    service: {
      ...{ functions: {}, resources: { Resources: {} }, custom: { rateKeyPrefix: 'agent-prod-rate' } },
      provider: { ...provider, compiledCloudFormationTemplate },
    },
    processedInput: { commands: [command] },
    classes: { Error },
    pluginManager: { spawn: async () => {} },
    getProvider: () => ({
      naming: { getStackName: () => 'agent-prod' },
      getAwsSdkV3Config: async () => ({ region: 'eu-central-1' }),
    }),
  })
}

/** The plugin's hooks, and what was sent to AWS by them. */
const use = (answers: Answers, command = 'deploy') => {
  const sent = answerCommands({ ...EMPTY_ACCOUNT, ...answers })
  const [serverless, options] = [serverlessOf(command), { json: true, force: false, verbose: false }]
  const { hooks } = new Deployment(serverless, options, { log })
  const protection = new TableProtection(serverless, {}, { log })
  return {
    ...{ serverless, options },
    run: (hook: string) => Promise.resolve({ ...protection.hooks, ...hooks }[hook]?.()),
    named: (name: string) => sent.mock.calls.filter(([command]) => command.constructor.name === `${name}Command`),
  }
}

beforeEach(() => {
  for (const all of Object.values(lines)) all.length = 0
  vi.stubEnv('PUBLIC_URL', 'https://agent.example.org')
  for (const name of ['TABLE_NAME', 'DELETION_PROTECTION']) vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const BEFORE_PACKAGING = 'before:package:cleanup'
const BEFORE_THE_STACK = 'before:aws:deploy:deploy:createStack'

describe('a deployment', () => {
  test('waits for the end of a rollback', async () => {
    const { run, options } = use({})
    await run('initialize')
    expect(options.verbose).toBe(true)
  })

  test('tells of what is doubtful, and of what is sound only where that is asked for', async () => {
    const { run, serverless } = use({ GetAccountSettingsCommand: { AccountLimit: { ConcurrentExecutions: 10 } } })
    await run(BEFORE_PACKAGING)
    expect(lines.warning).toEqual([expect.stringMatching(/^concurrency: the account runs 10 functions at once/)])
    expect(lines.info).toContainEqual(expect.stringMatching(/^ok {6}stack: agent-prod is to be made/))
    expect(serverless.service.custom.accountConcurrency).toBe(10)
  })

  test('ends with what is wrong, before the template is packaged or after', async () => {
    const denied = { GetAccountSettingsCommand: failure('AccessDeniedException', 'denied') }
    for (const hook of [BEFORE_PACKAGING, BEFORE_THE_STACK])
      await expect(use(denied).run(hook)).rejects.toThrow('concurrency: the right lambda:GetAccountSettings is missing')
  })

  test('asks the account once', async () => {
    const { run, named } = use(deployed())
    for (const hook of [BEFORE_PACKAGING, BEFORE_THE_STACK]) await run(hook)
    expect(named('GetCallerIdentity')).toHaveLength(1)
    expect(lines.info.filter((line) => line.includes('stack: '))).toHaveLength(1)
  })

  test.each([
    ['UPDATE_ROLLBACK_COMPLETE', true],
    ['UPDATE_COMPLETE', false],
  ])('of a stack in %s is made though the CLI sees no change: %s', async (status, force) => {
    const { run, options } = use(deployed(status))
    await run(BEFORE_THE_STACK)
    expect(options.force).toBe(force)
  })

  test.each<[string, Answers, string[]]>([
    ['none', {}, [`API Gateway of this account writes its logs as ${ROLE} from now on`]],
    ['one', deployed(), []],
  ])('sets a role for the logs of API Gateway unless there is one: %s', async (_, answers, notices) => {
    const set = { CreateRoleCommand: { Role: { Arn: ROLE } }, PutRolePolicyCommand: {}, UpdateAccountCommand: {} }
    const { run, named } = use({ ...set, ...answers })
    await run(BEFORE_THE_STACK)
    expect(lines.notice).toEqual(notices)
    expect(named('UpdateAccount')).toHaveLength(notices.length)
  })

  test.each([
    [undefined, true, 'is protected against deletion'],
    ['true', true, 'is protected against deletion'],
    ['false', false, 'is no longer protected against deletion'],
  ])('with DELETION_PROTECTION=%s protects the table: %s', async (setting, isProtected, notice) => {
    vi.stubEnv('DELETION_PROTECTION', setting)
    const before = { DescribeTableCommand: { Table: { DeletionProtectionEnabled: !isProtected } } }
    const { run, named } = use({ ...deployed(), ...before })
    await run('after:deploy:deploy')
    expect(named('UpdateTable')).toMatchObject([[{ input: { DeletionProtectionEnabled: isProtected } }]])
    expect(lines.notice).toEqual([`The table agent ${notice}`])
  })

  test('ends at a table of another layout, which it leaves as it is', async () => {
    const { run, named } = use({ ...deployed(), ScanCommand: { Items: [{}] }, GetItemCommand: {} })
    await expect(run('after:deploy:deploy')).rejects.toThrow('the table agent ')
    expect(named('UpdateTable')).toEqual([])
  })
})

test.each([
  ['after a removal it is said how the data are used again', deployed(), 2],
  [
    'after one of a stack that does not name both nothing is',
    { DescribeStacksCommand: { Stacks: [{ Outputs: [{ OutputKey: 'TableName', OutputValue: 'agent' }] }] } },
    0,
  ],
])('%s', async (_, answers, notices) => {
  const { run } = use(answers)
  await run('before:remove:remove')
  await run('after:remove:remove')
  expect(lines.notice).toHaveLength(notices)
  if (notices > 0) expect(lines.notice[1]).toBe(`EXISTING_TABLE=agent EXISTING_KEY=${KEY}`)
})

describe("the template of the tenants' rates", () => {
  const upload = async (answer: object) => {
    await using folder = await temporaryFolder()
    const sent = answerCommands({ PutObjectCommand: answer })
    const serverless = { ...serverlessOf('deploy'), serviceDir: folder.path }
    const { provider } = Object.assign(serverless.service, { service: 'agent' })
    const { Resources } = Object.assign(provider.compiledCloudFormationTemplate, { Resources: { TenantRate: {} } })
    serverless.getProvider = () => ({
      getDeploymentPrefix: () => 'serverless',
      getAwsSdkV3Config: async () => ({ region: 'eu-central-1' }),
      getServerlessDeploymentBucketName: async () => 'bucket',
    })
    const { hooks } = new TenantRates(serverless)
    await hooks['after:aws:package:finalize:mergeCustomProviderResources']?.()
    await hooks['after:aws:deploy:deploy:uploadArtifacts']?.()
    return { Resources, input: sent.mock.lastCall?.[0].input }
  }

  test('is uploaded to where the stack looks for it', async () => {
    const { Resources, input } = await upload({})
    expect(input.Bucket).toBe('bucket')
    expect(Resources.TenantRates.Properties.TemplateURL['Fn::Sub']).toMatch(new RegExp(`/${input.Key}$`))
    expect(JSON.parse(input.Body).Resources).toHaveProperty('TenantRate')
  })

  test('ends the deployment where it can not be uploaded', async () => {
    await expect(upload(failure('AccessDenied', 'denied'))).rejects.toThrow('denied')
  })
})

describe('doctor', () => {
  /** The lines with these faults, which end it with 1. */
  const check = async (answers: Answers) => {
    const written: string[] = []
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    await use(answers, 'check').run('check:run')
    const { exitCode } = process
    process.exitCode = undefined
    return { exitCode, ...JSON.parse(written.join('')) }
  }
  const unprotected = { check: 'table', message: 'agent is not protected against deletion: deploy again' }

  test('looks at a stage that is deployed, and ends with 1 where something is wrong', async () => {
    expect(await check(deployed())).toMatchObject({
      ...{ ok: false, exitCode: 1 },
      findings: expect.arrayContaining([expect.objectContaining(unprotected)]),
    })
    vi.stubEnv('DELETION_PROTECTION', 'false')
    expect((await check(deployed())).findings).not.toContainEqual(expect.objectContaining(unprotected))
  })
})
