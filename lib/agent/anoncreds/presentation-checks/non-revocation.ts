/** Non-revocation: proved wherever it was asked and the definition allows it, by the registry of this definition and the list in force. */
import type { AnonCredsRevocationStatusList } from '@credo-ts/anoncreds'
import { type Answers, Refused } from './answers.ts'
import { credentialObjects, isNamedBy, type Objects, type Registry } from './objects.ts'
import type { Presentation } from './presentation.ts'
import type { Request } from './request.ts'

/** A credential that is to be proved not revoked. */
export interface ToProve {
  credentialDefinitionId: string
  registryId: string
  /** The prover's: of the list that the proof was made with, in seconds. */
  timestamp: number
  /** Ends of the intervals that were asked for, in seconds. */
  ends: number[]
}

/**
 * What is to be read of revocation. The library takes a sub-proof without a proof of non-revocation, whatever was asked. Throws `Refused`.
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
 * The status lists that the library is to verify with. A list that is not in force any more at the end of an interval would show a revoked
 * credential as it was before; a registry of somebody else shows whatever he wants. Throws `Refused`.
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
      // Some provers name the time of the list, others a later one at which it was still in force.
      if (timestamp < list.timestamp || timestamp > end)
        throw new Refused('the proof of non-revocation is not by the list in force at the end of the interval')
      return { ...list, timestamp }
    })
  })
