/**
 * Schemas of AnonCreds proof requests, and their form for the library. lib/interface/anoncreds-proof-request.ts is the
 * stricter schema of the requests that this agent creates.
 */
import * as v from 'valibot'
import { Int32, PredicateType } from '../../../../records/anoncreds-objects.ts'
import { Nonce } from '../values/index.ts'

const Restriction = v.record(v.string(), v.string())

/** Epoch seconds. */
const Moment = v.nullish(v.pipe(v.number(), v.safeInteger('must be in seconds'), v.minValue(0, 'must not be negative')))

const Interval = v.object({ from: Moment, to: Moment })

const Name = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(256, 'must have at most 256 characters'),
  v.notValue('__proto__', 'must be the name of an attribute'),
)

const ITEM = { restrictions: v.nullish(v.array(Restriction)), non_revoked: v.nullish(Interval) }

const Attribute = v.pipe(
  v.object({
    name: v.optional(Name),
    names: v.optional(v.pipe(v.array(Name), v.minLength(1, 'must not be empty'))),
    ...ITEM,
  }),
  v.check(({ name, names }) => (name === undefined) !== (names === undefined), 'must have name or names, and not both'),
)

const Predicate = v.object({
  name: Name,
  p_type: PredicateType,
  p_value: Int32,
  ...ITEM,
})

/** Bounded, because each referent is a search, and each predicate a separate proof. */
const byReferent = <Item extends v.GenericSchema>(item: Item) =>
  v.pipe(v.record(Name, item), v.maxEntries(100, 'must have at most 100 referents'))

export const Request = v.object({
  nonce: Nonce,
  requested_attributes: byReferent(Attribute),
  requested_predicates: byReferent(Predicate),
  non_revoked: v.nullish(Interval),
})

export type Request = v.InferOutput<typeof Request>
export type Restriction = v.InferOutput<typeof Restriction>
export type RequestedAttribute = Request['requested_attributes'][string]
export type RequestedPredicate = Request['requested_predicates'][string]

/** The names of a requested attribute: its own, or those of its group. */
export const namesOf = ({ name, names }: RequestedAttribute): string[] => names ?? (name === undefined ? [] : [name])

/** Maximum number of names and restrictions of all referents together. */
const MAX_TERMS = 2_000

const terms = ({ requested_attributes: attributes, requested_predicates: predicates }: Request): number =>
  [...Object.values(attributes), ...Object.values(predicates)]
    .flatMap((item) => [
      namesOf(item).length,
      ...(item.restrictions ?? []).map((restriction) => 1 + Object.keys(restriction).length),
    ])
    .reduce((sum, count) => sum + count, 0)

/** A request that this agent may respond to. */
export const ReceivedRequest = v.pipe(
  Request,
  v.check((request) => terms(request) <= MAX_TERMS, `must have at most ${MAX_TERMS} names and restrictions`),
)

/**
 * Removes restrictions on attributes: the library compares a marker with the attribute's value, and rejects a value of
 * an attribute that another referent reveals. It also accepts any list within an interval, so `non_revoked` is removed
 * too. The library checks restrictions on ids.
 */
const withoutAttributes = (restriction: Restriction): Restriction =>
  Object.fromEntries(Object.entries(restriction).filter(([key]) => !key.startsWith('attr::')))

const forLibrary = <Item extends Pick<RequestedAttribute, 'restrictions' | 'non_revoked'>>({
  restrictions,
  non_revoked: _,
  ...item
}: Item) => ({ ...item, ...(restrictions?.length && { restrictions: restrictions.map(withoutAttributes) }) })

/** Changes each requested item. */
export const mapItems = <Item, Changed>(
  items: Record<string, Item>,
  change: (item: Item) => Changed,
): Record<string, Changed> =>
  Object.fromEntries(Object.entries(items).map(([referent, item]) => [referent, change(item)]))

/** The library requires a name and a version, but does not use them. */
export const UNUSED = { name: 'request', version: '1.0' }

export const requestForLibrary = ({ nonce, requested_attributes, requested_predicates }: Request) => ({
  ...UNUSED,
  nonce,
  requested_attributes: mapItems(requested_attributes, forLibrary),
  requested_predicates: mapItems(requested_predicates, forLibrary),
})
