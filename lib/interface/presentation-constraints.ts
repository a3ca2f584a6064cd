/**
 * Constraints of an input descriptor (DIF Presentation Exchange): the claims, and the conditions on them. A constraint
 * that is not enforced is rejected.
 */
import * as v from 'valibot'
import { TENANT_PATH } from '../presentation-exchange/path.ts'
import { exactly, text } from './fields.ts'
import { Filter } from './presentation-filter.ts'

export const Id = text(256)
/** For people. An empty one is not sent. */
export const Sentence = v.optional(v.pipe(v.string(), v.maxLength(1024)))
const Optionality = v.picklist(['required', 'preferred'])

const Path = v.pipe(
  text(1024),
  v.regex(TENANT_PATH, 'must be a JSONPath without expressions, and with one descent (..) at most'),
)

const Field = v.pipe(
  exactly({
    id: v.optional(Id),
    path: v.pipe(v.array(Path), v.minLength(1), v.maxLength(50)),
    purpose: Sentence,
    filter: v.optional(Filter),
    predicate: v.optional(
      v.literal('preferred', 'must be preferred: no supported proof type can prove a predicate without its value'),
    ),
    /** These three are in version 2 only. */
    name: Sentence,
    optional: v.optional(v.boolean()),
    intent_to_retain: v.optional(v.boolean()),
  }),
  v.check(
    ({ predicate, filter }) => predicate === undefined || filter !== undefined,
    'must have a filter with predicate',
  ),
)

const Relations = v.pipe(
  v.array(exactly({ field_id: v.pipe(v.array(Id), v.minLength(1), v.maxLength(50)), directive: Optionality })),
  v.maxLength(50),
)

const Status = exactly({
  directive: v.literal('allowed', 'must be allowed: the status of a credential is not looked up'),
})

export const Constraints = v.pipe(
  exactly({
    limit_disclosure: v.optional(
      v.literal('preferred', 'must be preferred: no supported proof type can hide a part of a credential'),
    ),
    statuses: v.optional(
      v.pipe(
        exactly({ active: v.optional(Status), suspended: v.optional(Status), revoked: v.optional(Status) }),
        v.check((statuses) => Object.keys(statuses).length > 0, 'must name a status'),
      ),
    ),
    fields: v.optional(v.pipe(v.array(Field), v.maxLength(100))),
    subject_is_issuer: v.optional(Optionality),
    is_holder: v.optional(Relations),
    same_subject: v.optional(Relations),
  }),
  v.check(({ fields = [], is_holder: holders = [], same_subject: subjects = [] }) => {
    const ids = new Set(fields.map(({ id }) => id))
    return [...holders, ...subjects].every(({ field_id: named }) => named.every((id) => ids.has(id)))
  }, 'must name fields of the same constraints'),
)
