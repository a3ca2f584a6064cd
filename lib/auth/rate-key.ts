/** The API key that a caller's requests are counted by: the gateway's usage plan (infra/stage.yml) gives each key a rate of its own. */
import { createHash } from 'node:crypto'
import { BASE_AGENT } from '../records/tenant.ts'

/** Tenants share the keys by hash: a key for each would make an account's limit of keys the limit of tenants. */
const TENANT_KEYS = 32

const tenantKey = (prefix: string, index: number): string => `${prefix}-${String(index).padStart(2, '0')}`

/** The base agent shares with nobody: no tenant can keep root tokens out. */
const baseKey = (prefix: string): string => `${prefix}-base`

/** All keys of a stage. `prefix` is the stage's own: an account knows each key once. */
export const rateKeys = (prefix: string): string[] => [
  baseKey(prefix),
  ...Array.from({ length: TENANT_KEYS }, (_, index) => tenantKey(prefix, index)),
]

/** The key of an agent: a tenant's id, or the base agent's. */
export const rateKeyOf = (prefix: string, agent: string): string => {
  if (agent === BASE_AGENT) return baseKey(prefix)
  return tenantKey(prefix, createHash('sha256').update(agent).digest().readUInt32BE() % TENANT_KEYS)
}
