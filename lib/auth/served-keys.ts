/** Fetches an issuer's keys with the guarded HTTP client, at a deployment and on schedule. */
import type { AddressPolicy } from '../egress/address-guard.ts'
import { describeOutcome, describeUnread, type Get, get } from '../egress/post.ts'
import { keysOfText } from './importable-keys.ts'
import { MAX_KEY_SET_BYTES, type VerifyingKey } from './key-set.ts'

/**
 * The keys, or the reason for the failure. `rejected`: the address is not allowed. All other failures may be temporary.
 */
type ServedKeys = { keys: VerifyingKey[] } | { reason: string; rejected: boolean }

const LIMITS = { connectMs: 3_000, attemptMs: 10_000, responseBytes: MAX_KEY_SET_BYTES }

/** `means`: DNS resolver and certificate authorities, for tests. Never throws. */
export const servedKeys = async (
  url: string,
  policy: AddressPolicy,
  means: Pick<Get, 'resolve' | 'authorities'> = {},
): Promise<ServedKeys> => {
  const headers = { accept: 'application/jwk-set+json, application/json' }
  const outcome = await get({ url, headers, policy, limits: LIMITS, ...means })
  const { status, failure, body, size = 0 } = outcome
  if (status !== 200 || failure !== undefined)
    return {
      reason: status === 200 ? describeUnread(outcome) : describeOutcome(outcome),
      rejected: failure === 'address',
    }
  if (size >= MAX_KEY_SET_BYTES) return { reason: 'is too large', rejected: false }
  const keys = keysOfText(body)
  return typeof keys === 'string' ? { reason: keys, rejected: false } : { keys }
}
