/** A deployment that is tried out with a part of the requests: versions, aliases, and the two updates of the stack. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { addAliases, addCanaryAlarm, canaryTemplate } from '../../../infra/canary/aliases.ts'
import { deleteOldVersions, readVersions } from '../../../infra/canary/deployed.ts'
import { canaryOf } from '../../../infra/canary/settings.ts'
import CanaryPlugin from '../../../infra/plugins/canary.ts'
import type { Template } from '../../../infra/service.ts'

vi.mock('../../../infra/canary/deployed.ts')

describe('a canary', () => {
  test.each([{}, { CANARY_PERCENT: '' }, { CANARY_MINUTES: '5' }])(
    'is only where it is asked for: %j',
    (environment) => {
      expect(canaryOf(environment)).toBeUndefined()
    },
  )

  test('has ten minutes, or what is set', () => {
    expect(canaryOf({ CANARY_PERCENT: '10' })).toEqual({ percent: 10, minutes: 10 })
    expect(canaryOf({ CANARY_PERCENT: '50', CANARY_MINUTES: '180' })).toEqual({ percent: 50, minutes: 180 })
  })

  test.each([
    [{ CANARY_PERCENT: '100' }, 'CANARY_PERCENT: is not a whole number from 1 to 99'],
    [{ CANARY_PERCENT: '0' }, 'CANARY_PERCENT: is not a whole number from 1 to 99'],
    [{ CANARY_PERCENT: '10', CANARY_MINUTES: '181' }, 'CANARY_MINUTES: is not a whole number from 1 to 180'],
  ])('names the setting that is wrong: %j', (environment, problem) => {
    expect(() => canaryOf(environment)).toThrow(problem)
  })
})

/** The template of a function with this memory, packed at this place in this deployment. */
const templateOf = (memory: number, code = 'hash', key = 'now/health.zip'): Template => {
  const template: Template = {
    Resources: {
      Health: { Type: 'AWS::Lambda::Function', Properties: { Code: { S3Key: key }, MemorySize: memory } },
      ServerErrorsAlarm: { Type: 'AWS::CloudWatch::Alarm', Properties: {} },
    },
    Outputs: {},
  }
  addAliases(template, new Map([['Health', code]]))
  addCanaryAlarm(template, ['ServerErrorsAlarm'], 'agent-prod-canary')
  return template
}

const versionIdOf = ({ Resources }: Template): string => {
  const [id, ...others] = Object.keys(Resources).filter((one) => Resources[one]?.Type === 'AWS::Lambda::Version')
  if (id === undefined || others.length > 0) throw new Error('there is not exactly one version')
  return id
}

/**
 * The template with a role of the function that allows these actions, a statement each, with something of the template.
 */
const withRole = (template: Template, actions: string[], on = 'ServerErrorsAlarm'): Template => {
  const statements = actions.map((Action) => ({
    ...{ Effect: 'Allow', Action },
    Resource: [{ 'Fn::GetAtt': [on, 'Arn'] }, { 'Fn::Sub': `\${${on}.Arn}/*` }, { Ref: 'AWS::Region' }],
  }))
  const PolicyDocument = { Version: '2012-10-17', Statement: statements }
  const { Health } = template.Resources
  if (Health !== undefined) Health.Properties.Role = { 'Fn::GetAtt': ['HealthRole', 'Arn'] }
  const HealthRole = { Type: 'AWS::IAM::Role', Properties: { Policies: [{ PolicyName: 'access', PolicyDocument }] } }
  return { ...template, Resources: { ...template.Resources, HealthRole } }
}

const actionsIn = ({ Resources }: Template): string[] => {
  const policies: { PolicyDocument: { Statement: { Action: string }[] } }[] =
    Object(Resources.HealthRole?.Properties).Policies ?? []
  return policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement.map(({ Action }) => Action))
}

const aliasOf = (template?: Template) => template?.Resources.HealthAlias?.Properties

