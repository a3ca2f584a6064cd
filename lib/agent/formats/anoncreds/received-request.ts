/** A received AnonCreds proof request, within the limits that apply to this agent's own requests. */
import * as v from 'valibot'
import { isObject } from '../../../json.ts'
import { namesOf, Request } from './presentation-checks/index.ts'
import { MAX_INT32 } from './values/index.ts'

/** For attributes, and for predicates. Each is searched separately, and each predicate needs a proof of its own. */
const MAX_REFERENTS = 100

/** Names and restrictions of all referents together. */
const MAX_TERMS = 2_000

const MAX_NAME = 256

const terms = ({ requested_attributes: attributes, requested_predicates: predicates }: Request): number =>
  [...Object.values(attributes), ...Object.values(predicates)].reduce(
    (sum, asked) =>
      sum +
      namesOf(asked).length +
      (asked.restrictions ?? []).reduce((all, one) => all + 1 + Object.keys(one).length, 0),
    0,
  )

const namesIn = ({ requested_attributes: attributes, requested_predicates: predicates }: Request): string[] =>
  [...Object.entries(attributes), ...Object.entries(predicates)].flatMap(([referent, asked]) => [
    referent,
    ...namesOf(asked),
  ])

const momentsIn = (request: Request): (number | null | undefined)[] =>
  [request, ...Object.values(request.requested_attributes), ...Object.values(request.requested_predicates)].flatMap(
    ({ non_revoked: interval }) => [interval?.from, interval?.to],
  )

const isMoment = (seconds: number | null | undefined): boolean =>
  seconds === undefined || seconds === null || (Number.isSafeInteger(seconds) && seconds >= 0)

export const ReceivedRequest = v.pipe(
  v.custom<object>(isObject, 'is no object'),
  Request,
  v.check(
    ({ requested_attributes: attributes, requested_predicates: predicates }) =>
      [attributes, predicates].every((asked) => Object.keys(asked).length <= MAX_REFERENTS),
    `asks for more than ${MAX_REFERENTS} attributes or predicates`,
  ),
  v.check((request) => terms(request) <= MAX_TERMS, 'has too many names and restrictions'),
  v.check(
    (request) => namesIn(request).every((name) => name !== '' && name !== '__proto__' && name.length <= MAX_NAME),
    'has a name that no attribute has',
  ),
  v.check(
    ({ requested_attributes: attributes }) =>
      Object.values(attributes).every(
        (asked) => namesOf(asked).length > 0 && (asked.name === undefined || asked.names === undefined),
      ),
    'asks for an attribute that has no name, or a name and names',
  ),
  v.check(
    ({ requested_predicates: predicates }) =>
      Object.values(predicates).every(
        ({ p_value: value }) => Number.isInteger(value) && value <= MAX_INT32 && value >= -MAX_INT32 - 1,
      ),
    'compares with what is no 32-bit integer',
  ),
  v.check((request) => momentsIn(request).every(isMoment), 'names a time that is none'),
)

export type ReceivedRequest = v.InferOutput<typeof ReceivedRequest>
