/**
 * Signing secrets of endpoints: created, sealed for the table, opened for signing. Never in a log, a list or an event.
 */
import { randomBytes } from 'node:crypto'
import { ensureDataKey, type KeyCreation, open, openDataKey, seal } from '../store/data-keys.ts'
import { epochSeconds } from '../store/table.ts'
import { type Endpoint, organizationPartition } from './endpoint-item.ts'

/** Standard Webhooks 1.0.0, "Signature scheme": between 24 and 64 bytes. */
const SECRET_BYTES = 32

/** Seconds for which the previous secret also signs after a rotation. */
export const PREVIOUS_SECONDS = 24 * 60 * 60

/** A new secret in the form that is shown to its owner, once. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** The address that signing secrets are sealed for, current and previous ones. */
const secretAddress = (orgId: string, kind: string): string => `${organizationPartition(orgId)}|${kind}`

/** Seals a secret. The unit of work creates the organization's data key if there is none. */
export const sealSecret = async (
  unit: KeyCreation,
  { orgId, kind }: Pick<Endpoint, 'orgId' | 'kind'>,
  secret: string,
): Promise<Uint8Array> =>
  seal(Buffer.from(secret), await ensureDataKey(unit, organizationPartition(orgId)), secretAddress(orgId, kind))

/**
 * The secrets that sign at `now` (ms since the epoch), the current one first. Throws `store.unavailable` if the data
 * key can't be read.
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
