/** The API key that a caller's requests are counted by: the gateway's usage plan (infra/stage.yml) gives each key a rate of its own. */
import { createHash } from 'node:crypto'

/** Tenants share the keys by hash: a key for each would make an account's limit of keys the limit of tenants. */
const KEYS = 32

const key = (prefix: string, index: number): string => `${prefix}-${String(index).padStart(2, '0')}`

/** All keys of a stage. `prefix` is the stage's own: an account knows each key once. */
export const rateKeys = (prefix: string): string[] => Array.from({ length: KEYS }, (_, index) => key(prefix, index))

/** The key of an agent: a tenant's id, or the base agent's. */
export const rateKeyOf = (prefix: string, agent: string): string =>
  key(prefix, createHash('sha256').update(agent).digest().readUInt32BE() % KEYS)
