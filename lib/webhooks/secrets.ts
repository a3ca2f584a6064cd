/**
 * Signing secrets of endpoints: created, sealed for the table, decrypted for signing. They are never in a log, a list
 * or an event.
 */
import { randomBytes } from 'node:crypto'
import { ensureDataKey, type KeyCreation, requireDataKey, seal, unseal } from '../store/data-keys.ts'
import { epochSeconds } from '../store/table.ts'
import { type Endpoint, organizationPartition } from './endpoint-item.ts'

/** Standard Webhooks 1.0.0, "Signature scheme": between 24 and 64 bytes. */
const SECRET_BYTES = 32

/** Seconds for which the previous secret also signs after a rotation. */
export const PREVIOUS_SECONDS = 24 * 60 * 60

/** A new secret in the form that is shown to its owner, once. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** The address to which current and previous signing secrets are sealed. */
const secretAddress = (orgId: string, kind: string): string => `${organizationPartition(orgId)}|${kind}`

/** Seals a secret. The unit of work creates the organization's data key if there is none. */
export const sealSecret = async (
  unit: KeyCreation,
  { orgId, kind }: Pick<Endpoint, 'orgId' | 'kind'>,
  secret: string,
): Promise<Uint8Array> =>
  seal(Buffer.from(secret), await ensureDataKey(unit, organizationPartition(orgId)), secretAddress(orgId, kind))

/**
 * The secrets that sign at `now` (ms since the epoch), the current one first. Throws `store.unavailable` without the
 * data key.
 */
export const decryptSecrets = async (
  { orgId, kind, secret, previousSecret, previousUntil }: SealedSecrets,
  now: number,
): Promise<string[]> => {
  const previous = previousSecret !== undefined && epochSeconds(now) < (previousUntil ?? 0) ? [previousSecret] : []
  const key = await requireDataKey(organizationPartition(orgId))
  return [secret, ...previous].map((sealed) => Buffer.from(unseal(sealed, key, secretAddress(orgId, kind))).toString())
}

type SealedSecrets = Pick<Endpoint, 'orgId' | 'kind' | 'secret' | 'previousSecret' | 'previousUntil'>
