/** Checks between the parts of a presentation definition. Each returns what it has found wrong. */
import { isVerifiable, VERIFIABLE_PROOF_TYPES } from '../presentation-exchange/definition.ts'
import {
  type Field,
  type Filter,
  type InputDescriptor,
  MAX_PATHS,
  MAX_PATTERN_SIZES,
  type PresentationDefinition,
} from '../presentation-exchange/definition-schema.ts'
import { compilePattern } from '../presentation-exchange/pattern.ts'
import { PatternError } from '../presentation-exchange/pattern-characters.ts'
import { translatePattern } from '../presentation-exchange/pattern-syntax.ts'
import type { Fault } from './faults.ts'
import { filtersIn, version1Faults, version2Faults } from './presentation-filter.ts'
import { groupsOf } from './submission-requirement.ts'

interface Placed<T> {
  path: (string | number)[]
  value: T
}

const fieldsOf = ({ input_descriptors: descriptors }: PresentationDefinition): Placed<Field>[] =>
  descriptors.flatMap(({ constraints }, at) =>
    (constraints?.fields ?? []).map((value, index) => ({
      path: ['input_descriptors', at, 'constraints', 'fields', index],
      value,
    })),
  )

const topFiltersOf = (definition: PresentationDefinition): Placed<Filter>[] =>
  fieldsOf(definition).flatMap(({ path, value: { filter } }) =>
    filter === undefined ? [] : [{ path: [...path, 'filter'], value: filter }],
  )

const below = (path: Fault['path'], faults: readonly Fault[]): Fault[] =>
  faults.map((fault) => ({ ...fault, path: [...path, ...fault.path] }))

/** Version 1 has `schema` in every descriptor, version 2 in none. */
export const versionFaults = (definition: PresentationDefinition): Fault[] => {
  const withSchema = definition.input_descriptors.filter(({ schema }) => schema !== undefined).length
  if (withSchema === 0) return topFiltersOf(definition).flatMap(({ path, value }) => below(path, version2Faults(value)))
  if (withSchema < definition.input_descriptors.length)
    return [
      { path: [], message: 'must be of one version: 1 with schema in every descriptor, or 2 with schema in none' },
    ]
  return [
    ...definition.input_descriptors.flatMap(({ format }, index) =>
      format === undefined ? [] : [{ path: ['input_descriptors', index, 'format'], message: 'is not in version 1' }],
    ),
    ...fieldsOf(definition).flatMap(({ path, value }) =>
      ['name', 'optional', 'intent_to_retain']
        .filter((name) => name in value)
        .map((name) => ({ path: [...path, name], message: 'is not in version 1' })),
    ),
    ...topFiltersOf(definition).flatMap(({ path, value }) => below(path, version1Faults(value))),
  ]
}

/** A descriptor to which no submission requirement refers would never be enforced. */
export const groupFaults = (definition: PresentationDefinition): Fault[] => {
  const { input_descriptors: descriptors, submission_requirements: requirements } = definition
  if (requirements === undefined) return []
  const required = new Set(groupsOf(requirements))
  const groups = new Set(descriptors.flatMap(({ group = [] }) => group))
  const isRequired = ({ group = [] }: InputDescriptor) => group.some((name) => required.has(name))
  return [
    ...([...required].every((name) => groups.has(name))
      ? []
      : [{ path: [], message: 'must take from groups of its descriptors' }]),
    ...descriptors.flatMap((descriptor, index) =>
      isRequired(descriptor)
        ? []
        : [
            {
              path: ['input_descriptors', index, 'group'],
              message: 'must name a group that a submission requirement takes from',
            },
          ],
    ),
  ]
}

const CANNOT_VERIFY = `must permit ldp_vc and ldp_vp (or ldp) with ${VERIFIABLE_PROOF_TYPES.join(' or ')}: no other can be verified`

/** At least one format must be verifiable; others may be named too. */
export const formatFaults = ({ format, input_descriptors: descriptors }: PresentationDefinition): Fault[] =>
  [
    { path: ['format'], value: format },
    ...descriptors.map(({ format: value }, index) => ({ path: ['input_descriptors', index, 'format'], value })),
  ]
    .filter(({ value }) => value !== undefined && !isVerifiable(value))
    .map(({ path }) => ({ path, message: CANNOT_VERIFY }))

const patternsOf = (definition: PresentationDefinition): Placed<string>[] =>
  topFiltersOf(definition).flatMap(({ path, value }) =>
    filtersIn(value).flatMap(({ path: inner, filter: { pattern } }) =>
      pattern === undefined ? [] : [{ path: [...path, ...inner, 'pattern'], value: pattern }],
    ),
  )

/** All patterns must compile, and have a limited total size. */
export const patternFaults = (definition: PresentationDefinition): Fault[] => {
  let left = MAX_PATTERN_SIZES
  return patternsOf(definition).flatMap(({ path, value }) => {
    const message = patternFault(() => {
      left -= translatePattern(value).size
      if (left < 0) throw new PatternError(`must have at most ${MAX_PATTERN_SIZES} parts together with other patterns`)
      compilePattern(value)
    })
    return message === undefined ? [] : [{ path, message }]
  })
}

/** What is wrong with a pattern, if anything. */
const patternFault = (compile: () => void): string | undefined => {
  try {
    compile()
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}

/** The total number of paths is limited. */
export const amountFaults = (definition: PresentationDefinition): Fault[] => {
  const paths = fieldsOf(definition).reduce((sum, { value: { path } }) => sum + path.length, 0)
  return paths > MAX_PATHS ? [{ path: [], message: `must not have more than ${MAX_PATHS} paths` }] : []
}
