/** The dashboard, the access log and the settings of watching, as they are deployed. */
import { describe, expect, test } from 'vitest'
import { METRICS, NAMESPACE } from '../../../../lib/metrics.ts'
import { ofType, packageService } from '../../../support/stage/template.ts'
import { resources } from './packaged.ts'

const [[, dashboard] = []] = ofType(resources, 'AWS::CloudWatch::Dashboard')
const body = Object(dashboard?.Properties.DashboardBody)['Fn::Sub'] as string
const widgets: { type: string; properties: { metrics?: unknown[][]; alarms?: string[] } }[] = JSON.parse(body).widgets
const metrics = widgets.flatMap(({ properties }) => properties.metrics ?? [])

describe('the dashboard', () => {
  test('shows every metric that the service has', () => {
    const shown = new Set(metrics.filter(([namespace]) => namespace === NAMESPACE).map(([, name]) => name))
    expect([...shown].sort()).toEqual(Object.keys(METRICS).sort())
  })

  test('shows every alarm, and refers to nothing that is not in the stack', () => {
    const alarms = ofType(resources, 'AWS::CloudWatch::Alarm').map(([id]) => id)
    const shown = widgets
      .flatMap(({ properties }) => properties.alarms ?? [])
      .map((arn) => /\$\{(\w+)\}$/.exec(arn)?.[1])
    expect(shown.sort()).toEqual(alarms.sort())
    for (const [, id = ''] of body.matchAll(/\$\{(\w+)(?:\.\w+)?\}/g)) expect(resources).toHaveProperty(id)
  })

  test('has no more metrics than are free', () => {
    const distinct = new Set(
      metrics.flatMap(([first, ...rest]) =>
        typeof first === 'string' ? [JSON.stringify([first, ...rest.slice(0, -1)])] : [],
      ),
    )
    expect(distinct.size).toBeLessThanOrEqual(50)
  })
})

describe('the access log', () => {
  const { AccessLogSetting } = Object(resources.ApiStage?.Properties)

  test('has a group of its own', () => {
    expect(AccessLogSetting.DestinationArn).toEqual({ 'Fn::GetAtt': ['AccessLog', 'Arn'] })
    expect(resources.AccessLog?.Type).toBe('AWS::Logs::LogGroup')
  })

  test('names request, tenant, operation, status and latency, and no content', () => {
    const fields: Record<string, string> = JSON.parse(AccessLogSetting.Format)
    expect(Object.keys(fields)).toEqual(
      expect.arrayContaining(['requestId', 'tenant', 'operation', 'status', 'latency']),
    )
    // What a caller wrote himself would be content: his path with ids, his query, his address, his agent, his token.
    expect(Object.values(fields).join(' ')).not.toMatch(
      /\$context\.(path|identity|requestOverride|domainName)|principal/,
    )
  })
})

describe('what nobody asked for', () => {
  test('is not traced, and may not be', () => {
    expect(resources.ApiStage?.Properties.TracingEnabled).toBe(false)
    for (const [, { Properties }] of ofType(resources, 'AWS::Lambda::Function'))
      expect(Object(Properties.TracingConfig).Mode).not.toBe('Active')
    expect(JSON.stringify(ofType(resources, 'AWS::IAM::Role'))).not.toContain('xray')
  })
})

describe('with settings', { timeout: 60_000 }, () => {
  test('requests and functions are traced, an address hears of alarms, and thresholds are the account’s', async () => {
    const { resources: set } = await packageService({
      ...{ TRACING: 'on', ALARM_EMAIL: 'ops@example.org', ACCOUNT_CONCURRENCY: '10', WAITING_LANES: '50' },
    })
    expect(set.ApiStage?.Properties.TracingEnabled).toBe(true)
    for (const [, { Properties }] of ofType(set, 'AWS::Lambda::Function'))
      expect(Properties.TracingConfig).toEqual({ Mode: 'Active' })
    expect(JSON.stringify(ofType(set, 'AWS::IAM::Role'))).toContain('xray:PutTraceSegments')
    expect(set.AlarmSubscription?.Properties).toEqual({
      ...{ TopicArn: { Ref: 'Alarms' }, Protocol: 'email', Endpoint: 'ops@example.org' },
    })
    expect(JSON.stringify(set.ConcurrencyAlarm)).toContain('100 * FILL(running, 0) / 10')
    expect(set.WaitingAlarm?.Properties.Threshold).toBe(50)
  })

  test('that are empty, all is as without them', async () => {
    const empty = { TRACING: '', ALARM_EMAIL: '', ACCOUNT_CONCURRENCY: '', WAITING_LANES: '' }
    const { resources: set } = await packageService(empty)
    for (const id of ['ApiStage', 'WaitingAlarm', 'ConcurrencyAlarm'])
      expect({ ...set[id]?.Properties, DeploymentId: undefined }).toEqual({
        ...resources[id]?.Properties,
        DeploymentId: undefined,
      })
    expect(Object.keys(set).sort()).toEqual(Object.keys(resources).sort())
  })

  test.each([
    [{ ALARM_EMAIL: 'ops' }, 'ALARM_EMAIL: is not an e-mail address'],
    [{ ACCOUNT_CONCURRENCY: 'all' }, 'ACCOUNT_CONCURRENCY: is not a whole number'],
    [{ TRACING: 'yes' }, 'TRACING: is neither on nor off'],
  ])('that are wrong, nothing is packaged: %j', async (settings, problem) => {
    await expect(packageService(settings)).rejects.toThrow(problem)
  })
})
