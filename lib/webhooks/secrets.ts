/** Signing secrets of endpoints: made, sealed for the table, opened to sign. Never in a log, a list or an event. */
import { randomBytes } from 'node:crypto'
import { ensureDataKey, open, openDataKey, seal } from '../store/data-keys.ts'
import { organizationPartition, secretAddress } from '../store/keys.ts'
import { epochSeconds } from '../store/table.ts'
import type { UnitOfWork } from '../store/unit-of-work.ts'
import type { Endpoint } from './endpoint-item.ts'

/** Standard Webhooks 1.0.0, "Signature scheme": between 24 and 64 bytes. */
const SECRET_BYTES = 32

/** After a rotation the secret before it signs too, for this many seconds. */
export const PREVIOUS_SECONDS = 24 * 60 * 60

/** A new secret as its endpoint is shown it, once. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** Seals a secret. The unit of work makes the organization's data key where there is none yet. */
export const sealSecret = async (
  unit: UnitOfWork,
  { orgId, kind }: Pick<Endpoint, 'orgId' | 'kind'>,
  secret: string,
): Promise<Uint8Array> =>
  seal(Buffer.from(secret), await ensureDataKey(unit, organizationPartition(orgId)), secretAddress(orgId, kind))

/**
 * The secrets that sign at `now` (ms since the epoch), the current one first. Throws `store.unavailable` when the data
 * key can't be had.
 */
export const openSecrets = async (
  { orgId, kind, secret, previousSecret, previousUntil }: SealedSecrets,
  now: number,
): Promise<string[]> => {
  const previous = previousSecret !== undefined && epochSeconds(now) < (previousUntil ?? 0) ? [previousSecret] : []
  const key = await openDataKey(organizationPartition(orgId))
  return [secret, ...previous].map((sealed) => Buffer.from(open(sealed, key, secretAddress(orgId, kind))).toString())
}

type SealedSecrets = Pick<Endpoint, 'orgId' | 'kind' | 'secret' | 'previousSecret' | 'previousUntil'>
