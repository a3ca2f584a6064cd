/** Checks between the parts of a presentation definition. Each returns the violations that it has found. */
import { isVerifiable, VERIFIABLE_PROOF_TYPES } from '../presentation-exchange/definition.ts'
import {
  fieldsOf,
  type InputDescriptor,
  type PresentationDefinition,
  topFiltersOf,
} from '../presentation-exchange/definition-schema.ts'
import { version1Violations, version2Violations } from './presentation-filter.ts'
import { groupsOf } from './submission-requirement.ts'
import type { Violation } from './violations.ts'

const below = (path: Violation['path'], violations: readonly Violation[]): Violation[] =>
  violations.map((violation) => ({ ...violation, path: [...path, ...violation.path] }))

/** Version 1 has `schema` in every descriptor, version 2 in none. */
export const versionViolations = (definition: PresentationDefinition): Violation[] => {
  const withSchema = definition.input_descriptors.filter(({ schema }) => schema !== undefined).length
  if (withSchema === 0)
    return topFiltersOf(definition).flatMap(({ path, value }) => below(path, version2Violations(value)))
  if (withSchema < definition.input_descriptors.length)
    return [
      { path: [], message: 'must be of one version: 1 with schema in every descriptor, or 2 with schema in none' },
    ]
  return [
    ...definition.input_descriptors.flatMap(({ format }, index) =>
      format === undefined ? [] : [{ path: ['input_descriptors', index, 'format'], message: 'is not in version 1' }],
    ),
    ...fieldsOf(definition).flatMap(({ path, value }) =>
      Object.entries(value)
        .filter(([name, member]) => ['name', 'optional', 'intent_to_retain'].includes(name) && String(member) !== '')
        .map(([name]) => ({ path: [...path, name], message: 'is not in version 1' })),
    ),
    ...topFiltersOf(definition).flatMap(({ path, value }) => below(path, version1Violations(value))),
  ]
}

/** A descriptor to which no submission requirement refers would never be enforced. */
export const groupViolations = (definition: PresentationDefinition): Violation[] => {
  const { input_descriptors: descriptors, submission_requirements: requirements } = definition
  if (requirements === undefined) return []
  const required = new Set(groupsOf(requirements))
  const groups = new Set(descriptors.flatMap(({ group = [] }) => group))
  const isRequired = ({ group = [] }: InputDescriptor) => group.some((name) => required.has(name))
  return [
    ...([...required].every((name) => groups.has(name))
      ? []
      : [{ path: [], message: 'must refer to groups of the descriptors' }]),
    ...descriptors.flatMap((descriptor, index) =>
      isRequired(descriptor)
        ? []
        : [
            {
              path: ['input_descriptors', index, 'group'],
              message: 'must name a group to which a submission requirement refers',
            },
          ],
    ),
  ]
}

const CANNOT_VERIFY = `must permit ldp_vc and ldp_vp (or ldp) with ${VERIFIABLE_PROOF_TYPES.join(' or ')}: no other can be verified`

/** At least one format must be verifiable; others may be named too. */
export const formatViolations = ({ format, input_descriptors: descriptors }: PresentationDefinition): Violation[] =>
  [
    { path: ['format'], value: format },
    ...descriptors.map(({ format: value }, index) => ({ path: ['input_descriptors', index, 'format'], value })),
  ]
    .filter(({ value }) => !isVerifiable(value))
    .map(({ path }) => ({ path, message: CANNOT_VERIFY }))
