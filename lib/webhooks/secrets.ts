/** Signing secrets of endpoints: made, sealed for the table, opened to sign. Never in a log, a list or an event. */
import { randomBytes } from 'node:crypto'
import type { RegistrationKind } from '../records/registration.ts'
import { organizationPartition } from '../store/address.ts'
import { dataKey } from '../store/data-keys.ts'
import { open, seal } from '../store/sealing.ts'
import { epochSeconds } from '../store/table.ts'
import { transaction } from '../store/transaction.ts'
import type { Endpoint } from './endpoint-item.ts'

/** Standard Webhooks 1.0.0, "Signature scheme": between 24 and 64 bytes. */
const SECRET_BYTES = 32

/** After a rotation the secret before it signs too, for this many seconds. */
export const PREVIOUS_SECONDS = 24 * 60 * 60

/** A new secret as its endpoint is shown it, once. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`

/** A secret opens only with its organization's data key and at the address of its endpoint, current or previous. */
const addressOf = (orgId: string, kind: RegistrationKind): string => `${organizationPartition(orgId)}|${kind}`

/** Seals a secret in the running unit of work, which makes the organization's data key where there is none yet. */
export const sealSecret = async (orgId: string, kind: RegistrationKind, secret: string): Promise<Uint8Array> =>
  seal(Buffer.from(secret), await dataKey(organizationPartition(orgId)), addressOf(orgId, kind))

/**
 * The secrets that sign at `now` (ms since the epoch), the current one first. Throws `store.unavailable` when the data
 * key can't be had.
 */
export const openSecrets = async (
  { orgId, kind, secret, previousSecret, previousUntil }: SealedSecrets,
  now: number,
): Promise<string[]> => {
  const scope = organizationPartition(orgId)
  const previous = previousSecret !== undefined && epochSeconds(now) < (previousUntil ?? 0) ? [previousSecret] : []
  // A unit of its own, in which data keys are read. One that is made there, because the right one is gone, opens nothing
  // and is not written.
  return transaction(scope, async () => {
    const key = await dataKey(scope)
    return [secret, ...previous].map((sealed) => Buffer.from(open(sealed, key, addressOf(orgId, kind))).toString())
  })
}

type SealedSecrets = Pick<Endpoint, 'orgId' | 'kind' | 'secret' | 'previousSecret' | 'previousUntil'>
