/**
 * Prepares token issuers for a deployment: each with its public keys, fetched from its address or from the settings.
 */
import { createHash } from 'node:crypto'
import { importableKeys } from '../../lib/auth/importable-keys.ts'
import { servedKeys } from '../../lib/auth/served-keys.ts'
import type { TokenIssuer } from '../../lib/auth/token-issuers.ts'
import { invalidUrlReason } from '../../lib/egress/address-guard.ts'
import { type Finding, findingsOf } from './finding.ts'

/**
 * Describes the first issuer without any keys, or with an address that the functions would reject; undefined if there
 * is none.
 */
export const issuerProblem = (issuers: readonly TokenIssuer[]): string | undefined => {
  for (const { issuer, jwks, jwksUri } of issuers) {
    if (jwksUri === undefined && jwks === undefined)
      return `${issuer} has neither jwks nor jwksUri: no token of it would be valid`
    const rejection = jwksUri === undefined ? undefined : invalidUrlReason(jwksUri, { local: false })
    if (rejection !== undefined) return `the jwksUri of ${issuer} is rejected: ${rejection}`
  }
  return undefined
}

/** Hash of the packed data of an issuer, without the time. */
const digestOf = ({ preparedAt: _, ...packed }: TokenIssuer): string =>
  createHash('sha256').update(JSON.stringify(packed)).digest('hex').slice(0, 16)

/** When the keys of issuers were packed, for the template's metadata: ms since the epoch, by the hash of the data. */
export const packingTimes = (issuers: readonly TokenIssuer[]): Record<string, number> =>
  Object.fromEntries(
    issuers.flatMap((issuer) => (issuer.preparedAt === undefined ? [] : [[digestOf(issuer), issuer.preparedAt]])),
  )

/** Issuers with the times of an earlier deployment of the same keys, so that the same keys give the same bytes. */
export const withPackingTimes = (issuers: readonly TokenIssuer[], times: Record<string, number>): TokenIssuer[] =>
  issuers.map((issuer) =>
    issuer.preparedAt === undefined ? issuer : { ...issuer, preparedAt: times[digestOf(issuer)] ?? issuer.preparedAt },
  )

export interface Prepared {
  issuers: TokenIssuer[]
  findings: Finding[]
}

const { ok, warning, fault } = findingsOf('token issuers')

/**
 * Fetches the keys of issuers that have none in the settings. A failure is only a warning, since otherwise any issuer
 * could prevent a deployment; the functions fetch them again. An address that is not allowed is a fault. `now`: ms
 * since the epoch; `ask`: for tests.
 */
export const prepareIssuers = async (
  issuers: readonly TokenIssuer[],
  now: number,
  ask: (url: string) => ReturnType<typeof servedKeys> = (url) => servedKeys(url, { local: false }),
): Promise<Prepared> => {
  const problem = issuerProblem(issuers)
  if (problem !== undefined) return { issuers: [...issuers], findings: fault(problem) }
  const findings: Finding[] = []
  // Without any address or usable key no token would ever be valid.
  const isAnyUsable = issuers.some(
    ({ jwks, jwksUri }) => jwksUri !== undefined || importableKeys(jwks?.keys ?? []).length > 0,
  )
  const prepare = async (entry: TokenIssuer): Promise<TokenIssuer> => {
    const { issuer, jwksUri } = entry
    const jwks = entry.jwks && { keys: importableKeys(entry.jwks.keys) }
    const isGiven = jwks !== undefined && jwks.keys.length > 0
    if (jwksUri === undefined) {
      if (!isGiven)
        findings.push(
          ...(isAnyUsable ? warning : fault)(
            `the jwks of ${issuer} has no key that could verify a token, so none of it is valid: give its public keys, or its jwksUri`,
          ),
        )
      return { ...entry, jwks }
    }
    if (isGiven) return { ...entry, jwks, given: true, preparedAt: now }
    const served = await ask(jwksUri)
    if ('keys' in served) return { ...entry, jwks: { keys: served.keys }, given: false, preparedAt: now }
    findings.push(
      ...(served.rejected
        ? fault(
            `${jwksUri}, for the keys of ${issuer}, is rejected: ${served.reason}. Give the keys as jwks beside jwksUri if they cannot be fetched from here`,
          )
        : warning(
            `${jwksUri} does not serve the keys of ${issuer} (${served.reason}), so they are not packed, and until it does its tokens are rejected: make it reachable from the internet, or give its keys as jwks beside jwksUri`,
          )),
    )
    return { ...entry, jwks }
  }
  const prepared = await Promise.all(issuers.map(prepare))
  if (findings.length === 0 && issuers.length > 0)
    findings.push(...ok(`the keys of ${issuers.map(({ issuer }) => issuer).join(', ')}`))
  return { issuers: prepared, findings }
}
