/** Checks the restrictions of a request. A referent's restrictions are alternatives; all fields of one must match. / */
import { commonName } from '../../../../records/anoncreds-objects.ts'
import {
  type AssignedAttribute,
  type AssignedPredicate,
  type Assignments,
  PresentationError,
  quoted,
} from './assignments.ts'
import { credentialObjects, isNamedBy, type Objects } from './objects.ts'
import type { Identifier, Presentation } from './presentation.ts'
import type { Restriction } from './request.ts'

const ATTRIBUTE = /^attr::(.+)::(marker|value)$/

/** Whether a credential's ids match a restriction; undefined if the ids do not tell. */
const byIds = ({ schema_id, cred_def_id }: Identifier, key: string, expected: string): boolean | undefined => {
  switch (key) {
    case 'schema_id':
      return schema_id === expected
    case 'cred_def_id':
      return cred_def_id === expected
    case 'schema_issuer_id':
    case 'schema_issuer_did':
      return isNamedBy(schema_id, expected)
    case 'issuer_id':
    case 'issuer_did':
      return isNamedBy(cred_def_id, expected)
    default:
      return undefined
  }
}

const assignmentsWithRestrictions = ({ attributes, predicates }: Assignments) =>
  [...attributes, ...predicates].flatMap((assignment) => {
    const { restrictions } = assignment.requested
    return restrictions?.length ? [{ assignment, restrictions }] : []
  })

const reject = (referent: string): never => {
  throw new PresentationError(`the credential for ${quoted(referent)} does not satisfy the restrictions`)
}

const identifierOf = ({ identifiers }: Presentation, { subProof, referent }: AssignedAttribute | AssignedPredicate) =>
  identifiers[subProof] ?? reject(referent)

/**
 * Checked before objects are read, so that a prover cannot make the verifier read objects that no restriction allows.
 * Throws a `PresentationError`.
 */
export const assertIdRestrictions = (assignments: Assignments, presentation: Presentation): void => {
  for (const { assignment, restrictions } of assignmentsWithRestrictions(assignments)) {
    const identifier = identifierOf(presentation, assignment)
    const isPossible = (restriction: Restriction) =>
      Object.entries(restriction).every(([key, expected]) => byIds(identifier, key, expected) !== false)
    if (!restrictions.some(isPossible)) reject(assignment.referent)
  }
}

/** Throws `PresentationError`. */
export const assertRestrictions = (assignments: Assignments, presentation: Presentation, objects: Objects): void => {
  for (const { assignment, restrictions } of assignmentsWithRestrictions(assignments)) {
    const credential = credentialOf(assignment, assignments, presentation, objects)
    const isSatisfied = (restriction: Restriction) =>
      Object.entries(restriction).every(([key, expected]) => satisfiesRestriction(credential, key, expected))
    if (!restrictions.some(isSatisfied)) reject(assignment.referent)
  }
}

type Credential = ReturnType<typeof credentialOf>

const credentialOf = (
  assignment: AssignedAttribute | AssignedPredicate,
  { attributes, predicates }: Assignments,
  presentation: Presentation,
  objects: Objects,
) => {
  const identifier = identifierOf(presentation, assignment)
  const revealedAttributes = attributes.filter(({ subProof }) => subProof === assignment.subProof)
  const proved = predicates.filter(({ subProof }) => subProof === assignment.subProof)
  return {
    ...credentialObjects(identifier, objects),
    identifier,
    revealed: new Map(
      revealedAttributes.flatMap(({ values }) =>
        [...values].map(([name, { raw }]) => [commonName(name), raw] as const),
      ),
    ),
    proved: new Set(proved.map(({ requested }) => commonName(requested.name))),
  }
}

const satisfiesRestriction = (credential: Credential, key: string, expected: string): boolean => {
  const { identifier, schema, definition } = credential
  switch (key) {
    case 'schema_name':
      return schema.name === expected
    case 'schema_version':
      return schema.version === expected
    case 'schema_issuer_id':
    case 'schema_issuer_did':
      return schema.issuerId === expected
    case 'issuer_id':
    case 'issuer_did':
      return definition.issuerId === expected
    case 'schema_id':
    case 'cred_def_id':
      return byIds(identifier, key, expected) === true
    default:
      return satisfiesAttributeRule(credential, key, expected)
  }
}

/**
 * `value`: the same credential must reveal it. Marker `1`: the credential reveals the attribute or proves a predicate
 * on it. Marker `0`: its schema does not have it. The library compares no unrevealed values, and accepts any marker. /
 */
const satisfiesAttributeRule = ({ schema, revealed, proved }: Credential, key: string, expected: string): boolean => {
  const [, attribute, rule] = ATTRIBUTE.exec(key) ?? []
  if (attribute === undefined) return false
  const name = commonName(attribute)
  if (rule === 'value') return revealed.get(name) === expected
  if (expected === '0') return !schema.attrNames.map(commonName).includes(name)
  return expected === '1' && (revealed.has(name) || proved.has(name))
}
