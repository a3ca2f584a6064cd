/** Which key a caller is counted by. */
import { expect, test } from 'vitest'
import { rateKeyOf, rateKeys } from '../../../lib/auth/rate-key.ts'
import { BASE_AGENT } from '../../../lib/records/tenant.ts'

const PREFIX = 'serverless-agent-dev-rate'
const keys = rateKeys(PREFIX)

test('a stage has its own keys, each once', () => {
  expect(new Set(keys).size).toBe(keys.length)
  expect(rateKeys('another-stage').some((key) => keys.includes(key))).toBe(false)
})

test('an agent is counted by the same key each time', () => {
  for (const agent of ['acme', 'umbrella', BASE_AGENT]) expect(rateKeyOf(PREFIX, agent)).toBe(rateKeyOf(PREFIX, agent))
})

test('the base agent shares its key with no tenant, and the tenants are spread over all other keys', () => {
  const tenants = 10_000
  const ofBase = rateKeyOf(PREFIX, BASE_AGENT)
  expect(keys).toContain(ofBase)
  const shared = keys.filter((key) => key !== ofBase)
  const counts = new Map(shared.map((key) => [key, 0]))
  for (let tenant = 0; tenant < tenants; tenant++) {
    const key = rateKeyOf(PREFIX, `tenant-${tenant}`)
    counts.set(key, (counts.get(key) ?? Number.NaN) + 1)
  }
  const part = tenants / shared.length
  for (const count of counts.values()) {
    expect(count).toBeGreaterThan(part / 2)
    expect(count).toBeLessThan(part * 1.5)
  }
})
