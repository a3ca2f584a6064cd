/**
 * Checks non-revocation: it must be proved wherever it was requested and the definition supports it, with the
 * definition's registry and the list that was valid.
 */
import type { AnonCredsRevocationStatusList } from '@credo-ts/anoncreds'
import { type Assignments, PresentationError } from './assignments.ts'
import { credentialObjects, isNamedBy, type Objects, type Registry } from './objects.ts'
import type { Presentation } from './presentation.ts'
import type { Request } from './request.ts'

/** A credential whose non-revocation must be proved. */
export interface ToProve {
  credentialDefinitionId: string
  registryId: string
  /** Time of the prover's list, in epoch seconds. */
  timestamp: number
  /** Ends of the requested intervals, in epoch seconds. */
  ends: number[]
}

/** Allowed difference of the prover's clock, in seconds. */
const CLOCK_TOLERANCE = 300

/**
 * The credentials whose non-revocation must be proved. The library accepts a sub-proof without a proof of
 * non-revocation, whatever was requested, and any time with it ("Verifiers, Presentations, and Timestamps", Aries RFC
 * 0441). `now`: in epoch seconds. Throws `PresentationError`.
 */
export const toProveNotRevoked = (
  request: Request,
  { attributes, predicates }: Assignments,
  { identifiers, proof }: Presentation,
  objects: Objects,
  now: number,
): ToProve[] =>
  identifiers.flatMap((identifier, index) => {
    const { rev_reg_id: registryId, timestamp, cred_def_id: credentialDefinitionId } = identifier
    const { definition } = credentialObjects(identifier, objects)
    const intervals = [...attributes, ...predicates]
      .filter(({ subProof }) => subProof === index)
      .flatMap(({ requested }) => requested.non_revoked ?? request.non_revoked ?? [])
    if ((timestamp ?? 0) > now + CLOCK_TOLERANCE)
      throw new PresentationError('a credential has a time of non-revocation that is in the future')
    if (!definition.value.revocation && typeof timestamp === 'number')
      throw new PresentationError('an irrevocable credential has a time of non-revocation')
    const isProved = (proof.proofs[index]?.non_revoc_proof ?? undefined) !== undefined
    if (intervals.length === 0 || !definition.value.revocation) {
      if (isProved) throw new PresentationError('non-revocation is proved where it was not requested')
      return []
    }
    if (!isProved || typeof registryId !== 'string' || typeof timestamp !== 'number')
      throw new PresentationError('a credential has no proof of non-revocation')
    const ends = intervals.map(({ to }) => to)
    if (!ends.every((to) => typeof to === 'number'))
      throw new PresentationError('the interval of the request must have an end')
    return [{ credentialDefinitionId, registryId, timestamp, ends: [...new Set(ends)] }]
  })

/**
 * The status lists for the library. A list that was outdated at the end of the interval would show a revoked credential
 * as valid, and a registry of another issuer could show anything. Throws `PresentationError`.
 */
export const validLists = (
  credentials: readonly ToProve[],
  { definitions }: Objects,
  registries: ReadonlyMap<string, Registry>,
): AnonCredsRevocationStatusList[] =>
  credentials.flatMap(({ credentialDefinitionId, registryId, timestamp, ends }) => {
    const registry = registries.get(registryId)
    const issuerId = definitions.get(credentialDefinitionId)?.issuerId
    if (registry === undefined || issuerId === undefined)
      throw new PresentationError('a revocation registry was not read')
    const { definition, listAt } = registry
    if (
      definition.credDefId !== credentialDefinitionId ||
      definition.issuerId !== issuerId ||
      !isNamedBy(registryId, issuerId)
    )
      throw new PresentationError('the revocation registry belongs to another credential definition')
    return ends.map((end) => {
      const list = listAt.get(end)
      if (list === undefined) throw new PresentationError('a revocation status list was not read')
      if (list.revRegDefId !== registryId || list.issuerId !== issuerId)
        throw new PresentationError('the revocation status list belongs to another registry')
      // Provers name the time of the list, or a later one at which it was still valid.
      if (timestamp < list.timestamp || timestamp > end)
        throw new PresentationError(
          'the proof of non-revocation does not use the list that was valid at the end of the interval',
        )
      return { ...list, timestamp }
    })
  })
