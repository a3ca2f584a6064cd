/** Token issuers as a deployment packs them: each with its public keys, fetched from its address or given in the settings. */
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
 * Fetches the keys of those who give none. An address that does not answer is no reason to deploy nothing: the functions ask it. `now` in ms
 * since the epoch; `ask` is for tests. Throws, with the way out, where what it says is no key set, or where its address is not allowed.
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
    const { issuer, jwks, jwksUri } = entry
    const isGiven = jwks !== undefined && jwks.keys.length > 0
    if (jwksUri === undefined) {
      if (!isGiven) remarks.push(`the jwks of ${issuer} has no key that could verify a token: none of it is valid`)
      return entry
    }
    if (isGiven) return { ...entry, preparedAt: now }
    const served = await ask(jwksUri)
    if ('keys' in served) return { ...entry, jwks: { keys: served.keys }, preparedAt: now }
    const what = `the keys of ${issuer} at ${jwksUri}: ${served.reason}`
    if (served.permanent)
      throw new Error(`${what}. Give them as jwks beside jwksUri if they can't be fetched from here`)
    remarks.push(`${what}. They are not packed: the functions fetch them when the first token comes`)
    return entry
  }
  return { issuers: await Promise.all(issuers.map(prepare)), remarks }
}
