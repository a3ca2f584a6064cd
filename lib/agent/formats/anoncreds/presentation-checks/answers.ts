/** Assigns the sub-proofs of a presentation to the request's referents: each exactly once, and no others. */
import type { Presentation } from './presentation.ts'
import { namesOf, type Request, type RequestedAttribute, type RequestedPredicate } from './request.ts'

interface Value {
  raw: string
  encoded: string
}

/** A requested attribute, or group of attributes, that a credential answers. */
export interface AttributeAnswer {
  referent: string
  asked: RequestedAttribute
  subProof: number
  /** By requested name. */
  values: Map<string, Value>
}

export interface PredicateAnswer {
  referent: string
  asked: RequestedPredicate
  subProof: number
}

export interface Answers {
  attributes: AttributeAnswer[]
  predicates: PredicateAnswer[]
}

/** The presentation does not prove what was requested. The message gives the reason and quotes nothing of the presentation. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** Whether two lists have the same members, without repetitions. */
export const sameNames = (some: readonly string[], others: readonly string[]): boolean => {
  const all = new Set([...some, ...others]).size
  return all === some.length && all === others.length
}

/** A referent in error messages. The requester chose it. */
export const quoted = (referent: string): string => JSON.stringify(referent)

/**
 * The answers of a presentation. The library accepts a referent that is answered twice: it shows the value of one credential and checks the
 * restrictions on the other. Throws `Refused`.
 */
export const answersOf = (request: Request, { requested_proof: shown, proof, identifiers }: Presentation): Answers => {
  const { requested_attributes: attributes, requested_predicates: predicates } = request
  const { revealed_attrs, revealed_attr_groups, unrevealed_attrs, self_attested_attrs } = shown
  const answered = [revealed_attrs, revealed_attr_groups, unrevealed_attrs, self_attested_attrs].flatMap(Object.keys)
  if (new Set(answered).size !== answered.length) throw new Refused('a requested attribute is answered twice')
  if (
    !sameNames(answered, Object.keys(attributes)) ||
    !sameNames(Object.keys(shown.predicates), Object.keys(predicates))
  )
    throw new Refused('the presentation does not answer exactly the referents of the request')
  const [unrevealed] = Object.keys(unrevealed_attrs)
  if (unrevealed !== undefined) throw new Refused(`the attribute ${quoted(unrevealed)} is not revealed`)
  const answers = {
    attributes: Object.entries(attributes).flatMap(([referent, asked]) =>
      Object.hasOwn(self_attested_attrs, referent) ? selfAttested(referent, asked) : [revealed(referent, asked, shown)],
    ),
    predicates: Object.entries(predicates).map(([referent, asked]) => ({
      referent,
      asked,
      // Every requested predicate is present, as checked above.
      subProof: shown.predicates[referent]?.sub_proof_index ?? -1,
    })),
  }
  assertEachIsUsed(answers, proof.proofs.length, identifiers.length)
  return answers
}

/** Allowed only without `restrictions`: even an empty list requires a credential (as in ACA-Py). */
const selfAttested = (referent: string, { names, restrictions }: RequestedAttribute): [] => {
  if (restrictions !== undefined && restrictions !== null)
    throw new Refused(`the attribute ${quoted(referent)} is self-attested, and a credential was asked for`)
  if (names !== undefined) throw new Refused(`the group ${quoted(referent)} is self-attested`)
  return []
}

const revealed = (
  referent: string,
  asked: RequestedAttribute,
  { revealed_attrs, revealed_attr_groups }: Presentation['requested_proof'],
): AttributeAnswer => {
  const isGroup = asked.names !== undefined
  const single = revealed_attrs[referent]
  const group = revealed_attr_groups[referent]
  if (isGroup && group !== undefined && Object.hasOwn(revealed_attr_groups, referent)) {
    if (!sameNames(Object.keys(group.values), namesOf(asked)))
      throw new Refused(`the group ${quoted(referent)} does not hold exactly the attributes that were asked for`)
    return { referent, asked, subProof: group.sub_proof_index, values: new Map(Object.entries(group.values)) }
  }
  if (!isGroup && single !== undefined && asked.name !== undefined && Object.hasOwn(revealed_attrs, referent)) {
    const { raw, encoded, sub_proof_index: subProof } = single
    return { referent, asked, subProof, values: new Map([[asked.name, { raw, encoded }]]) }
  }
  throw new Refused(`the attribute ${quoted(referent)} is answered in another form than it was asked for`)
}

/** An unused credential would prove nothing, but appear beside the used ones. More identifiers than sub-proofs crash the library. */
const assertEachIsUsed = ({ attributes, predicates }: Answers, subProofs: number, identifiers: number): void => {
  if (subProofs !== identifiers) throw new Refused('the presentation does not name one credential for each sub-proof')
  const used = new Set([...attributes, ...predicates].map(({ subProof }) => subProof))
  if (used.size !== subProofs || [...used].some((index) => index >= subProofs))
    throw new Refused('the referents do not use exactly the sub-proofs of the presentation')
}
