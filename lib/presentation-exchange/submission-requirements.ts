/** Which input descriptors have to be met (DIF Presentation Exchange, section Submission Requirements). */
import type { PresentationDefinition, SubmissionRequirement } from './definition.ts'

/** Whether descriptors of these ids are enough: all of them, or what every submission requirement says. */
export const isSatisfiedBy = (definition: PresentationDefinition, met: ReadonlySet<string>): boolean => {
  const { submission_requirements: requirements, input_descriptors: descriptors } = definition
  const groupOf = (name: string): boolean[] =>
    descriptors.filter(({ group = [] }) => group.includes(name)).map(({ id }) => met.has(id))
  const isMet = (requirement: SubmissionRequirement): boolean => {
    const { from, from_nested: nested = [] } = requirement
    return fulfils(requirement, from === undefined ? nested.map(isMet) : groupOf(from))
  }
  return requirements === undefined ? descriptors.every(({ id }) => met.has(id)) : requirements.every(isMet)
}

const fulfils = ({ rule, count, min, max }: SubmissionRequirement, parts: readonly boolean[]): boolean => {
  const fulfilled = parts.filter(Boolean).length
  if (rule === 'all') return fulfilled === parts.length
  return (count === undefined || fulfilled === count) && fulfilled >= (min ?? 1) && fulfilled <= (max ?? fulfilled)
}
