/** Token issuers as a deployment packs them: each with its public keys, fetched from its address or given in the settings. */
import { importableKeys } from '../../lib/auth/importable-keys.ts'
import { servedKeys } from '../../lib/auth/served-keys.ts'
import { refusedUrl } from '../../lib/egress/address-guard.ts'
import type { TokenIssuer } from '../../lib/token-issuers.ts'

/** An issuer that nobody could be verified by, or whose address no function would ask; undefined where there is none. */
export const issuerProblem = (issuers: readonly TokenIssuer[]): string | undefined => {
  for (const { issuer, jwks, jwksUri } of issuers) {
    if (jwksUri === undefined && jwks === undefined)
      return `${issuer} has neither jwks nor jwksUri: no token of it would be valid`
    const refusal = jwksUri === undefined ? undefined : refusedUrl(jwksUri, { local: false })
    if (refusal !== undefined) return `the jwksUri of ${issuer} is refused: ${refusal}`
  }
  return undefined
}

export interface Prepared {
  issuers: TokenIssuer[]
  /** What the operator should know, in one line each. */
  remarks: string[]
}

/**
 * Fetches the keys of those who give none. An address that does not answer, or with what is no key set, is no reason to deploy nothing: one
 * issuer, however limited, could keep the operator from deploying. The functions ask it. `now` in ms since the epoch; `ask` is for tests.
 * Throws, with the way out, where an address is not allowed.
 */
export const prepareIssuers = async (
  issuers: readonly TokenIssuer[],
  now: number,
  ask: (url: string) => ReturnType<typeof servedKeys> = (url) => servedKeys(url, { local: false }),
): Promise<Prepared> => {
  const problem = issuerProblem(issuers)
  if (problem !== undefined) throw new Error(problem)
  const remarks: string[] = []
  const prepare = async (entry: TokenIssuer): Promise<TokenIssuer> => {
    const { issuer, jwksUri } = entry
    const jwks = entry.jwks && { keys: importableKeys(entry.jwks.keys) }
    const isGiven = jwks !== undefined && jwks.keys.length > 0
    if (jwksUri === undefined) {
      if (!isGiven) remarks.push(`the jwks of ${issuer} has no key that could verify a token: none of it is valid`)
      return { ...entry, jwks }
    }
    if (isGiven) return { ...entry, jwks, given: true, preparedAt: now }
    const served = await ask(jwksUri)
    if ('keys' in served) return { ...entry, jwks: { keys: served.keys }, given: false, preparedAt: now }
    const what = `the keys of ${issuer} at ${jwksUri}: ${served.reason}`
    if (served.refused) throw new Error(`${what}. Give them as jwks beside jwksUri if they can't be fetched from here`)
    remarks.push(`${what}. They are not packed: the functions fetch them when the first token comes`)
    return { ...entry, jwks }
  }
  return { issuers: await Promise.all(issuers.map(prepare)), remarks }
}
