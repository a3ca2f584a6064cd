/** Requests, output and changes of the plugins of a deployment, by the state of the account. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import DeploymentPlugin from '../../../infra/plugins/deployment.ts'
import { type Answers, answerCommands } from '../../support/aws/answers.ts'
import { EMPTY_ACCOUNT, failure } from '../../support/aws/empty-account.ts'

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
  DescribeContinuousBackupsCommand: {
    ContinuousBackupsDescription: { PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: 'ENABLED' } },
  },
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
      ...{ functions: {}, resources: { Resources: {} }, custom: {} },
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
  const { hooks } = new DeploymentPlugin(serverless, options, { log })
  return {
    ...{ serverless, options },
    run: async (hook: string) => hooks[hook]?.(),
    asked: () => sent.mock.calls.length,
    named: (name: string) => sent.mock.calls.filter(([command]) => command.constructor.name === `${name}Command`),
  }
}

beforeEach(() => {
  for (const all of Object.values(lines)) all.length = 0
  vi.stubEnv('PUBLIC_URL', 'https://agent.example.org')
  for (const name of ['TABLE_NAME', 'EXISTING_TABLE', 'EXISTING_KEY', 'DELETION_PROTECTION'])
    vi.stubEnv(name, undefined)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const BEFORE_PACKAGING = 'before:package:cleanup'
const AFTER_PACKAGING = 'before:aws:package:finalize:saveServiceState'
const BEFORE_THE_STACK = 'before:aws:deploy:deploy:createStack'

describe('a deployment', () => {
  test('waits for the end of a rollback', async () => {
    const { run, options } = use({}, 'info')
    await run('initialize')
    expect(options.verbose).toBe(true)
  })

  test('reports warnings, and what is ok only with --verbose', async () => {
    const { run, serverless } = use({ GetAccountSettingsCommand: { AccountLimit: { ConcurrentExecutions: 10 } } })
    await run(BEFORE_PACKAGING)
    expect(lines.warning).toEqual([expect.stringMatching(/^concurrency: the account runs 10 concurrent functions/)])
    expect(lines.info).toContainEqual(expect.stringMatching(/^ok {6}stack: agent-prod will be created/))
    expect(serverless.service.custom.accountConcurrency).toBe(10)
  })

  test('ends with the faults, before the template is packaged or after', async () => {
    const denied = { GetAccountSettingsCommand: failure('AccessDeniedException', 'denied') }
    for (const hook of [BEFORE_PACKAGING, BEFORE_THE_STACK])
      await expect(use(denied).run(hook)).rejects.toThrow(
        'concurrency: the permission lambda:GetAccountSettings is missing',
      )
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

  test('names the rights by which a role for the logs of API Gateway is made and set, where that fails', async () => {
    const { run } = use({ CreateRoleCommand: failure('AccessDenied', 'no right') })
    await expect(run(BEFORE_THE_STACK)).rejects.toThrow(
      /^CloudWatch role of API Gateway: it cannot be created and set; .*iam:CreateRole.* \(AccessDenied: no right\)$/,
    )
  })

  test('of a stack without a table, or with a correct one, changes nothing', async () => {
    const isProtected = { DescribeTableCommand: { Table: { DeletionProtectionEnabled: true } } }
    for (const answers of [isProtected, { DescribeStacksCommand: { Stacks: [{ StackStatus: 'CREATE_COMPLETE' }] } }]) {
      const { run, named } = use({ ...deployed(), ...answers })
      await run('after:deploy:deploy')
      expect(named('UpdateTable')).toEqual([])
    }
    expect(lines.notice).toEqual([])
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

  test('ends at a table of another layout, which stays unchanged', async () => {
    const { run, named } = use({ ...deployed(), ScanCommand: { Items: [{}] }, GetItemCommand: {} })
    await expect(run('after:deploy:deploy')).rejects.toThrow('the table agent ')
    expect(named('UpdateTable')).toEqual([])
  })
})

describe('packaging alone', () => {
  test('asks AWS nothing', async () => {
    const { run, asked } = use({}, 'package')
    for (const hook of [BEFORE_PACKAGING, AFTER_PACKAGING]) await run(hook)
    expect(asked()).toBe(0)
  })

  test('calls it for an existing table', async () => {
    for (const [name, value] of Object.entries({ EXISTING_TABLE: 'old', EXISTING_KEY: KEY })) vi.stubEnv(name, value)
    const { run, named } = use({ DescribeTableCommand: failure('AccessDeniedException', 'no right') }, 'package')
    await expect(run(AFTER_PACKAGING)).rejects.toThrow('EXISTING_TABLE: AccessDeniedException: no right')
    expect(named('DescribeTable')).toMatchObject([[{ input: { TableName: 'old' } }]])
  })
})

test('a stack is removed even if its table and key cannot be read', async () => {
  const { run } = use({ DescribeStacksCommand: failure('AccessDenied', 'no right') })
  await run('before:remove:remove')
  await run('after:remove:remove')
  expect(lines.warning).toEqual([
    'which table and key are kept could not be read from the stack (AccessDenied: no right)',
  ])
  expect(lines.notice).toEqual([])
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

describe('doctor', () => {
  const examine = async ({ run }: ReturnType<typeof use>) => {
    const written: string[] = []
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
    await run('check:run')
    const { exitCode } = process
    process.exitCode = undefined
    return { exitCode, text: written.join('') }
  }
  /** The findings, with the faults by which it ends with 1. */
  const check = async (answers: Answers) => {
    const { exitCode, text } = await examine(use(answers, 'check'))
    return { exitCode, ...JSON.parse(text) }
  }
  /** Settings with which nothing is wrong. */
  const stubSettings = () => {
    const issuer = { issuer: 'https://id.example.org', audience: 'agent', jwksUri: 'https://id.example.org/jwks' }
    vi.stubEnv('TOKEN_ISSUERS', JSON.stringify([issuer]))
    vi.stubEnv('ANONCREDS', 'off')
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

  test('writes a line for each finding, and ends with 0 where none is wrong', async () => {
    stubSettings()
    const doctor = use({}, 'check')
    doctor.options.json = false
    const { exitCode, text } = await examine(doctor)
    expect(exitCode).toBeUndefined()
    expect(text).toMatch(/^ok {6}stack: agent-prod will be created$/m)
    expect(text).not.toMatch(/^FAULT|^\{/m)
  })

  test('says why the template cannot be created, unless an invalid setting may be the reason', async () => {
    const template = { check: 'template', message: 'it cannot be created: no space left' }
    const examined = async () => {
      const doctor = use({}, 'check')
      doctor.serverless.pluginManager.spawn = () => Promise.reject(new Error('no space left'))
      return JSON.parse((await examine(doctor)).text).findings
    }
    stubSettings()
    expect(await examined()).toContainEqual(expect.objectContaining(template))
    vi.stubEnv('LOG_LEVEL', 'loud')
    expect(await examined()).not.toContainEqual(expect.objectContaining(template))
  })
})
