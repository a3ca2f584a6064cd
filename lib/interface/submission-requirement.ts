/** Submission requirements of DIF Presentation Exchange: which groups of descriptors have to be met. */
import * as v from 'valibot'
import { exactly, text } from './fields.ts'

export interface SubmissionRequirement {
  name?: string | undefined
  purpose?: string | undefined
  rule: 'all' | 'pick'
  count?: number | undefined
  min?: number | undefined
  max?: number | undefined
  from?: string | undefined
  from_nested?: SubmissionRequirement[] | undefined
}

const Sentence = v.optional(text(1024))
const Count = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1000))

export const SubmissionRequirement: v.GenericSchema<SubmissionRequirement> = v.pipe(
  exactly({
    name: Sentence,
    purpose: Sentence,
    rule: v.picklist(['all', 'pick']),
    count: v.optional(v.pipe(Count, v.minValue(1))),
    min: v.optional(Count),
    max: v.optional(Count),
    from: v.optional(text(256)),
    from_nested: v.optional(v.pipe(v.array(v.lazy(() => SubmissionRequirement)), v.minLength(1), v.maxLength(50))),
  }),
  v.check(
    ({ from, from_nested: nested }) => (from === undefined) !== (nested === undefined),
    'must have from or from_nested, and not both',
  ),
)

/** Every group that a requirement, or one within it, takes from. */
export const groupsOf = (requirements: readonly SubmissionRequirement[]): string[] =>
  requirements.flatMap(({ from, from_nested: nested = [] }) => [
    ...(from === undefined ? [] : [from]),
    ...groupsOf(nested),
  ])
