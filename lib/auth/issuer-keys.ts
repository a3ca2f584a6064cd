/** The keys for verifying an issuer's tokens: the newest that its address has served, or those of the settings. */
import { createLocalJWKSet } from 'jose/jwks/local'
import type { JWTVerifyGetKey } from 'jose/jwt/verify'
import { AgentError, errorName } from '../errors.ts'
import { log } from '../log.ts'
import { type ConfirmedKeys, logUnconfirmed, readConfirmedKeys } from './confirmed-keys.ts'
import { ALARM_AFTER_MS, ageOf, isNewer, REREAD_AFTER_MS, USABLE_MS } from './key-age.ts'
import type { VerifyingKey } from './key-set.ts'
import type { TokenIssuer } from './token-issuers.ts'

/**
 * Minimum time between fetches from an issuer, in ms: after a success (`FETCH_INTERVAL`), and after a failure
 * (`RETRY_INTERVAL`).
 */
const FETCH_INTERVAL = 30_000
const RETRY_INTERVAL = 5_000

const unavailable = (cause: unknown) =>
  new AgentError('auth.keys_unavailable', 'The key set of the issuer is not available', { cause })

/** Imported on demand, because prepared keys need no fetch at a cold start. Throws `auth.keys_unavailable`. */
const fetchIssuerKeys = async (jwksUri: string): Promise<VerifyingKey[]> => {
  try {
    return await (await import('./fetch-issuer-keys.ts')).fetchIssuerKeys(jwksUri)
  } catch (error) {
    throw unavailable(error)
  }
}

/**
 * The keys of an issuer. `now` in ms since the epoch. The returned function throws errors of jose;
 * `auth.keys_unavailable` if no keys are known or they were not confirmed for a day; and `auth.unauthorized` for an
 * unknown key while the address is unreachable: an attacker can send tokens with such a key, so it must not count as
 * our failure. The price: if an issuer rotates its keys while its address is unreachable, tokens of the new key get a
 * 401 until it is reachable, and those of former keys are valid for up to a day.
 */
export const issuerKeys = (issuer: TokenIssuer, now: () => number): JWTVerifyGetKey => {
  const { jwks, jwksUri } = issuer
  return jwksUri === undefined ? createLocalJWKSet(jwks ?? { keys: [] }) : keysAtAddress(issuer, jwksUri, now)
}

const isConfigured = ({ given, preparedAt }: TokenIssuer): boolean => given === true || preparedAt === undefined

/** Keys without a time, as on the local stage, are as old as this process. */
const packedKeys = ({ jwks, preparedAt }: TokenIssuer, now: number): ConfirmedKeys | undefined =>
  jwks !== undefined && jwks.keys.length > 0 ? { keys: jwks.keys, at: preparedAt ?? now } : undefined

const keysAtAddress = (entry: TokenIssuer, jwksUri: string, now: () => number): JWTVerifyGetKey => {
  const { issuer } = entry
  const packed = packedKeys(entry, now())
  const configuredKeys = isConfigured(entry) ? packed : undefined
  /** The keys that the address has served last: to a deployment, to the scheduled function, or to this process. */
  let latestKeys = isConfigured(entry) ? undefined : packed
  let keySet: { keys: ConfirmedKeys; find: JWTVerifyGetKey } | undefined
  let nextRead = 0
  let nextFetch = 0
  /** The error of the last fetch. */
  let failure: unknown
  let reading: Promise<void> | undefined
  let fetching: Promise<void> | undefined

  const useNewer = (keys: ConfirmedKeys): void => {
    if (isNewer(keys, latestKeys, now())) latestKeys = keys
  }

  /** Keys of the settings never replace served ones, however new: a deployment would restore withdrawn keys. */
  const usable = (): ConfirmedKeys | undefined =>
    [latestKeys, configuredKeys].find((keys) => keys !== undefined && ageOf(keys, now()) <= USABLE_MS)

  /**
   * Reads the keys that the scheduled function has confirmed. While DynamoDB is unavailable, the keys stay unchanged.
   */
  const readTable = async (): Promise<void> => {
    nextRead = now() + REREAD_AFTER_MS
    try {
      const confirmed = await readConfirmedKeys(jwksUri)
      if (confirmed !== undefined) useNewer(confirmed)
    } catch (error) {
      log('warn', "issuer's confirmed keys not read", {
        event: 'issuer.keys_not_read',
        issuer,
        error: errorName(error),
      })
    }
    const keys = usable() ?? latestKeys ?? configuredKeys
    const age = keys === undefined ? 0 : ageOf(keys, now())
    if (age > ALARM_AFTER_MS) logUnconfirmed(issuer, age)
  }

  const fetchKeys = async (): Promise<void> => {
    const at = now()
    try {
      useNewer({ keys: await fetchIssuerKeys(jwksUri), at })
      failure = undefined
      nextFetch = now() + FETCH_INTERVAL
    } catch (error) {
      failure = error
      nextFetch = now() + RETRY_INTERVAL
    }
  }

  /** One fetch for concurrent requests, and none before `nextFetch`. */
  const fetchOnce = async (): Promise<void> => {
    if (now() >= nextFetch) {
      fetching ??= fetchKeys().finally(() => {
        fetching = undefined
      })
      await fetching
    }
  }

  const readIfOld = async (): Promise<void> => {
    if (latestKeys !== undefined && ageOf(latestKeys, now()) <= REREAD_AFTER_MS) return
    if (now() >= nextRead)
      reading = readTable().finally(() => {
        reading = undefined
      })
    await reading
  }

  const isKnown = (kid: string | undefined): boolean => {
    const keys = usable()
    return keys !== undefined && (kid === undefined || keys.keys.some((key) => key.kid === kid))
  }

  return async (header, token) => {
    await readIfOld()
    if (!isKnown(header.kid)) await fetchOnce()
    const keys = usable()
    if (keys === undefined) throw failure ?? unavailable('the keys are too old')
    // The cause is logged, because the token may be valid.
    if (failure !== undefined && !isKnown(header.kid))
      throw new AgentError('auth.unauthorized', 'Unauthorized', { cause: failure })
    if (keySet?.keys !== keys) keySet = { keys, find: createLocalJWKSet({ keys: keys.keys }) }
    return keySet.find(header, token)
  }
}
