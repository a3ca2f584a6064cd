/**
 * Checks non-revocation: it has to be proved wherever it was requested and the definition supports it, with the definition's registry and the list
 * that was valid.
 */
import type { AnonCredsRevocationStatusList } from '@credo-ts/anoncreds'
import { type Answers, Refused } from './answers.ts'
import { credentialObjects, isNamedBy, type Objects, type Registry } from './objects.ts'
import type { Presentation } from './presentation.ts'
import type { Request } from './request.ts'

/** A credential whose non-revocation has to be proved. */
export interface ToProve {
  credentialDefinitionId: string
  registryId: string
  /** Time of the prover's list, in epoch seconds. */
  timestamp: number
  /** Ends of the requested intervals, in epoch seconds. */
  ends: number[]
}

/**
 * The credentials whose non-revocation has to be proved. The library accepts a sub-proof without a proof of non-revocation, whatever was requested.
 * Throws `Refused`.
 */
export const toProveNotRevoked = (
  request: Request,
  { attributes, predicates }: Answers,
  { identifiers, proof }: Presentation,
  objects: Objects,
): ToProve[] =>
  identifiers.flatMap((identifier, index) => {
    const { rev_reg_id: registryId, timestamp, cred_def_id: credentialDefinitionId } = identifier
    const { definition } = credentialObjects(identifier, objects)
    const intervals = [...attributes, ...predicates]
      .filter(({ subProof }) => subProof === index)
      .flatMap(({ asked }) => asked.non_revoked ?? request.non_revoked ?? [])
    const isProved = (proof.proofs[index]?.non_revoc_proof ?? undefined) !== undefined
    if (intervals.length === 0 || !definition.value.revocation) {
      if (isProved) throw new Refused('non-revocation is proved where it was not asked')
      return []
    }
    if (!isProved || typeof registryId !== 'string' || typeof timestamp !== 'number')
      throw new Refused('a credential is not proved to be not revoked')
    const ends = intervals.map(({ to }) => to)
    if (!ends.every((to) => typeof to === 'number')) throw new Refused('the request names no end of its interval')
    return [{ credentialDefinitionId, registryId, timestamp, ends: [...new Set(ends)] }]
  })

/**
 * The status lists for the library. A list that was outdated at the end of the interval would show a revoked credential as valid, and a registry of
 * another issuer could show anything. Throws `Refused`.
 */
export const listsInForce = (
  credentials: readonly ToProve[],
  { definitions }: Objects,
  registries: ReadonlyMap<string, Registry>,
): AnonCredsRevocationStatusList[] =>
  credentials.flatMap(({ credentialDefinitionId, registryId, timestamp, ends }) => {
    const registry = registries.get(registryId)
    const issuerId = definitions.get(credentialDefinitionId)?.issuerId
    if (registry === undefined || issuerId === undefined) throw new Refused('a revocation registry was not read')
    const { definition, listAt } = registry
    if (
      definition.credDefId !== credentialDefinitionId ||
      definition.issuerId !== issuerId ||
      !isNamedBy(registryId, issuerId)
    )
      throw new Refused('the revocation registry is not one of the credential definition')
    return ends.map((end) => {
      const list = listAt.get(end)
      if (list === undefined) throw new Refused('a revocation status list was not read')
      if (list.revRegDefId !== registryId || list.issuerId !== issuerId)
        throw new Refused('the revocation status list is not one of the registry')
      // Provers name the time of the list, or a later one at which it was still valid.
      if (timestamp < list.timestamp || timestamp > end)
        throw new Refused('the proof of non-revocation is not by the list in force at the end of the interval')
      return { ...list, timestamp }
    })
  })
