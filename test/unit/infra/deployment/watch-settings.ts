/** The access log, tracing and the settings of watching, as they are deployed. */
import { describe, expect, test } from 'vitest'
import { ofType, packageService } from '../../../support/stage/template.ts'
import { grown, named, resources } from './packaged.ts'

describe('the access log', () => {
  const { AccessLogSetting } = Object(resources.ApiStage?.Properties)

  test('has its own group', () => {
    expect(AccessLogSetting.DestinationArn).toEqual({ 'Fn::GetAtt': ['AccessLog', 'Arn'] })
    expect(resources.AccessLog?.Type).toBe('AWS::Logs::LogGroup')
  })

  const fields: Record<string, string> = JSON.parse(AccessLogSetting.Format)

  test('names request, tenant, subject, operation, status and latency, and no content', () => {
    expect(fields).toEqual({
      path: '$context.path',
      // That no caller can choose.
      requestId: '$context.extendedRequestId',
      time: '$context.requestTimeEpoch',
      tenant: '$context.authorizer.tenant',
      subject: '$context.authorizer.subject',
      operation: '$context.httpMethod $context.resourcePath',
      status: '$context.status',
      latency: '$context.responseLatency',
      functionLatency: '$context.integration.latency',
      error: '$context.error.responseType',
    })
  })

  test('no query is in the access log: an address may hold an invitation', () => {
    // What the gateway would write of a whole request, queries included.
    expect(JSON.stringify(resources.ApiStage?.Properties)).not.toMatch(/DataTraceEnabled|LoggingLevel/)
  })

  test('has the path, in which a root token names the tenant, before all that a caller could forge by it', () => {
    expect(Object.entries(fields)[0]).toEqual(['path', '$context.path'])
    const forged = AccessLogSetting.Format.replace('$context.path', '/","tenant":"globex","status":"200')
    expect(JSON.parse(forged)).toMatchObject({ tenant: fields.tenant, status: fields.status })
  })
})

describe('without settings', () => {
  test('is not traced, and may not be', () => {
    expect(resources.ApiStage?.Properties.TracingEnabled).toBe(false)
    for (const [, { Properties }] of ofType(resources, 'AWS::Lambda::Function'))
      expect(Object(Properties.TracingConfig).Mode).not.toBe('Active')
    expect(JSON.stringify(ofType(resources, 'AWS::IAM::Role'))).not.toContain('xray')
  })
})

describe('with settings', () => {
  const waitingLanes = (of: typeof resources): unknown =>
    Object(of.SweepOutboxLambdaFunction?.Properties.Environment).Variables.WAITING_LANES

  test('requests and functions are traced, an address hears of alarms, and thresholds are the account’s', () => {
    const { resources: set } = grown
    expect(set.ApiStage?.Properties.TracingEnabled).toBe(true)
    for (const [, { Properties }] of ofType(set, 'AWS::Lambda::Function'))
      expect(Properties.TracingConfig).toEqual({ Mode: 'Active' })
    expect(JSON.stringify(ofType(set, 'AWS::IAM::Role'))).toContain('xray:PutTraceSegments')
    expect(set.AlarmSubscription?.Properties).toEqual({
      ...{ TopicArn: { Ref: 'Alarms' }, Protocol: 'email', Endpoint: 'ops@example.org' },
    })
    expect(set.ConcurrencyAlarm?.Properties.Threshold).toBe(8)
    expect(waitingLanes(set)).toBe('50')
  })

  test('that are empty, all is as without them', () => {
    const { resources: unset } = named
    for (const id of ['ApiStage', 'ConcurrencyAlarm'])
      expect({ ...unset[id]?.Properties, DeploymentId: undefined }).toEqual({
        ...resources[id]?.Properties,
        DeploymentId: undefined,
      })
    expect(waitingLanes(resources)).toBe('1000')
    expect(Object.keys(unset).sort()).toEqual(Object.keys(resources).sort())
  })

  test('that are wrong, nothing is packaged', async () => {
    await expect(packageService({ TRACING: 'yes' })).rejects.toThrow('TRACING: is neither on nor off')
  })
})