describe('the version of a function', () => {
  test('is the same one as long as code and configuration are, wherever the code lies', () => {
    expect(versionIdOf(templateOf(512, 'hash', 'later/health.zip'))).toBe(versionIdOf(templateOf(512)))
  })

  test('is another one with other code or another configuration, also to Lambda', () => {
    const ids = [templateOf(512), templateOf(512, 'other'), templateOf(1024)].map(versionIdOf)
    expect(new Set(ids).size).toBe(3)
    const descriptions = [templateOf(512), templateOf(512, 'other')].map(
      ({ Resources }) => Resources.Health?.Properties.Description,
    )
    expect(new Set(descriptions).size).toBe(2)
  })

  test('is kept when it leaves the template, and not when the update that made it fails', () => {
    const template = templateOf(512)
    expect(template.Resources[versionIdOf(template)]?.DeletionPolicy).toBe('RetainExceptOnCreate')
  })

  test('is what its alias points to', () => {
    const template = templateOf(512)
    expect(aliasOf(template)).toEqual({
      FunctionName: { Ref: 'Health' },
      FunctionVersion: { 'Fn::GetAtt': [versionIdOf(template), 'Version'] },
      Name: 'live',
    })
  })
})

test('alarms judge a canary that are in the template', () => {
  const { CanaryAlarm } = templateOf(512).Resources
  expect(CanaryAlarm?.Properties.AlarmRule).toEqual({ 'Fn::Sub': `ALARM("\${ServerErrorsAlarm}")` })
  expect(() => addCanaryAlarm(templateOf(512), ['NoAlarm'], 'name')).toThrow('not there: NoAlarm')
  expect(() => addCanaryAlarm(templateOf(512), [], 'name')).toThrow('custom.canaryAlarms names no alarm')
})

describe('the first update', () => {
  const before = templateOf(512)
  const after = templateOf(1024)
  const deployed = new Set(Object.keys(before.Resources))

  test('leaves the alias at the version that it has, and gives the new one its share', () => {
    expect(aliasOf(canaryTemplate(after, deployed, new Map([['HealthAlias', '7']]), 10))).toEqual({
      FunctionName: { Ref: 'Health' },
      FunctionVersion: '7',
      Name: 'live',
      RoutingConfig: {
        AdditionalVersionWeights: [
          { FunctionVersion: { 'Fn::GetAtt': [versionIdOf(after), 'Version'] }, FunctionWeight: 0.1 },
        ],
      },
    })
    expect(aliasOf(after)).not.toHaveProperty('RoutingConfig')
  })

  test('gives a function that is new all of its invocations, beside others that change', () => {
    const more = templateOf(1024)
    more.Resources.New = { Type: 'AWS::Lambda::Function', Properties: { Code: {} } }
    addAliases(more, new Map([['New', 'hash']]))
    const first = canaryTemplate(more, deployed, new Map([['HealthAlias', '7']]), 10)
    expect(aliasOf(first)).toHaveProperty('RoutingConfig')
    expect(first?.Resources.NewAlias).toEqual(more.Resources.NewAlias)
    expect(first?.Resources.NewAlias?.Properties).not.toHaveProperty('RoutingConfig')
  })

  test('is not needed where no function changes, nor where none has an alias yet', () => {
    expect(canaryTemplate(before, deployed, new Map([['HealthAlias', '7']]), 10)).toBeUndefined()
    expect(canaryTemplate(after, new Set(), new Map(), 10)).toBeUndefined()
  })
})

