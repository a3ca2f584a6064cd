/**
 * Evaluates the constraints of an input descriptor on one credential (DIF Presentation Exchange, section Input
 * Evaluation).
 */
import { isObject } from '../json.ts'
import type { Constraints, Field } from './definition-schema.ts'
import { matchesFilter } from './filter.ts'
import { type Location, parseTenantPath, type Selected, select } from './path.ts'
import type { Work } from './work.ts'

interface FieldResult {
  satisfied: boolean
  /** The selected values, in document order; empty if an optional claim is absent. */
  matches: readonly Selected[]
}

/**
 * Evaluates a field: the first path counts that leads to a value which matches the filter. Of several values at a path,
 * such as `$.type[*]`, one that matches is enough. An array is filtered as a whole: `contains` and `items` are for its
 * elements. A claim that is present and matches on no path does not satisfy the field, even if it is optional, and neither
 * does one of several values at an index, because they have no order. Throws `WorkLimitError`.
 */
export const evaluateField = ({ path, filter, optional }: Field, credential: unknown, work: Work): FieldResult => {
  let isAbsent = true
  for (const text of path) {
    const parsed = parseTenantPath(text)
    if (parsed === undefined) return { satisfied: false, matches: [] }
    const { selected, isUndecided } = select(parsed, credential, work)
    const matches = filter === undefined ? selected : selected.filter(({ claim }) => matchesFilter(filter, claim, work))
    if (matches.length > 0) return { satisfied: true, matches }
    isAbsent &&= selected.length === 0 && !isUndecided
  }
  return { satisfied: isAbsent && optional === true, matches: [] }
}

/** Claims that belong together, by the ids of their fields. */
type Relation = NonNullable<Constraints['is_holder']>[number]

interface Candidate {
  /** Its claims (see claims.ts). */
  credential: unknown
  /** DID that signed the presentation. */
  signer: string
}

/**
 * The constraints that a credential does not meet, as paths such as `fields.0` and `is_holder.0`. Throws
 * `WorkLimitError`.
 */
export const unsatisfiedConstraints = (constraints: Constraints, candidate: Candidate, work: Work): string[] => {
  const {
    fields = [],
    is_holder: holders = [],
    same_subject: subjects = [],
    subject_is_issuer: selfIssued,
  } = constraints
  const { credential, signer } = candidate
  const results = fields.map((field) => evaluateField(field, credential, work))
  const claimed = new Map(fields.map(({ id }, index) => [id, claimedSubjects(results[index], credential)]))
  /** Subjects of the claims that are present. */
  const present = (ids: readonly string[]) =>
    ids.flatMap((id) => claimed.get(id) ?? [new Set<string>()]).filter((about) => about !== ABSENT)
  return [
    ...unsatisfied('fields', results, ({ satisfied }) => satisfied),
    ...unsatisfied(
      'is_holder',
      holders,
      required((ids) => present(ids).every((about) => about.has(signer))),
    ),
    ...unsatisfied(
      'same_subject',
      subjects,
      required((ids) => haveOneInCommon(present(ids))),
    ),
    ...(selfIssued === 'required' && !isSelfIssued(credential) ? ['subject_is_issuer'] : []),
  ]
}

const unsatisfied = <T>(name: string, all: readonly T[], isMet: (one: T) => boolean): string[] =>
  all.flatMap((one, index) => (isMet(one) ? [] : [`${name}.${index}`]))

const required =
  (holds: (ids: readonly string[]) => boolean) =>
  ({ directive, field_id: ids }: Relation): boolean =>
    directive !== 'required' || holds(ids)

const ABSENT: ReadonlySet<string> = new Set()

/** Ids of subjects, for each match of a field that is about one subject only. */
const claimedSubjects = (result: FieldResult | undefined, credential: unknown): ReadonlySet<string> => {
  const { matches = [] } = result ?? {}
  // Absent, or unsuitable, for which the field itself rejects the credential.
  if (matches.length === 0) return ABSENT
  return new Set(
    matches.flatMap(({ location }) => {
      const [first, ...others] = subjectIdsOf(credential, location)
      return first !== undefined && others.every((id) => id === first) ? [first] : []
    }),
  )
}

const haveOneInCommon = ([first, ...others]: readonly ReadonlySet<string>[]): boolean =>
  first === undefined || [...first].some((id) => others.every((about) => about.has(id)))

/** Self-attested: every subject is the issuer. */
const isSelfIssued = (credential: unknown): boolean => {
  const issuer = idOf(property(credential, 'issuer'))
  return issuer !== undefined && subjectIds(credential).every((id) => id === issuer)
}

const property = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)

const idOf = (value: unknown): string | undefined => {
  const id = typeof value === 'string' ? value : property(value, 'id')
  return typeof id === 'string' ? id : undefined
}

/** Ids of all subjects; undefined for a subject without one. */
const subjectIds = (credential: unknown): (string | undefined)[] =>
  [property(credential, 'credentialSubject')].flat().map(idOf)

/**
 * Ids of the subjects that the claim at a location is about: the one that it lies in, or else all of the credential.
 */
const subjectIdsOf = (credential: unknown, [root, index]: Location): (string | undefined)[] => {
  const ids = subjectIds(credential)
  return root === 'credentialSubject' && typeof index === 'number' ? [ids[index]] : ids
}
