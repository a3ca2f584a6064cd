/** What the alarms know of the account. */
import { expect, test, vi } from 'vitest'
import Watch from '../../../infra/plugins/watch.ts'
import type { Resource } from '../../../infra/service.ts'

/** The concurrency at which the account's alarm is on. */
const threshold = (setting: string | undefined, accountConcurrency: number | undefined): unknown => {
  vi.stubEnv('ACCOUNT_CONCURRENCY', setting)
  const Resources: Record<string, Resource> = {}
  const provider = { stage: 'prod', compiledCloudFormationTemplate: { Resources } }
  const serverless = Object({
    service: { service: 'agent', custom: { accountConcurrency }, provider },
    classes: { Error },
    getProvider: () => ({ naming: { getLambdaLogicalId: (key: string) => key } }),
  })
  for (const add of Object.values(new Watch(serverless).hooks)) add()
  return Resources.ConcurrencyAlarm?.Properties.Threshold
}

test('its concurrency is what the setting says, or what was read of it, or that of most accounts', () => {
  expect(threshold('10', 2_000)).toBe(8)
  expect(threshold(undefined, 2_000)).toBe(1_600)
  expect(threshold(undefined, undefined)).toBe(800)
})
