/**
 * The API key for counting a caller's requests: the gateway's usage plan (infra/stage.yml) limits the rate of each key.
 */
import { hash } from 'node:crypto'
import { BASE_AGENT } from '../records/tenant.ts'

/** Tenants share keys by hash, because the number of keys of an account is limited. */
const TENANT_KEYS = 32

const tenantKey = (prefix: string, index: number): string => `${prefix}-${String(index).padStart(2, '0')}`

/** The base agent's own key, so that no tenant can use up the rate of root tokens. */
const baseKey = (prefix: string): string => `${prefix}-base`

/** All keys of a stage. `prefix` is unique to the stage, because keys are unique in an account. */
export const rateKeys = (prefix: string): string[] => [
  baseKey(prefix),
  ...Array.from({ length: TENANT_KEYS }, (_, index) => tenantKey(prefix, index)),
]

/** The key of an agent (a tenant's id or BASE_AGENT). */
export const rateKeyOf = (prefix: string, agent: string): string => {
  if (agent === BASE_AGENT) return baseKey(prefix)
  return tenantKey(prefix, hash('sha256', agent, 'buffer').readUInt32BE() % TENANT_KEYS)
}
