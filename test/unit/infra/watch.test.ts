/** What the alarms know of the account. */
import { expect, test, vi } from 'vitest'
import Watch from '../../../infra/plugins/watch.ts'
import type { Resource } from '../../../infra/service.ts'

const alarmsOf = (setting?: string, accountConcurrency?: number): Record<string, Resource> => {
  vi.stubEnv('ACCOUNT_CONCURRENCY', setting)
  const Resources: Record<string, Resource> = {}
  const provider = { stage: 'prod', compiledCloudFormationTemplate: { Resources } }
  const serverless = Object({
    service: { service: 'agent', custom: { accountConcurrency }, provider },
    classes: { Error },
    getProvider: () => ({ naming: { getLambdaLogicalId: (key: string) => key } }),
  })
  for (const add of Object.values(new Watch(serverless).hooks)) add()
  return Resources
}

/** The concurrency at which the account's alarm is on. */
const threshold = (...account: Parameters<typeof alarmsOf>): unknown =>
  alarmsOf(...account).ConcurrencyAlarm?.Properties.Threshold

test('its concurrency is what the setting says, or what was read of it, or that of most accounts', () => {
  expect(threshold('10', 2_000)).toBe(8)
  expect(threshold(undefined, 2_000)).toBe(1_600)
  expect(threshold(undefined, undefined)).toBe(800)
})

test('the sweep and the dispatcher are watched by metrics of their own, throttles by those of the account', () => {
  const { SweepAlarm, DispatchDelayAlarm, ThrottlesAlarm } = alarmsOf()
  const of = (Ref: string) => [{ Name: 'FunctionName', Value: { Ref } }]
  expect(SweepAlarm?.Properties).toMatchObject({ MetricName: 'Invocations', Dimensions: of('sweepOutbox') })
  const over = (Dimensions: object[]) => ({ Metrics: [{ Id: 'watched' }, { MetricStat: { Metric: { Dimensions } } }] })
  expect(DispatchDelayAlarm?.Properties).toMatchObject(over(of('dispatchChanges')))
  expect(ThrottlesAlarm?.Properties).toMatchObject(over([]))
})