describe('a deployment', () => {
  const updates: { alias: unknown; rollback: unknown }[] = []
  /** What the function's role allows after each update. */
  const allowed: string[][] = []
  const after = templateOf(1024)

  beforeEach(() => {
    updates.length = 0
    allowed.length = 0
    vi.stubEnv('CANARY_PERCENT', '10')
    vi.mocked(deleteOldVersions).mockReset()
    return () => vi.unstubAllEnvs()
  })

  /** Runs what the plugin does around the update of a stack that has these resources. */
  const deploy = async (ids: string[], { shouldNotDeploy = false, to = after, template = '{}' } = {}) => {
    vi.mocked(readVersions).mockResolvedValue({
      ids: new Set(ids),
      versions: new Map(ids.includes('HealthAlias') ? [['HealthAlias', '7']] : []),
      template,
    })
    const provider = { compiledCloudFormationTemplate: to, region: 'eu-central-1', stage: 'prod', shouldNotDeploy }
    const update = async () => {
      const { compiledCloudFormationTemplate, rollbackConfiguration } = Object(provider)
      updates.push({ alias: aliasOf(compiledCloudFormationTemplate), rollback: rollbackConfiguration })
      allowed.push(actionsIn(compiledCloudFormationTemplate))
    }
    const aws = {
      naming: { getLambdaLogicalId: () => 'Health', getStackName: () => 'agent-prod' },
      getAwsSdkV3Config: async () => ({}),
      getAccountInfo: async () => ({ accountId: '123456789012', partition: 'aws' }),
    }
    const serverless = Object({
      service: { provider, functions: { health: { name: 'agent-prod-health' } } },
      getProvider: () => aws,
      pluginManager: { plugins: [{}, { uploadCloudFormationFile: async () => {}, updateStack: update }] },
    })
    const { hooks } = new CanaryPlugin(serverless, {}, { log: { notice: () => {} } })
    await hooks['after:aws:deploy:deploy:checkForChanges']?.()
    if (!shouldNotDeploy) await update()
    await hooks['after:aws:deploy:deploy:updateStack']?.()
  }

  const ALL = { alias: aliasOf(after), rollback: { RollbackTriggers: [], MonitoringTimeInMinutes: 0 } }

  test('that changes a function is two updates, the first of which an alarm takes back', async () => {
    await deploy(Object.keys(templateOf(512).Resources))
    expect(updates).toEqual([
      {
        alias: expect.objectContaining({ FunctionVersion: '7', RoutingConfig: expect.anything() }),
        rollback: {
          RollbackTriggers: [
            {
              Arn: 'arn:aws:cloudwatch:eu-central-1:123456789012:alarm:agent-prod-canary',
              Type: 'AWS::CloudWatch::CompositeAlarm',
            },
          ],
          MonitoringTimeInMinutes: 10,
        },
      },
      ALL,
    ])
    expect(deleteOldVersions).toHaveBeenCalledExactlyOnceWith({}, expect.anything())
  })

  describe('whose roles change', () => {
    const ids = Object.keys(templateOf(512).Resources)

    test('lets the old version do what it does until it gets no invocations: the new rights come first, the old ones go last', async () => {
      const template = JSON.stringify(withRole(templateOf(512), ['dynamodb:GetItem', 'dynamodb:Query']))
      await deploy(ids, { to: withRole(templateOf(1024), ['dynamodb:GetItem', 'sqs:SendMessage']), template })
      const both = ['dynamodb:GetItem', 'sqs:SendMessage', 'dynamodb:Query']
      expect(allowed).toEqual([both, both, ['dynamodb:GetItem', 'sqs:SendMessage']])
      expect(updates.map(({ alias }) => Object(alias).FunctionVersion)).toEqual([
        '7',
        ...[1, 2].map(() => ALL.alias?.FunctionVersion),
      ])
      expect(updates.slice(1).map(({ rollback }) => rollback)).toEqual([ALL.rollback, ALL.rollback])
    })

    test('is two updates where no right is lost', async () => {
      const template = JSON.stringify(withRole(templateOf(512), ['dynamodb:GetItem']))
      await deploy(ids, { to: withRole(templateOf(1024), ['dynamodb:GetItem', 'dynamodb:Query']), template })
      const more = ['dynamodb:GetItem', 'dynamodb:Query']
      expect(allowed).toEqual([more, more])
    })

    test.each([
      ['refers to what is no longer there', JSON.stringify(withRole(templateOf(512), ['sqs:SendMessage'], 'Gone'))],
      ['is in a template that is not JSON', 'Resources: {}'],
      [
        'is of a role that is no longer there',
        JSON.stringify({ Resources: { Old: { Type: 'AWS::IAM::Role', Properties: {} } } }),
      ],
    ])('leaves out what %s', async (_, template) => {
      await deploy(ids, { to: withRole(templateOf(1024), ['dynamodb:GetItem']), template })
      expect(allowed).toEqual([['dynamodb:GetItem'], ['dynamodb:GetItem']])
    })
  })

  test('that is the first one, or the first with a canary, is one update without a judge that is not there yet', async () => {
    await deploy(['Health'])
    expect(updates).toEqual([ALL])
  })

  test('without a canary is one update, and forgets the judge of earlier ones', async () => {
    vi.stubEnv('CANARY_PERCENT', '')
    await deploy(Object.keys(templateOf(512).Resources))
    expect(updates).toEqual([ALL])
    expect(deleteOldVersions).not.toHaveBeenCalled()
  })

  test('of nothing changes nothing', async () => {
    await deploy(Object.keys(templateOf(512).Resources), { shouldNotDeploy: true })
    expect(updates).toEqual([])
    expect(deleteOldVersions).not.toHaveBeenCalled()
  })
})
