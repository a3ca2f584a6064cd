/** Assigns the sub-proofs of a presentation to the request's referents: each exactly once, and no others. */
import type { Presentation } from './presentation.ts'
import { namesOf, type Request, type RequestedAttribute, type RequestedPredicate } from './request.ts'

interface Value {
  raw: string
  encoded: string
}

/** A requested attribute, or group of attributes, with the sub-proof that proves it. */
export interface AssignedAttribute {
  referent: string
  requested: RequestedAttribute
  subProof: number
  /** By requested name. */
  values: Map<string, Value>
}

export interface AssignedPredicate {
  referent: string
  requested: RequestedPredicate
  subProof: number
}

export interface Assignments {
  attributes: AssignedAttribute[]
  predicates: AssignedPredicate[]
}

/**
 * The presentation does not satisfy the request. The message has the reason and quotes nothing of the presentation. /
 */
export class PresentationError extends Error {
  override readonly name = 'PresentationError'
}

/** Whether two lists have the same members, without repetitions. */
export const sameNames = (some: readonly string[], others: readonly string[]): boolean => {
  const all = new Set([...some, ...others]).size
  return all === some.length && all === others.length
}

/** A referent in error messages. The requester chose it. */
export const quoted = (referent: string): string => JSON.stringify(referent)

/**
 * The assignments of a presentation. The library accepts a referent that is assigned twice: it shows the value of one
 * credential and checks the restrictions on the other. Throws `PresentationError`.
 */
export const assignmentsOf = (
  request: Request,
  { requested_proof: shown, proof, identifiers }: Presentation,
): Assignments => {
  const { requested_attributes: attributes, requested_predicates: predicates } = request
  const { revealed_attrs, revealed_attr_groups, unrevealed_attrs, self_attested_attrs } = shown
  const assigned = [revealed_attrs, revealed_attr_groups, unrevealed_attrs, self_attested_attrs].flatMap(Object.keys)
  if (new Set(assigned).size !== assigned.length)
    throw new PresentationError('a requested attribute must not be assigned twice')
  if (
    !sameNames(assigned, Object.keys(attributes)) ||
    !sameNames(Object.keys(shown.predicates), Object.keys(predicates))
  )
    throw new PresentationError('the presentation must have exactly the referents of the request')
  const [unrevealed] = Object.keys(unrevealed_attrs)
  if (unrevealed !== undefined) throw new PresentationError(`the attribute ${quoted(unrevealed)} is not revealed`)
  const assignments = {
    attributes: Object.entries(attributes).flatMap(([referent, requested]) =>
      Object.hasOwn(self_attested_attrs, referent)
        ? selfAttested(referent, requested)
        : [revealed(referent, requested, shown)],
    ),
    predicates: Object.entries(predicates).map(([referent, requested]) => ({
      referent,
      requested,
      // Every requested predicate is present, as checked above.
      subProof: shown.predicates[referent]?.sub_proof_index ?? -1,
    })),
  }
  assertEachIsUsed(assignments, proof.proofs.length, identifiers.length)
  return assignments
}

/** Allowed only without `restrictions`: even an empty list requires a credential (as in ACA-Py). */
const selfAttested = (referent: string, { names, restrictions }: RequestedAttribute): [] => {
  if (restrictions !== undefined && restrictions !== null)
    throw new PresentationError(`the attribute ${quoted(referent)} is self-attested, but must come from a credential`)
  if (names !== undefined) throw new PresentationError(`the group ${quoted(referent)} is self-attested`)
  return []
}

const revealed = (
  referent: string,
  requested: RequestedAttribute,
  { revealed_attrs, revealed_attr_groups }: Presentation['requested_proof'],
): AssignedAttribute => {
  const isGroup = requested.names !== undefined
  const single = revealed_attrs[referent]
  const group = revealed_attr_groups[referent]
  if (isGroup && group !== undefined && Object.hasOwn(revealed_attr_groups, referent)) {
    if (!sameNames(Object.keys(group.values), namesOf(requested)))
      throw new PresentationError(`the group ${quoted(referent)} must have exactly the attributes that were requested`)
    return { referent, requested, subProof: group.sub_proof_index, values: new Map(Object.entries(group.values)) }
  }
  if (!isGroup && single !== undefined && requested.name !== undefined && Object.hasOwn(revealed_attrs, referent)) {
    const { raw, encoded, sub_proof_index: subProof } = single
    return { referent, requested, subProof, values: new Map([[requested.name, { raw, encoded }]]) }
  }
  throw new PresentationError(`the attribute ${quoted(referent)} must have the form in which it was requested`)
}

/**
 * An unused credential would be shown beside the used ones without proving anything. More identifiers than sub-proofs
 * crash the library.
 */
const assertEachIsUsed = ({ attributes, predicates }: Assignments, subProofs: number, identifiers: number): void => {
  if (subProofs !== identifiers)
    throw new PresentationError('the presentation must name one credential for each sub-proof')
  const used = new Set([...attributes, ...predicates].map(({ subProof }) => subProof))
  if (used.size !== subProofs || [...used].some((index) => index >= subProofs))
    throw new PresentationError('the referents must use exactly the sub-proofs of the presentation')
}
