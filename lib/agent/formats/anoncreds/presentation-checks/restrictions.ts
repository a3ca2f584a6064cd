/** Checks the restrictions of a request. A referent's restrictions are alternatives; all fields of one have to match. */

import { commonName } from '../../../../records/anoncreds-objects.ts'
import { type Answers, type AttributeAnswer, type PredicateAnswer, quoted, Refused } from './answers.ts'
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

const answersWithRestrictions = ({ attributes, predicates }: Answers) =>
  [...attributes, ...predicates].flatMap((answer) => {
    const { restrictions } = answer.asked
    return restrictions?.length ? [{ answer, restrictions }] : []
  })

const refuse = (referent: string): never => {
  throw new Refused(`the credential for ${quoted(referent)} does not meet the restrictions`)
}

const identifierOf = ({ identifiers }: Presentation, { subProof, referent }: AttributeAnswer | PredicateAnswer) =>
  identifiers[subProof] ?? refuse(referent)

/** Checked before reading: a stranger's presentation must not make the verifier read objects that no restriction allows. Throws `Refused`. */
export const assertIdRestrictions = (answers: Answers, presentation: Presentation): void => {
  for (const { answer, restrictions } of answersWithRestrictions(answers)) {
    const identifier = identifierOf(presentation, answer)
    const isPossible = (restriction: Restriction) =>
      Object.entries(restriction).every(([key, expected]) => byIds(identifier, key, expected) !== false)
    if (!restrictions.some(isPossible)) refuse(answer.referent)
  }
}

/** Throws `Refused`. */
export const assertRestrictions = (answers: Answers, presentation: Presentation, objects: Objects): void => {
  for (const { answer, restrictions } of answersWithRestrictions(answers)) {
    const credential = credentialOf(answer, answers, presentation, objects)
    const isMet = (restriction: Restriction) =>
      Object.entries(restriction).every(([key, expected]) => meets(credential, key, expected))
    if (!restrictions.some(isMet)) refuse(answer.referent)
  }
}

type Credential = ReturnType<typeof credentialOf>

const credentialOf = (
  answer: AttributeAnswer | PredicateAnswer,
  { attributes, predicates }: Answers,
  presentation: Presentation,
  objects: Objects,
) => {
  const identifier = identifierOf(presentation, answer)
  const shown = attributes.filter(({ subProof }) => subProof === answer.subProof)
  const proved = predicates.filter(({ subProof }) => subProof === answer.subProof)
  return {
    ...credentialObjects(identifier, objects),
    identifier,
    revealed: new Map(
      shown.flatMap(({ values }) => [...values].map(([name, { raw }]) => [commonName(name), raw] as const)),
    ),
    proved: new Set(proved.map(({ asked }) => commonName(asked.name))),
  }
}

const meets = (credential: Credential, key: string, expected: string): boolean => {
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
      return meetsOfAttribute(credential, key, expected)
  }
}

/**
 * `value` has to be revealed by the same credential. Marker `1`: the credential reveals the attribute or proves a predicate on it. Marker `0`: its
 * schema does not have it. The library compares no unrevealed values, and accepts any marker.
 */
const meetsOfAttribute = ({ schema, revealed, proved }: Credential, key: string, expected: string): boolean => {
  const [, attribute, rule] = ATTRIBUTE.exec(key) ?? []
  if (attribute === undefined) return false
  const name = commonName(attribute)
  if (rule === 'value') return revealed.get(name) === expected
  if (expected === '0') return !schema.attrNames.map(commonName).includes(name)
  return expected === '1' && (revealed.has(name) || proved.has(name))
}
