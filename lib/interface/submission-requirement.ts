/** Submission requirements of DIF Presentation Exchange: which groups of input descriptors must be fulfilled. */
import * as v from 'valibot'
import type { SubmissionRequirement as Requirement } from '../presentation-exchange/definition-schema.ts'
import { exactly } from './fields.ts'
import { Id, Sentence } from './presentation-constraints.ts'

const Count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000))

export const SubmissionRequirement: v.GenericSchema<unknown, Requirement> = v.pipe(
  exactly({
    name: Sentence,
    purpose: Sentence,
    rule: v.picklist(['all', 'pick']),
    count: v.optional(v.pipe(Count, v.minValue(1))),
    min: v.optional(Count),
    max: v.optional(Count),
    from: v.optional(Id),
    from_nested: v.optional(v.pipe(v.array(v.lazy(() => SubmissionRequirement)), v.minLength(1), v.maxLength(50))),
  }),
  v.check(
    ({ from, from_nested: nested }) => (from === undefined) !== (nested === undefined),
    'must have from or from_nested, and not both',
  ),
  v.check(
    ({ rule, count, min, max }) => rule === 'pick' || (count ?? min ?? max) === undefined,
    'must have count, min and max with the rule pick only',
  ),
  v.check(({ min = 0, max = min }) => min <= max, 'must not have a min above its max'),
  v.metadata({
    not: { required: ['from', 'from_nested'] },
    if: { required: ['from_nested'] },
    else: { required: ['from'] },
  }),
)

/** All groups to which requirements refer, nested ones included. */
export const groupsOf = (requirements: readonly Requirement[]): string[] =>
  requirements.flatMap(({ from, from_nested: nested = [] }) => [
    ...(from === undefined ? [] : [from]),
    ...groupsOf(nested),
  ])
