/** Fetches each issuer's keys and stores them, so that verifying a token needs no fetch. */
import { log } from '../log.ts'
import { settings } from '../settings.ts'
import { logUnconfirmed, readConfirmedKeys, storeConfirmedKeys } from './confirmed-keys.ts'
import { ALARM_AFTER_MS, ageOf } from './key-age.ts'
import { servedKeys } from './served-keys.ts'
import type { TokenIssuer } from './token-issuers.ts'

/**
 * `now` in ms since the epoch. A failure of one issuer does not affect the other ones. Throws `store.unavailable` after
 * all were fetched.
 */
export const confirmKeys = async (issuers: readonly TokenIssuer[], now: number): Promise<void> => {
  const addresses = new Map(issuers.map((issuer) => [issuer.jwksUri, issuer]))
  const results = await Promise.allSettled(
    [...addresses].map(([jwksUri, issuer]) => (jwksUri === undefined ? undefined : confirm(issuer, jwksUri, now))),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

/** After a failed fetch or an invalid key set the stored keys stay: the issuer has not withdrawn them. */
const confirm = async ({ issuer, preparedAt }: TokenIssuer, jwksUri: string, now: number): Promise<void> => {
  const served = await servedKeys(jwksUri, { local: settings().LOCAL_STAGE })
  if ('keys' in served) {
    await storeConfirmedKeys(jwksUri, { keys: served.keys, at: now })
    return
  }
  log('warn', "issuer's keys not fetched", {
    event: 'issuer.keys_not_fetched',
    issuer,
    reason: served.reason,
  })
  const confirmedAt = (await readConfirmedKeys(jwksUri))?.at ?? 0
  const age = Math.min(...[confirmedAt, preparedAt ?? 0].map((at) => ageOf({ at }, now)))
  if (age > ALARM_AFTER_MS) logUnconfirmed(issuer, age)
}
