/** The keys that an issuer's tokens are verified with: the newest that its address has served, or those that were given beside it. */
import { createLocalJWKSet } from 'jose/jwks/local'
import type { JWTVerifyGetKey } from 'jose/jwt/verify'
import { AgentError, errorName } from '../errors.ts'
import { log } from '../log.ts'
import { type ConfirmedKeys, logUnconfirmed, readConfirmedKeys } from './confirmed-keys.ts'
import { ageOf, CURRENT, newer, USABLE, WATCHED } from './key-age.ts'
import type { VerifyingKey } from './key-set.ts'
import type { TokenIssuer } from './token-issuers.ts'

/** The issuer is asked no oftener than this, after it has answered or failed to; in ms. */
const ASK_EVERY = 30_000
const ASK_AGAIN = 5_000

const unavailable = (cause: unknown) =>
  new AgentError('auth.keys_unavailable', 'The key set of the issuer is not available', { cause })

/** Imported when first needed: with prepared keys a cold start does not pay for it. Throws `auth.keys_unavailable`. */
const askIssuer = async (jwksUri: string): Promise<VerifyingKey[]> => {
  try {
    return await (await import('./ask-issuer.ts')).askIssuer(jwksUri)
  } catch (error) {
    throw unavailable(error)
  }
}

/**
 * The keys of an issuer. `now` in ms since the epoch. What it gives throws what jose throws; `auth.keys_unavailable` where no keys are known
 * or nobody has confirmed them for a day; and `auth.unauthorized` for a key that is not among the known ones while the address does not
 * answer. Anybody can make up a token with such a key, so it must not count as a failure of ours. The price: where an issuer rotates its keys
 * while its address does not answer, tokens of the new key are a 401 until it does, and those of the keys before are valid for up to a day.
 */
export const issuerKeys = (issuer: TokenIssuer, now: () => number): JWTVerifyGetKey => {
  const { jwks, jwksUri } = issuer
  return jwksUri === undefined ? createLocalJWKSet(jwks ?? { keys: [] }) : keysAtAddress(issuer, jwksUri, now)
}

const isGiven = ({ given, preparedAt }: TokenIssuer): boolean => given === true || preparedAt === undefined

/** Keys of nobody knows when are as old as this process: the local stage has such. */
const packedKeys = ({ jwks, preparedAt }: TokenIssuer, now: number): ConfirmedKeys | undefined =>
  jwks !== undefined && jwks.keys.length > 0 ? { keys: jwks.keys, at: preparedAt ?? now } : undefined

const keysAtAddress = (entry: TokenIssuer, jwksUri: string, now: () => number): JWTVerifyGetKey => {
  const { issuer } = entry
  const packed = packedKeys(entry, now())
  const given = isGiven(entry) ? packed : undefined
  /** What the address has said last: to a deployment, on schedule, or here. */
  let known = isGiven(entry) ? undefined : packed
  let found: { keys: ConfirmedKeys; find: JWTVerifyGetKey } | undefined
  let lookAt = 0
  let askAt = 0
  /** Why the issuer could not be asked, the last time. */
  let failure: unknown
  let looking: Promise<void> | undefined
  let asking: Promise<void> | undefined

  const take = (keys: ConfirmedKeys): void => {
    if (newer(keys, known, now())) known = keys
  }

  /** A deployment packs given keys each time: if they counted by its time, it would bring back those that the issuer withdrew since. */
  const usable = (): ConfirmedKeys | undefined =>
    [known, given].find((keys) => keys !== undefined && ageOf(keys, now()) <= USABLE)

  /** Takes what the scheduled function has confirmed. A table that does not answer leaves the keys as they are. */
  const look = async (): Promise<void> => {
    lookAt = now() + CURRENT
    try {
      const confirmed = await readConfirmedKeys(jwksUri)
      if (confirmed !== undefined) take(confirmed)
    } catch (error) {
      log('warn', 'the confirmed keys of an issuer can not be read', {
        event: 'issuer.keys_not_read',
        issuer,
        error: errorName(error),
      })
    }
    const keys = usable() ?? known ?? given
    const age = keys === undefined ? 0 : ageOf(keys, now())
    if (age > WATCHED) logUnconfirmed(issuer, age, now())
  }

  const ask = async (): Promise<void> => {
    try {
      take({ keys: await askIssuer(jwksUri), at: now() })
      failure = undefined
      askAt = now() + ASK_EVERY
    } catch (error) {
      failure = error
      askAt = now() + ASK_AGAIN
    }
  }

  /** At most once for all who want it at the same time, and no oftener than the issuer has to bear. */
  const asked = async (): Promise<void> => {
    if (now() >= askAt) {
      asking ??= ask().finally(() => {
        asking = undefined
      })
      await asking
    }
  }

  const lookIfOld = async (): Promise<void> => {
    if (known !== undefined && ageOf(known, now()) <= CURRENT) return
    if (now() >= lookAt)
      looking = look().finally(() => {
        looking = undefined
      })
    await looking
  }

  const isKnown = (kid: string | undefined): boolean => {
    const keys = usable()
    return keys !== undefined && (kid === undefined || keys.keys.some((key) => key.kid === kid))
  }

  return async (header, token) => {
    await lookIfOld()
    if (!isKnown(header.kid)) await asked()
    const keys = usable()
    if (keys === undefined) throw failure ?? unavailable('the keys are too old')
    // The cause is for the log: the token may be good.
    if (failure !== undefined && !isKnown(header.kid))
      throw new AgentError('auth.unauthorized', 'Unauthorized', { cause: failure })
    if (found?.keys !== keys) found = { keys, find: createLocalJWKSet({ keys: keys.keys }) }
    return found.find(header, token)
  }
}
